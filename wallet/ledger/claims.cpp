#include "wallet/ledger/claims.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <tuple>

namespace petal::wallet {

namespace {

using chain::TxSource;
using Sources = std::vector<TxSource>;

std::set<std::uint64_t> groups_of(const Sources& sources) {
    std::set<std::uint64_t> groups;
    for (const TxSource& source : sources) groups.insert(source.network_group);
    return groups;
}

const Sources& sources_in(const SourcesNow& now, const chain::Txid& txid) {
    static const Sources kNone;
    const auto found = now.find(txid);
    return found == now.end() ? kNone : found->second;
}

bool is_shown_by_more(const Sources& challenger, const Sources& incumbent) {
    const auto its_groups = groups_of(challenger);
    const auto other_groups = groups_of(incumbent);
    if (its_groups == other_groups) return challenger.size() > incumbent.size();
    return its_groups.size() > other_groups.size();
}

/// The second condition of is_preferred(). `challenger` and `incumbent` are all nodes that have
/// ever shown the transactions.
bool is_trusted_against(const Sources& challenger, const Sources& incumbent,
                        const Sources& challenger_now) {
    if (groups_of(challenger_now).size() > 1) return true;
    const auto groups = groups_of(challenger);
    const auto other_groups = groups_of(incumbent);
    if (groups.size() > std::max<std::size_t>(other_groups.size(), 1)) return true;
    if (groups != other_groups || groups.size() > 1) return false;
    return challenger.size() > incumbent.size() || std::ranges::includes(challenger, incumbent);
}

}  // namespace

Sources with_sources(Sources known, std::span<const TxSource> more) {
    for (const TxSource& source : more) {
        const auto place = std::ranges::lower_bound(known, source);
        if (place != known.end() && *place == source) continue;
        if (known.size() == kMaxSources) {
            const auto groups = groups_of(known);
            if (groups.size() > 1 || groups.contains(source.network_group)) continue;
            known.pop_back();
        }
        known.insert(std::ranges::lower_bound(known, source), source);
    }
    return known;
}

std::vector<chain::Txid> least_shown_first(const SourcesNow& now) {
    std::set<std::tuple<std::size_t, std::size_t, chain::Txid>> in_order;
    for (const auto& [txid, sources] : now) {
        in_order.emplace(groups_of(sources).size(), sources.size(), txid);
    }
    std::vector<chain::Txid> txids;
    for (const auto& [groups, nodes, txid] : in_order) txids.push_back(txid);
    return txids;
}

bool is_preferred(const Ledger& ledger, const LedgerTransaction& challenger,
                  const Conflicts& conflicts, const SourcesNow& now) {
    if (!conflicts.contains(challenger.txid) || is_own_spend(ledger, challenger)) return false;
    bool has_rival = false;
    for (const chain::Outpoint& input : challenger.inputs) {
        if (ledger.spends().confirmed_spender(input) != nullptr) return false;
        for (const LedgerTransaction* rival : ledger.spends().unconfirmed_spenders(input)) {
            if (rival == &challenger || conflicts.contains(rival->txid)) continue;
            if (is_own_spend(ledger, *rival)) return false;
            const Sources& its_now = sources_in(now, challenger.txid);
            const Sources& all = challenger.evidence.sources;
            if (!is_shown_by_more(its_now, sources_in(now, rival->txid)) ||
                !is_trusted_against(all, rival->evidence.sources, its_now)) {
                return false;
            }
            has_rival = true;
        }
    }
    return has_rival;
}

}  // namespace petal::wallet
