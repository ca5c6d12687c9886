/// Compact filters. A filter that decodes is encoded to the same bytes, and has each of its
/// elements. A filter that is made of the input's elements decodes. A block finds no fault in its
/// own filter.
#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "chain/block_filters/block_filter.h"
#include "chain/block_filters/filter_check.h"
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

/// A block whose outputs and spent outputs have these scripts. Some are spent in the block.
void check_block(const std::vector<Bytes>& scripts) {
    Block block;
    block.transactions.resize(1);
    block.transactions[0].inputs.resize(1);
    block.transactions[0].inputs[0].prevout.index = 0xffffffff;
    std::vector<Bytes> spent;
    for (const Bytes& script : scripts) {
        if (script.size() % 4 == 0) {
            Transaction next;
            next.inputs.resize(1);
            next.inputs[0].prevout.txid = block.transactions.back().txid();
            block.transactions.push_back(next);
        } else if (script.size() % 4 == 1 && block.transactions.size() > 1) {
            Outpoint earlier;
            earlier.index = static_cast<std::uint32_t>(spent.size());
            block.transactions.back().inputs.push_back({earlier, {}, 0, {}});
            spent.push_back(script);
        }
        block.transactions.back().outputs.push_back({0, script});
    }
    const GolombSet filter = make_basic_filter(block, spent);
    assert(!find_filter_fault(block, filter));
    const std::vector<Bytes> own = output_elements(block);
    assert(filter.has_all_of(own));
    const GolombSet arbitrary(basic_filter_parameters(block.header.hash()), scripts);
    assert(find_filter_fault(block, arbitrary) || arbitrary.has_all_of(own));
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
    assert(set->has_all_of(elements));
    check_block(elements);
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
