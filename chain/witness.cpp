#include "chain/witness.h"

#include <cassert>

#include "chain/byte_writer.h"

namespace petal::chain {

Witness::Witness(std::initializer_list<Bytes> items) {
    for (const Bytes& item : items) push_back(item);
}

ByteView Witness::operator[](std::size_t index) const {
    assert(index < count_);
    ByteReader reader{items_};
    for (; index > 0; --index) reader.read_var_view(kMaxCompactSize);
    return reader.read_var_view(kMaxCompactSize);
}

std::vector<ByteView> Witness::items() const {
    std::vector<ByteView> views;
    ByteReader reader{items_};
    for (std::size_t i = 0; i < count_; ++i) views.push_back(reader.read_var_view(kMaxCompactSize));
    return views;
}

void Witness::push_back(ByteView item) {
    const Bytes serialized = ByteWriter{}.var_bytes(item).take();
    items_.insert(items_.end(), serialized.begin(), serialized.end());
    ++count_;
}

Witness read_witness(ByteReader& reader) {
    const std::size_t count = reader.read_count(kMaxCompactSize, 1);
    const ByteView behind_count = reader.rest();
    for (std::size_t i = 0; i < count && reader.ok(); ++i) reader.read_var_view(kMaxCompactSize);
    if (!reader.ok()) return {};
    const ByteView items = behind_count.first(behind_count.size() - reader.remaining());
    Witness witness;
    witness.items_.assign(items.begin(), items.end());
    witness.count_ = count;
    return witness;
}

}  // namespace petal::chain
