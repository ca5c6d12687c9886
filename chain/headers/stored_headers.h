/// The first records of a header file and their index, read from mapped files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "chain/headers/header_index.h"
#include "chain/headers/header_record.h"
#include "chain/headers/locked_file.h"

namespace petal::chain {

/// The index of a header file's first records.
struct HeaderIndexContents {
    HeaderRecord::Check first{};  ///< of the bytes before the first record
    HeaderRecord::Check last{};   ///< of the last record covered
    std::uint32_t records = 0;
    std::vector<std::uint32_t> best;  ///< the best chain's records, from the root up
    std::vector<HeaderSlot> slots;    ///< of all records, in any order, possibly with free slots
};

/// The records that an index covers. Opening is fast, because each record and each page of the
/// index is checked only when it is first read. Damage then throws HeaderFileDamaged. The index
/// file is never changed but replaced, so that a crash leaves the old index.
///
/// When damage is found, the index is removed, except by a reader. The next opening then reads the
/// whole file and cuts it off at the damage. Not thread-safe.
class StoredHeaders {
public:
    /// The path of the index of this header file.
    static std::filesystem::path index_path(const std::filesystem::path& header_file);

    /// Opens the index. Null if there is no index, or the index belongs to another file.
    /// first     the check of the bytes before the first record
    /// offset    the position of the first record
    /// records   the number of records in the file
    static std::unique_ptr<StoredHeaders> open(const LockedFile& file, std::size_t offset,
                                               const HeaderRecord::Check& first,
                                               std::size_t records);

    /// Replaces the index of this file. On failure throws HeaderFileError and keeps the old index.
    static void write_index(const std::filesystem::path& header_file,
                            const HeaderIndexContents& contents);

    std::uint32_t size() const { return layout_.records; }
    /// A record whose number is below size().
    const HeaderRecord& operator[](std::uint32_t number) const;

    /// Whether damage was found. If so, no new index must be made from this index, as that would
    /// hide the damage.
    bool is_damaged() const { return is_damaged_; }

    /// The number of the best chain's blocks, including the root, and the record of each.
    std::uint32_t best_size() const { return layout_.best; }
    std::uint32_t best_at(std::uint32_t place) const;

    /// The number of the header with this hash. Empty if there is none.
    /// has_hash   bool(std::uint32_t number): whether the header of this number has this hash
    template <typename HasHash>
    std::optional<std::uint32_t> find(const BlockHash& hash, HasHash has_hash) const {
        const std::uint32_t tag = hash_tag(hash);
        std::uint32_t at = first_slot(tag, layout_.slots);
        for (std::uint32_t tries = 0; tries < layout_.slots; ++tries) {
            const HeaderSlot slot = slot_at(at);
            if (slot.number == HeaderSlot::kFree) break;
            if (slot.tag == tag && slot.number < size() && has_hash(slot.number)) {
                return slot.number;
            }
            if (++at == layout_.slots) at = 0;
        }
        return std::nullopt;
    }

    /// Releases the memory of the mapped pages.
    void release_pages() const {
        file_.release_pages();
        index_->release_pages();
    }

    /// All slots of the index, from which a longer index is made.
    std::vector<HeaderSlot> slots() const;

private:
    // The layout of the index: a page with the preamble, the best chain, the slots, the pages'
    // sums.
    struct Layout {
        std::uint32_t records = 0;
        std::uint32_t best = 0;
        std::uint32_t slots = 0;

        std::size_t best_offset() const;
        std::size_t slots_offset() const;
        std::size_t sums_offset() const;
        std::size_t pages() const;
        std::size_t bytes() const;
    };

    StoredHeaders(const LockedFile& file, std::size_t offset, const HeaderRecord::Check& first,
                  std::unique_ptr<MappedFile> index, const Layout& layout);

    static std::uint32_t first_slot(std::uint32_t tag, std::uint32_t slots) {
        return static_cast<std::uint32_t>(std::uint64_t{tag} * slots >> 32U);
    }
    static std::optional<Layout> read_layout(ByteView index, const HeaderRecord::Check& first,
                                             const HeaderRecord::Check& last);
    static std::vector<HeaderSlot> arrange(const std::vector<HeaderSlot>& slots,
                                           std::uint32_t size);

    HeaderSlot slot_at(std::uint32_t at) const;
    std::uint32_t u32_at(std::size_t offset) const;
    void check_page(std::size_t page) const;
    [[noreturn]] void fail_damaged() const;

    std::filesystem::path path_;
    bool may_repair_;
    HeaderRecord::Check first_;
    Layout layout_;
    MappedFile file_;
    std::unique_ptr<MappedFile> index_;
    const HeaderRecord* records_;
    // The pages that have passed their checks.
    mutable std::vector<bool> sound_records_;
    mutable std::vector<bool> sound_pages_;
    mutable bool is_damaged_ = false;
};

}  // namespace petal::chain
