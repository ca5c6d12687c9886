// Reads a wallet back, trusting nothing that is stored.
#include "wallet/wallet_state.h"

#include <array>
#include <cassert>
#include <set>

#include "chain/script/script.h"

namespace petal::wallet {

namespace {

constexpr std::uint8_t kAccountDepth = 3;  // BIP44: m / purpose' / coin_type' / account'

KeyRing empty_ring(const WalletStore& store, const StoredIdentity& identity,
                   const chain::NetworkParams& network) {
    const auto account = ExtendedPublicKey::parse(identity.account_key, network);
    if (!account || account->position().depth != kAccountDepth ||
        account->position().child_number < kHardened) {
        throw store.damaged("bad account key");
    }
    const LookAhead& look_ahead = identity.look_ahead;
    if (look_ahead.gap_limit == 0 || look_ahead.watched < look_ahead.gap_limit) {
        throw store.damaged("bad look-ahead");
    }
    return {identity.kind, *account, look_ahead};
}

}  // namespace

WalletState WalletState::load(WalletStore& store, const StoredIdentity& identity,
                              const chain::NetworkParams& network) {
    WalletState wallet_state(empty_ring(store, identity, network));
    wallet_state.load_scripts(store);
    wallet_state.load_handed_out(store);
    wallet_state.load_ledger(store);
    wallet_state.ledger_.set_synced(store.sync_state().synced);
    // Whatever made the range grow was stored together with the new scripts.
    if (!wallet_state.take_new_scripts().empty()) throw store.damaged("scripts are missing");
    return wallet_state;
}

void WalletState::load_scripts(WalletStore& store) {
    std::array<std::vector<chain::Bytes>, kKeyChains.size()> scripts;
    store.for_each_script([&](StoredScript script) {
        const auto [chain, index] = script.path;
        auto& known = scripts[static_cast<std::size_t>(chain)];
        if (index != known.size()) throw store.damaged("scripts are missing");
        if (chain::classify(script.script) != script_type(ring_.kind())) {
            throw store.damaged("bad script");
        }
        known.push_back(std::move(script.script));
        if (ranges_.empty() || ranges_.back().chain != chain) {
            ranges_.push_back({chain, index, index});
        }
        ranges_.back().end = index + 1;
    });
    for (const KeyChain chain : kKeyChains) {
        auto& known = scripts[static_cast<std::size_t>(chain)];
        if (known.size() < ring_.look_ahead().watched) throw store.damaged("scripts are missing");
        ring_.restore_scripts(chain, std::move(known));
    }
}

void WalletState::load_handed_out(WalletStore& store) {
    for (const KeyChain chain : kKeyChains) {
        const std::uint32_t end = store.handed_out(chain);
        if (end > ring_.watched(chain)) throw store.damaged("scripts are missing");
        if (end > 0) ring_.mark_handed_out({chain, end - 1});
    }
}

void WalletState::load_ledger(WalletStore& store) {
    store.for_each_block([&](const LedgerBlock& block) {
        if (!ledger_.restore(block)) throw store.damaged("bad block");
    });
    const std::set<chain::Txid> announced = store.announced_txids();
    store.for_each_transaction([&](const StoredTransaction& stored) {
        const auto transaction = chain::decode_transaction(stored.raw);
        if (!transaction || transaction->txid() != stored.txid) {
            throw store.damaged("bad transaction");
        }
        auto entry = summarize(*transaction, stored.txid, credits_in(*transaction));
        if (!entry) throw store.damaged("impossible transaction");
        entry->announced = announced.contains(stored.txid);
        entry->stored_bytes = stored.raw.size();
        entry->seen_time = stored.seen_time;
        entry->seen_order = stored.seen_order;
        entry->placement = stored.placement;
        mark_used(entry->credits);
        if (!ledger_.restore(std::move(*entry))) throw store.damaged("contradicting transactions");
    });
}

std::optional<LedgerTransaction> WalletState::recognise(const chain::Transaction& transaction,
                                                        const chain::Txid& txid) const {
    auto credits = credits_in(transaction);
    if (credits.empty() && !ledger_.touches(transaction)) return std::nullopt;
    return summarize(transaction, txid, std::move(credits));
}

std::vector<Credit> WalletState::credits_in(const chain::Transaction& transaction) const {
    std::vector<Credit> credits;
    for (std::size_t i = 0; i < transaction.outputs.size(); ++i) {
        const chain::TxOutput& output = transaction.outputs[i];
        if (const auto path = ring_.find(output.script_pubkey)) {
            credits.push_back({static_cast<std::uint32_t>(i), output.value, *path});
        }
    }
    return credits;
}

void WalletState::mark_used(const std::vector<Credit>& credits) {
    for (const Credit& credit : credits) ring_.mark_used(credit.path);
}

std::vector<StoredScript> WalletState::take_new_scripts() {
    std::vector<StoredScript> scripts;
    for (const KeyChain chain : kKeyChains) {
        const std::uint32_t begin = watched_from_ranges(chain);
        const std::uint32_t end = ring_.watched(chain);
        if (begin == end) continue;
        ranges_.push_back({chain, begin, end});
        for (std::uint32_t index = begin; index < end; ++index) {
            scripts.push_back({{chain, index}, ring_.script_at({chain, index})});
        }
    }
    return scripts;
}

std::uint32_t WalletState::watched_from_ranges(KeyChain chain) const {
    std::uint32_t end = 0;
    for (const Range& range : ranges_) {
        if (range.chain == chain) end = range.end;
    }
    return end;
}

std::size_t WalletState::watched_scripts() const {
    std::size_t count = 0;
    for (const KeyChain chain : kKeyChains) count += ring_.watched(chain);
    return count;
}

chain::WatchList WalletState::watch_list() const {
    chain::WatchList list = ledger_.watched_outpoints();
    for (const auto& [chain, begin, end] : ranges_) {
        for (std::uint32_t index = begin; index < end; ++index) {
            const auto element = chain::watch_element(ring_.script_at({chain, index}));
            assert(!element.empty());
            list.elements.emplace_back(element.begin(), element.end());
        }
    }
    return list;
}

}  // namespace petal::wallet
