/// Matching any transaction with any filter: the result and the updated filter are those of a plain
/// form of Bitcoin Core's rules, and a transaction that matched matches again. What is predicted of
/// other servers agrees with a plain form of btcd's rules.
///
/// The input is a filterload payload with its size, an element to insert with its size, and a
/// transaction.
#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "bloom/transaction_match.h"

namespace {

using petal::bloom::BloomFilter;
using petal::bloom::match_and_update;
using petal::bloom::matches_by_an_empty_push;
using petal::bloom::matches_on_every_server;
using petal::bloom::MatchResult;
using petal::bloom::UpdateMode;
using petal::chain::ByteView;
using petal::chain::Transaction;
using petal::chain::Txid;

constexpr std::size_t kPushData1 = 0x4c;
constexpr std::size_t kPushData4 = 0x4e;

/// A script's operations before the first malformed push.
struct ParsedScript {
    struct Operation {
        std::size_t opcode = 0;
        ByteView data;

        bool is_push() const { return opcode <= kPushData4; }
    };

    std::vector<Operation> operations;
    bool is_malformed = false;

    explicit ParsedScript(ByteView script) {
        std::size_t at = 0;
        const auto left = [&] { return script.size() - at; };
        while (left() > 0) {
            const std::size_t opcode = script[at++];
            std::size_t size = opcode < kPushData1 ? opcode : 0;
            if (opcode >= kPushData1 && opcode <= kPushData4) {
                const std::size_t width = std::size_t{1} << (opcode - kPushData1);
                is_malformed = left() < width;
                if (is_malformed) return;
                for (std::size_t i = 0; i < width; ++i) size |= std::size_t{script[at++]} << 8 * i;
            }
            is_malformed = left() < size;
            if (is_malformed) return;
            operations.push_back({opcode, script.subspan(at, size)});
            at += size;
        }
    }

    std::vector<ByteView> pushes() const {
        std::vector<ByteView> result;
        for (const Operation& operation : operations) {
            if (!operation.data.empty()) result.push_back(operation.data);
        }
        return result;
    }

    bool has_empty_push() const {
        return std::ranges::any_of(operations, [](const Operation& operation) {
            return operation.is_push() && operation.data.empty();
        });
    }
};

/// CPubKey::ValidSize.
bool has_key_size(ByteView key) {
    if (key.size() == 33) return key[0] == 2 || key[0] == 3;
    return key.size() == 65 && (key[0] == 4 || key[0] == 6 || key[0] == 7);
}

/// GetScriptNumber, for a count of keys: 1 to 16 by their opcodes, 17 to 20 by a push of one byte.
std::size_t key_count(const ParsedScript::Operation& operation) {
    if (operation.opcode > 0x50 && operation.opcode <= 0x60) return operation.opcode - 0x50;
    if (operation.opcode != 1) return 0;
    return operation.data[0] >= 17 && operation.data[0] <= 20 ? operation.data[0] : 0;
}

/// Whether Solver returns PUBKEY or MULTISIG.
bool pays_bare_keys(ByteView script) {
    const ParsedScript parsed{script};
    const auto& operations = parsed.operations;
    if (parsed.is_malformed || operations.size() < 2) return false;
    if (operations.size() == 2) {
        // MatchPayToPubkey: only a direct push.
        return operations[0].opcode == operations[0].data.size() &&
               has_key_size(operations[0].data) && operations[1].opcode == 0xac;  // OP_CHECKSIG
    }
    // MatchMultisig: any form of push.
    const std::size_t keys = operations.size() - 3;
    for (std::size_t i = 1; i <= keys; ++i) {
        if (!has_key_size(operations[i].data)) return false;
    }
    const std::size_t required = key_count(operations.front());
    return required >= 1 && required <= keys && key_count(operations[keys + 1]) == keys &&
           operations.back().opcode == 0xae;  // OP_CHECKMULTISIG
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
        if (!contains_any(filter, ParsedScript(script).pushes())) continue;
        result.matched = true;
        if (filter.update_mode() == UpdateMode::none) continue;
        if (filter.update_mode() == UpdateMode::pubkey_only && !pays_bare_keys(script)) continue;
        filter.insert(petal::chain::Outpoint{txid, i}.serialize());
        result.inserted.push_back({txid, i});
    }
    for (const petal::chain::TxInput& input : transaction.inputs) {
        result.matched = result.matched || filter.contains(input.prevout.serialize()) ||
                         contains_any(filter, ParsedScript(input.script_sig).pushes());
    }
    return result;
}

std::vector<ParsedScript> scripts_of(const Transaction& transaction) {
    std::vector<ParsedScript> scripts;
    for (const auto& output : transaction.outputs) scripts.emplace_back(output.script_pubkey);
    for (const auto& input : transaction.inputs) scripts.emplace_back(input.script_sig);
    return scripts;
}

/// matchTxAndUpdate of btcd, which tests each push of a script, or none if one is malformed; here
/// with or without the empty ones.
bool matches_on_btcd(const BloomFilter& filter, const Transaction& transaction, const Txid& txid,
                     bool with_empty_pushes) {
    bool matched = filter.contains(txid.view());
    for (const auto& input : transaction.inputs) {
        matched = matched || filter.contains(input.prevout.serialize());
    }
    for (const ParsedScript& script : scripts_of(transaction)) {
        if (script.is_malformed) continue;
        matched = matched || contains_any(filter, script.pushes());
        matched = matched || (with_empty_pushes && script.has_empty_push() && filter.contains({}));
    }
    return matched;
}

/// before   the filter that was matched, which the servers have
/// on_core  whether Bitcoin Core sends the transaction
void check_servers(const BloomFilter& before, const Transaction& transaction, const Txid& txid,
                   bool on_core) {
    const bool on_every = matches_on_every_server(before, transaction, txid);
    const bool by_empty_push = matches_by_an_empty_push(before, transaction);
    assert(on_every == matches_on_btcd(before, transaction, txid, false));
    if (on_every) assert(on_core);
    const auto scripts = scripts_of(transaction);
    if (std::ranges::none_of(scripts, &ParsedScript::is_malformed)) assert(on_every == on_core);
    // "May": of a script with a malformed push, btcd does not test the empty ones either.
    if (matches_on_btcd(before, transaction, txid, true)) assert(on_every || by_empty_push);
    if (!before.contains({})) assert(!by_empty_push);
    const bool has_one = std::ranges::any_of(scripts, &ParsedScript::has_empty_push);
    if (!has_one) assert(!by_empty_push);
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
    const BloomFilter before = *filter;
    BloomFilter plain = before;
    const auto txid = transaction->txid();
    const auto result = match_and_update(*filter, *transaction, txid);
    const auto expected = plain_match(plain, *transaction, txid);
    assert(result.matched == expected.matched && result.inserted == expected.inserted);
    assert(*filter == plain);
    check_servers(before, *transaction, txid, expected.matched);
    for (const auto& outpoint : result.inserted) assert(filter->contains(outpoint.serialize()));
    if (result.matched) assert(match_and_update(plain, *transaction, txid).matched);
    return 0;
}
