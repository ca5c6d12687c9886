#include "chain/block_filters/block_filter.h"

#include <algorithm>
#include <iterator>

#include "chain/script/script.h"

namespace petal::chain {

GolombParameters basic_filter_parameters(const BlockHash& block) {
    std::array<Byte, 16> key{};
    std::copy_n(block.bytes.begin(), key.size(), key.begin());
    return {sip_hash_key(key), kBasicRemainderBits, kBasicInverseRate};
}

std::vector<Bytes> output_elements(const Block& block) {
    std::vector<Bytes> scripts;
    for (const Transaction& transaction : block.transactions) {
        for (const TxOutput& output : transaction.outputs) {
            const Bytes& script = output.script_pubkey;
            if (!script.empty() && script.front() != kOpReturn) scripts.push_back(script);
        }
    }
    return scripts;
}

GolombSet make_basic_filter(const Block& block, std::span<const Bytes> spent_scripts) {
    std::vector<Bytes> scripts = output_elements(block);
    std::ranges::copy_if(spent_scripts, std::back_inserter(scripts),
                         [](const Bytes& script) { return !script.empty(); });
    return {basic_filter_parameters(block.header.hash()), scripts};
}

Expected<GolombSet, DecodeError> decode_basic_filter(const BlockHash& block, ByteView filter) {
    ByteReader reader{filter};
    if (reader.read_compact_size() > kMaxBasicFilterElements)
        return Unexpected(DecodeError::too_large);
    return GolombSet::decode(basic_filter_parameters(block), filter);
}

FilterHash hash_filter(ByteView filter) {
    return {sha256d(filter).bytes};
}

FilterHeader next_filter_header(const FilterHash& filter, const FilterHeader& previous) {
    return {sha256d({filter.view(), previous.view()}).bytes};
}

}  // namespace petal::chain
