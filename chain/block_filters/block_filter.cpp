#include "chain/block_filters/block_filter.h"

#include <algorithm>
#include <vector>

#include "chain/script/script.h"

namespace petal::chain {

GolombParameters basic_filter_parameters(const BlockHash& block) {
    std::array<Byte, 16> key{};
    std::copy_n(block.bytes.begin(), key.size(), key.begin());
    return {sip_hash_key(key), kBasicRemainderBits, kBasicInverseRate};
}

GolombSet make_basic_filter(const Block& block, std::span<const Bytes> spent_scripts) {
    std::vector<Bytes> scripts;
    for (const Bytes& script : spent_scripts) {
        if (!script.empty()) scripts.push_back(script);
    }
    for (const Transaction& transaction : block.transactions) {
        for (const TxOutput& output : transaction.outputs) {
            const Bytes& script = output.script_pubkey;
            if (!script.empty() && script.front() != kOpReturn) scripts.push_back(script);
        }
    }
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
