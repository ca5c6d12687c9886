#include "net/sync/filters/watch_index.h"

#include <algorithm>
#include <cstdint>

#include "chain/script/script.h"

namespace petal::net {

WatchIndex::WatchIndex(std::span<const chain::Bytes> elements,
                       const chain::WatchedOutpoints& outpoints) {
    watched_.reserve(elements.size() + outpoints.confirmed.size() + outpoints.unconfirmed.size());
    for (const chain::Bytes& element : elements) insert(element);
    for (const chain::Outpoint& outpoint : outpoints.confirmed) insert(outpoint);
    for (const chain::Outpoint& outpoint : outpoints.unconfirmed) insert(outpoint);
}

bool WatchIndex::Equal::operator()(chain::ByteView left, chain::ByteView right) const {
    return std::ranges::equal(left, right);
}

bloom::MatchResult WatchIndex::match_and_update(const chain::Transaction& transaction,
                                                const chain::Txid& txid) {
    bloom::MatchResult result;
    for (std::size_t i = 0; i < transaction.outputs.size(); ++i) {
        if (!is_watched(transaction.outputs[i])) continue;
        const chain::Outpoint outpoint{txid, static_cast<std::uint32_t>(i)};
        insert(outpoint);
        result.inserted.push_back(outpoint);
    }
    result.matched = !result.inserted.empty() || contains_an_input(transaction);
    return result;
}

bool WatchIndex::is_watched(const chain::TxOutput& output) const {
    return contains_a_push(output.script_pubkey) ||
           (base_ && bloom::matches_output(*base_, output));
}

bool WatchIndex::contains_a_push(chain::ByteView script) const {
    chain::ScriptWalker walker(script);
    while (const auto operation = walker.next()) {
        if (!operation->data.empty() && contains(operation->data)) return true;
    }
    return false;
}

bool WatchIndex::contains_an_input(const chain::Transaction& transaction) const {
    return std::ranges::any_of(transaction.inputs, [this](const auto& input) {
        return contains(input.prevout.serialize()) || contains_a_push(input.script_sig);
    });
}

}  // namespace petal::net
