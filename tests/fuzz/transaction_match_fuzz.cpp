/// Matching any transaction with any filter: the result and the updated filter are those of a plain
/// form of Bitcoin Core's rules, and a transaction that matched matches again.
///
/// The input is a filterload payload with its size, an element to insert with its size, and a
/// transaction.
#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "bloom/transaction_match.h"
#include "chain/script/script.h"

namespace {

using petal::bloom::BloomFilter;
using petal::bloom::match_and_update;
using petal::bloom::MatchResult;
using petal::bloom::UpdateMode;
using petal::chain::ByteView;
using petal::chain::ScriptType;
using petal::chain::Transaction;
using petal::chain::Txid;

/// The data of the pushes before the first malformed one.
std::vector<ByteView> pushes_of(ByteView script) {
    std::vector<ByteView> pushes;
    std::size_t at = 0;
    while (at < script.size()) {
        const std::size_t opcode = script[at++];
        if (opcode > 0x4e) continue;  // OP_PUSHDATA4
        std::size_t size = opcode;
        if (opcode > 75) {
            const std::size_t width = std::size_t{1} << (opcode - 76);
            if (script.size() - at < width) break;
            size = 0;
            for (std::size_t i = 0; i < width; ++i) size |= std::size_t{script[at++]} << 8 * i;
        }
        if (script.size() - at < size) break;
        if (size > 0) pushes.push_back(script.subspan(at, size));
        at += size;
    }
    return pushes;
}

bool contains_any(const BloomFilter& filter, const std::vector<ByteView>& elements) {
    return std::ranges::any_of(elements,
                               [&](ByteView element) { return filter.contains(element); });
}

/// CBloomFilter::IsRelevantAndUpdate, in its order.
MatchResult plain_match(BloomFilter& filter, const Transaction& transaction, const Txid& txid) {
    MatchResult result{filter.contains(txid.view()), {}};
    for (std::uint32_t i = 0; i < transaction.outputs.size(); ++i) {
        const petal::chain::Bytes& script = transaction.outputs[i].script_pubkey;
        if (!contains_any(filter, pushes_of(script))) continue;
        result.matched = true;
        const ScriptType type = petal::chain::classify(script);
        const bool has_bare_keys = type == ScriptType::p2pk || type == ScriptType::bare_multisig;
        if (filter.update_mode() == UpdateMode::none) continue;
        if (filter.update_mode() == UpdateMode::pubkey_only && !has_bare_keys) continue;
        filter.insert(petal::chain::Outpoint{txid, i}.serialize());
        result.inserted.push_back({txid, i});
    }
    for (const petal::chain::TxInput& input : transaction.inputs) {
        result.matched = result.matched || filter.contains(input.prevout.serialize()) ||
                         contains_any(filter, pushes_of(input.script_sig));
    }
    return result;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    petal::chain::ByteReader reader{{data, size}};
    const auto payload = reader.read_var_view(size);
    const auto element = reader.read_var_view(size);
    if (!reader.ok()) return 0;
    auto filter = BloomFilter::decode(payload);
    const auto transaction = petal::chain::decode_transaction(reader.rest());
    if (!filter || !transaction) return 0;

    filter->insert(element);
    BloomFilter plain = *filter;
    const auto txid = transaction->txid();
    const auto result = match_and_update(*filter, *transaction, txid);
    const auto expected = plain_match(plain, *transaction, txid);
    assert(result.matched == expected.matched && result.inserted == expected.inserted);
    assert(*filter == plain);
    for (const auto& outpoint : result.inserted) assert(filter->contains(outpoint.serialize()));
    if (result.matched) assert(match_and_update(plain, *transaction, txid).matched);
    return 0;
}
