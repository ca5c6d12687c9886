/// Finds headers of the chain's tree by their hash, in about 16 bytes a header.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "chain/byte_reader.h"
#include "chain/hash.h"

namespace petal::chain {

/// Four bytes of a hash that are as good as random: its first, in internal order, since its last
/// are zero by proof of work.
inline std::uint32_t hash_tag(const BlockHash& hash) {
    return get_u32(hash.bytes.data());
}

/// A place of a hash table: a header's number, and its hash's tag. Free if the number is kFree.
struct HeaderSlot {
    static constexpr std::uint32_t kFree = 0xffffffff;

    std::uint32_t tag = 0;
    std::uint32_t number = kFree;
};

/// A hash table from block hashes to 32-bit numbers of the caller's. It keeps four bytes of each
/// hash, so the caller has to confirm a hit by the rest of the hash.
///
/// Not thread-safe.
class HeaderIndex {
public:
    HeaderIndex();

    /// The number kept for this hash; empty if there is none.
    /// has_hash   bool(std::uint32_t number): whether the number is this very hash's
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

    /// Prefetches the memory that other calls need for this hash.
    void prefetch(const BlockHash& hash) const {
        __builtin_prefetch(&slots_[hash_tag(hash) & mask()], /*for_writing=*/1);
    }

    /// Keeps `number`, below 2^32 - 1, for a hash that is not yet kept.
    void insert(const BlockHash& hash, std::uint32_t number);

    /// All slots, free ones included, in no particular order.
    std::span<const HeaderSlot> slots() const { return slots_; }

private:
    std::size_t mask() const { return slots_.size() - 1; }
    void place(HeaderSlot slot);
    void grow();

    std::vector<HeaderSlot> slots_;  // a power of two, never full
    std::size_t used_ = 0;
};

}  // namespace petal::chain
