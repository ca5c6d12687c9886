// The hash table of headers.
#include "chain/headers/header_index.h"

#include <cassert>
#include <utility>

namespace petal::chain {

HeaderIndex::HeaderIndex() : slots_(1024) {}

void HeaderIndex::insert(const BlockHash& hash, std::uint32_t number) {
    assert(number != HeaderSlot::kFree);
    if (++used_ > slots_.size() / 4 * 3) grow();
    place({hash_tag(hash), number});
}

void HeaderIndex::place(HeaderSlot slot) {
    std::size_t at = slot.tag & mask();
    while (slots_[at].number != HeaderSlot::kFree) at = (at + 1) & mask();
    slots_[at] = slot;
}

void HeaderIndex::grow() {
    const auto old = std::exchange(slots_, std::vector<HeaderSlot>(slots_.size() * 2));
    for (const HeaderSlot& slot : old) {
        if (slot.number != HeaderSlot::kFree) place(slot);
    }
}

}  // namespace petal::chain
