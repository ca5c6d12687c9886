/// Compact filters. A filter that decodes is encoded to the same bytes, and has each of its
/// elements. A filter that is made of the input's elements decodes.
#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "chain/block_filters/block_filter.h"
#include "chain/byte_reader.h"

namespace {

using namespace petal::chain;

void check_arbitrary(const GolombParameters& parameters, ByteView encoded) {
    const auto set = GolombSet::decode(parameters, encoded);
    if (!set) return;
    const Bytes again = set->encode();
    assert(std::equal(again.begin(), again.end(), encoded.begin(), encoded.end()));
    const Bytes element{encoded.begin(), encoded.end()};
    static_cast<void>(set->has_any_of({&element, 1}));
}

void check_made(const GolombParameters& parameters, ByteReader& reader) {
    std::vector<Bytes> elements;
    while (reader.remaining() > 0) {
        const std::size_t size = reader.read_u8() % 32;
        elements.push_back(reader.read_bytes(std::min(size, reader.remaining())));
    }
    const Bytes encoded = GolombSet(parameters, elements).encode();
    const auto set = GolombSet::decode(parameters, encoded);
    assert(set && set->size() <= elements.size());
    assert(set->encode() == encoded);
    for (const Bytes& element : elements) assert(set->has_any_of({&element, 1}));
    assert(set->has_any_of(elements) == !elements.empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    ByteReader reader{{data, size}};
    const bool is_made = reader.read_u8() % 2 == 1;
    // Few remainder bits make long runs of ones, as a small input can have them.
    const GolombParameters small{{7, 8}, 1U + reader.read_u8() % 8U, 1U + reader.read_u8()};
    const GolombParameters basic = basic_filter_parameters({});
    const GolombParameters& parameters = reader.read_u8() % 2 == 0 ? basic : small;
    if (!reader.ok()) return 0;
    if (is_made) {
        check_made(parameters, reader);
    } else {
        check_arbitrary(parameters, reader.rest());
    }
    return 0;
}
