#include "net/sync/filters/watch_index.h"

#include <algorithm>
#include <cstdint>

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
    result.matched = !result.inserted.empty() || bloom::contains_an_input(*this, transaction);
    return result;
}

bool WatchIndex::is_watched(const chain::TxOutput& output) const {
    return bloom::contains_a_push(*this, output.script_pubkey) ||
           (base_ && bloom::matches_output(*base_, output));
}

}  // namespace petal::net
