// Changes of the WalletState in memory and of the store, in one database transaction.
#include "wallet/wallet_changes.h"

#include <utility>

#include "wallet/ledger/conflicts.h"
#include "wallet/ledger/relatives.h"
#include "wallet/spending/sizes.h"

namespace petal::wallet {

Wallet::State::State(WalletStore opened, const chain::NetworkParams& its_network)
    : store(std::move(opened)), network(its_network), addresses(store, network), intake(store) {
    store.read([&] { identity = store.identity(); });
    if (identity.network != network.name) {
        throw WalletError(WalletError::Kind::wrong_network,
                          "wallet '" + store.file().string() + "' is of the network " +
                              identity.network + ", not " + std::string(network.name));
    }
    static_cast<void>(wallet_state());
}

WalletState& Wallet::State::wallet_state() {
    if (!loaded) {
        store.read([&] {
            loaded.emplace(WalletState::load(store, identity, network));
            loaded_version = store.data_version();
            intake.start_from(loaded->ledger());
        });
    }
    return *loaded;
}

// Reads everything, which is correct for any change of another process.
void Wallet::State::read_changes() {
    const std::int64_t version = store.data_version();
    if (version == loaded_version) return;
    const WalletState before = *std::exchange(loaded, WalletState::load(store, identity, network));
    loaded_version = version;
    intake.start_from(loaded->ledger());
    if (loaded->watched_count() == before.watched_count()) return;
    has_grown = true;
    for (const LedgerTransaction& now : loaded->ledger().transactions()) {
        const LedgerTransaction* const known = before.ledger().find(now.txid);
        const LedgerTransaction& placed = known != nullptr && known->placement ? *known : now;
        const std::size_t credits = known != nullptr ? known->credits.size() : 0;
        // The other process has undone the block, wants it searched again, or has found outputs in
        // it.
        const bool awaits_search = now.awaits_search && !placed.awaits_search;
        const bool is_changed = !now.placement || awaits_search || credits < now.credits.size();
        if (placed.placement && is_changed) {
            intake.mark_unsearched(placed.placement->height);
        }
    }
}

void Wallet::State::store_sync_state(const chain::SyncState& state) {
    auto synced = state.synced;
    const auto unsearched_from = intake.unsearched_from();
    if (synced && unsearched_from && synced->height >= *unsearched_from) {
        synced = loaded->ledger().synced();
    }
    intake.set_synced(*loaded, synced);
    store.sync().set_state(synced, state.sync_checkpoint);
}

std::set<std::string> Wallet::State::frozen_outputs() {
    std::set<std::string> frozen;
    store.read([&] { frozen = store.labels().frozen_outputs(); });
    return frozen;
}

std::vector<UnconfirmedRelative> Wallet::State::relatives_of(
    const std::set<chain::Txid>& spent, const std::optional<chain::Txid>& replaced) {
    std::vector<UnconfirmedRelative> result;
    read([&](const WalletState& current) {
        const Ledger& ledger = current.ledger();
        for (const LedgerTransaction* each : unconfirmed_relatives(ledger, spent, replaced)) {
            const auto transaction =
                chain::decode_transaction(store.transactions().raw(each->txid));
            if (!transaction) throw store.damaged("bad transaction");
            std::vector<std::optional<SpendForm>> forms;
            std::vector<chain::Txid> parents;
            for (const chain::TxInput& input : transaction->inputs) {
                const Credit* const credit = ledger.credit(input.prevout);
                forms.push_back(credit != nullptr
                                    ? current.descriptor(credit->path.descriptor).spend_form()
                                    : std::nullopt);
                parents.push_back(input.prevout.txid);
            }
            result.push_back({each->txid, std::move(parents), unconfirmed_size(*transaction, forms),
                              known_fee(ledger, *each)});
        }
    });
    return result;
}

WalletError Wallet::State::watch_only() const {
    return {WalletError::Kind::watch_only, "the wallet is watch-only: it has no private keys"};
}

}  // namespace petal::wallet
