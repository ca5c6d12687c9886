// The hash table over the chain's headers.
#include "chain/header_index.h"

#include <cassert>
#include <utility>

namespace petal::chain {

HeaderIndex::HeaderIndex() : slots_(1024) {}

void HeaderIndex::insert(const BlockHash& hash, std::uint32_t number) {
    assert(number != kFree);
    if (++used_ > slots_.size() / 4 * 3) grow();
    place({tag_of(hash), number});
}

void HeaderIndex::place(Slot slot) {
    std::size_t at = slot.tag & mask();
    while (slots_[at].number != kFree) at = (at + 1) & mask();
    slots_[at] = slot;
}

void HeaderIndex::grow() {
    const std::vector<Slot> old = std::exchange(slots_, std::vector<Slot>(slots_.size() * 2));
    for (const Slot& slot : old) {
        if (slot.number != kFree) place(slot);
    }
}

}  // namespace petal::chain
