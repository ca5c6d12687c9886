#include "net/sync/unconfirmed/tx_sources.h"

#include <algorithm>

#include "chain/bytes.h"
#include "net/sync/filters/unconfirmed_match.h"

namespace petal::net {

namespace {

/// A 63-bit id, because SQLite stores signed integers. 0 is reserved for an unknown source.
std::uint64_t number_of(chain::ByteView name) {
    return std::max<std::uint64_t>(net_group_id(name) >> 1, 1);
}

}  // namespace

chain::TxSource source_of(const chain::Bytes& network_group, std::string_view node) {
    return {number_of(network_group), number_of(chain::as_bytes(node))};
}

bool TxSources::shows(PeerId peer, const chain::Txid& txid,
                      std::span<const chain::Outpoint> inputs) const {
    const auto spends = last_spends_.find(peer);
    if (spends == last_spends_.end()) return false;
    return std::ranges::all_of(inputs, [&](const chain::Outpoint& input) {
        const auto last = spends->second.find(input);
        return last != spends->second.end() && last->second == txid;
    });
}

TxSources::Added TxSources::add(const chain::Txid& txid, std::span<const chain::Outpoint> inputs,
                                PeerId peer) {
    if (shows(peer, txid, inputs)) return {};
    std::uint32_t& words = words_[txid][peer];
    if (words == kMaxWords) return {};
    ++words;
    Added noted{News::first, last_spenders(inputs)};
    for (const chain::Outpoint& input : inputs) last_spends_[peer][input] = txid;
    const auto is_other = [&txid](const chain::Txid& spender) { return spender != txid; };
    if (std::ranges::any_of(noted.spenders, is_other)) {
        noted.news = News::conflict;
    } else if (!noted.spenders.empty()) {
        noted.news = News::more;
    }
    return noted;
}

std::vector<chain::Txid> TxSources::last_spenders(std::span<const chain::Outpoint> inputs) const {
    std::vector<chain::Txid> spenders;
    for (const auto& [peer, spends] : last_spends_) {
        for (const chain::Outpoint& input : inputs) {
            const auto last = spends.find(input);
            if (last != spends.end()) spenders.push_back(last->second);
        }
    }
    return spenders;
}

void TxSources::forget(PeerId peer) {
    last_spends_.erase(peer);
    for (auto& [txid, words] : words_) words.erase(peer);
    std::erase_if(words_, [](const auto& words) { return words.second.empty(); });
}

void TxSources::keep_only(const std::function<bool(const chain::Txid&)>& is_kept) {
    std::erase_if(words_, [&](const auto& words) { return !is_kept(words.first); });
    for (auto& [peer, spends] : last_spends_) {
        std::erase_if(spends, [&](const auto& spend) { return !words_.contains(spend.second); });
    }
}

std::vector<chain::Txid> TxSources::txids() const {
    std::vector<chain::Txid> txids;
    for (const auto& [txid, peers] : words_) txids.push_back(txid);
    return txids;
}

std::vector<PeerId> TxSources::peers_of(const chain::Txid& txid,
                                        std::span<const chain::Outpoint> inputs) const {
    std::vector<PeerId> peers;
    const auto words = words_.find(txid);
    if (words == words_.end()) return peers;
    for (const auto& [peer, count] : words->second) {
        if (shows(peer, txid, inputs)) peers.push_back(peer);
    }
    return peers;
}

}  // namespace petal::net
