/// A hash table from block hashes to header numbers, in about 16 bytes per header.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "chain/byte_reader.h"
#include "chain/hash.h"

namespace petal::chain {

/// The first four bytes of a hash in internal order, which are uniformly distributed. The last
/// bytes are zero by proof of work.
inline std::uint32_t hash_tag(const BlockHash& hash) {
    return get_u32(hash.bytes.data());
}

/// A slot of a hash table: a header's number and the tag of the header's hash. Free if the number
/// is kFree.
struct HeaderSlot {
    static constexpr std::uint32_t kFree = 0xffffffff;

    std::uint32_t tag = 0;
    std::uint32_t number = kFree;
};

/// Maps block hashes to 32-bit numbers of the caller. Stores only four bytes of each hash, so the
/// caller must confirm a hit by the full hash.
///
/// Not thread-safe.
class HeaderIndex {
public:
    HeaderIndex();

    /// The number stored for this hash. Empty if there is none.
    /// has_hash   bool(std::uint32_t number): whether the header of this number has this hash
    template <typename HasHash>
    std::optional<std::uint32_t> find(const BlockHash& hash, HasHash has_hash) const {
        const std::uint32_t tag = hash_tag(hash);
        for (std::size_t at = tag & mask(); slots_[at].number != HeaderSlot::kFree;
             at = (at + 1) & mask()) {
            const HeaderSlot& slot = slots_[at];
            if (slot.tag == tag && has_hash(slot.number)) return slot.number;
        }
        return std::nullopt;
    }

    /// Prefetches the memory for a later find() or insert() of this hash.
    void prefetch(const BlockHash& hash) const {
        __builtin_prefetch(&slots_[hash_tag(hash) & mask()], /*for_writing=*/1);
    }

    /// Stores `number`, below 2^32 - 1, for a hash that is not in the table.
    void insert(const BlockHash& hash, std::uint32_t number);

    /// All slots, including free slots, in no particular order.
    std::span<const HeaderSlot> slots() const { return slots_; }

private:
    std::size_t mask() const { return slots_.size() - 1; }
    void place(HeaderSlot slot);
    void grow();

    std::vector<HeaderSlot> slots_;  // the size is a power of two, never full
    std::size_t used_ = 0;
};

}  // namespace petal::chain
