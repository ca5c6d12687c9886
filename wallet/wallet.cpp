// The parts of wallet.h about syncing and transactions.
#include "wallet/wallet.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <set>
#include <stdexcept>
#include <utility>

#include "chain/enum_table.h"
#include "wallet/keys/filter_secret.h"
#include "wallet/keys/normal_form.h"
#include "wallet/keys/secret_box.h"
#include "wallet/ledger/conflicts.h"
#include "wallet/ledger/expiry.h"
#include "wallet/private_keys.h"
#include "wallet/store/wallet_file.h"
#include "wallet/store/wallet_store.h"
#include "wallet/wallet_changes.h"
#include "wallet/wallet_descriptors.h"

namespace petal::wallet {

namespace {

Seed seed_of(const NewWallet& wallet) {
    const auto mnemonic = Mnemonic::parse(wallet.mnemonic);
    if (!mnemonic) {
        MnemonicError error = mnemonic.error();
        error.word.clear();  // an exception's text is not wiped
        error.suggestion = {};
        throw std::invalid_argument(std::string(describe(error)));
    }
    const auto seed = mnemonic->seed(wallet.passphrase);
    if (!seed) throw std::invalid_argument(std::string(describe(seed.error())));
    return *seed;
}

StoredIdentity identity_of(const NewWallet& wallet, const AccountKeys& keys,
                           const chain::NetworkParams& network) {
    StoredIdentity identity;
    identity.network = network.name;
    identity.kind = wallet.account.kind;
    identity.account_key = keys.account.to_string(network);
    identity.master_fingerprint = keys.master_fingerprint;
    identity.encrypted = !wallet.password.empty();
    identity.birthday = wallet.birthday;
    identity.look_ahead = wallet.look_ahead;
    return identity;
}

/// Moves a transaction and its parents to `to`, parents first.
// NOLINTNEXTLINE(misc-no-recursion): bounded by the length of a chain of unconfirmed payments
void move_with_parents(const chain::Txid& txid, std::map<chain::Txid, chain::OwnTransaction>& from,
                       std::vector<chain::OwnTransaction>& to) {
    auto own = from.extract(txid);
    if (own.empty()) return;
    for (const chain::TxInput& input : own.mapped().transaction.inputs) {
        move_with_parents(input.prevout.txid, from, to);
    }
    to.push_back(std::move(own.mapped()));
}

/// Reorders transactions so that parents precede children. After a reorganisation, a parent may be
/// seen later than its child.
std::vector<chain::OwnTransaction> parents_first(
    std::vector<chain::OwnTransaction>&& transactions) {
    std::vector<chain::Txid> order;
    std::map<chain::Txid, chain::OwnTransaction> open;
    for (chain::OwnTransaction& own : transactions) {
        order.push_back(own.transaction.txid());
        open.try_emplace(order.back(), std::move(own));
    }
    std::vector<chain::OwnTransaction> result;
    for (const chain::Txid& txid : order) move_with_parents(txid, open, result);
    return result;
}

/// Checks the contract of Watcher::apply(): ascending heights and, for consecutive heights, each
/// block the child of the previous block.
void check_order(std::span<const chain::ProvenBlock> blocks) {
    for (std::size_t i = 1; i < blocks.size(); ++i) {
        const chain::BlockRef& before = blocks[i - 1].block;
        const chain::ProvenBlock& block = blocks[i];
        assert(block.block.height > before.height);
        assert(block.block.height > before.height + 1 || block.header.previous == before.hash);
    }
}

}  // namespace

Wallet Wallet::create(const std::filesystem::path& file, const chain::NetworkParams& network,
                      const NewWallet& wallet) {
    const Seed seed = seed_of(wallet);
    const AccountKeys keys = derive_account(seed, wallet.account, network);
    const StoredIdentity identity = identity_of(wallet, keys, network);
    assert(wallet.look_ahead.gap_limit > 0);
    assert(wallet.accounts == 1 || (wallet.any_type && wallet.accounts > 0));
    chain::Bytes box;
    if (identity.encrypted) {
        box = seal_secret(seed.view(), normal_password(wallet.password), owner_of(identity, {}),
                          wallet.scrypt_cost);
    }
    auto wallet_state = WalletState::with_new(
        wallet.any_type ? candidate_descriptors(seed, identity,
                                                {wallet.account.number, wallet.accounts}, network)
                        : account_descriptors(identity, keys.account, network));
    const chain::ByteView secret = identity.encrypted ? chain::ByteView(box) : seed.view();
    const auto scripts = wallet_state.take_new_scripts();
    std::vector<StoredDescriptor> stored;
    std::optional<chain::FilterPadding> padding;
    if (wallet.any_type) {
        for (const auto& one : wallet_state.descriptors()) stored.push_back(one.stored);
        padding = {filter_secret(keys.account), scripts.size()};
    }
    auto store = WalletStore::create(file, {identity, secret, stored, scripts, padding});
    return Wallet(std::make_unique<State>(std::move(store), network));
}

Wallet Wallet::open(const std::filesystem::path& file, const chain::NetworkParams& network,
                    Access access) {
    return Wallet(std::make_unique<State>(WalletStore::open(file, access), network));
}

void Wallet::rename(const std::filesystem::path& file, const std::filesystem::path& to,
                    const std::function<void()>& move_beside) {
    rename_wallet_file(file, to, move_beside);
}

void Wallet::remove(const std::filesystem::path& file) {
    remove_wallet_file(file);
}

Wallet::Wallet(std::unique_ptr<State> state) : state_(std::move(state)) {}
Wallet::Wallet(Wallet&&) noexcept = default;
Wallet::~Wallet() = default;

std::vector<chain::Bytes> Wallet::watched_elements(std::size_t first) const {
    return state_->wallet_state().watched_elements(first);
}

std::vector<chain::Bytes> Wallet::watched_scripts() const {
    return state_->wallet_state().watched_scripts();
}

std::size_t Wallet::watched_count() const {
    return state_->wallet_state().watched_count();
}

std::vector<std::vector<chain::Bytes>> Wallet::awaited_elements() const {
    return state_->wallet_state().awaited_elements();
}

chain::WatchedOutpoints Wallet::watched_outpoints() const {
    return state_->wallet_state().view().watched_outpoints();
}

chain::FilterPadding Wallet::filter_padding() const {
    std::optional<chain::FilterPadding> stored;
    state_->store.read([&] { stored = state_->store.watched().filter_padding(); });
    if (stored) return *stored;
    const StoredIdentity& identity = state_->identity;
    const auto account = account_key(state_->store, identity, state_->network);
    return {filter_secret(account), kKeyChains.size() * identity.look_ahead.watched};
}

chain::Birthday with_margin(chain::Birthday birthday) {
    constexpr std::int64_t kDay = 86'400;
    birthday.time = std::max<std::int64_t>(birthday.time - kDay, 0);
    return birthday;
}

chain::Birthday Wallet::birthday() const {
    return with_margin(state_->identity.birthday);
}

chain::SyncState Wallet::sync_state() const {
    chain::SyncState result;
    state_->store.read([&] { result = state_->store.sync().state(); });
    return result;
}

chain::ApplyResult Wallet::apply(std::span<const chain::ProvenBlock> blocks,
                                 const chain::StateAfter& state_after) {
    check_order(blocks);
    chain::ApplyResult result;
    state_->change(&WalletStore::write, [&](WalletState& wallet_state) {
        for (const chain::ProvenBlock& block : blocks) {
            state_->intake.take_block(wallet_state, block, result);
            // If another process has made the list grow, this block was searched without the new
            // elements.
            result.grew = state_->intake.store_new_scripts(wallet_state) || state_->has_grown;
            ++result.applied;
            if (result.grew) break;
        }
        const chain::SyncState state = state_after(result);
        if (result.grew) {
            // Lower blocks may not be covered by `synced`, and higher blocks may be, if this block
            // was searched again.
            state_->intake.lower_synced(wallet_state, state.synced);
            state_->intake.lower_synced(wallet_state, block_before(blocks[result.applied - 1]));
            return;
        }
        state_->intake.expire_unconfirmed(wallet_state);
        state_->store_sync_state(state);
    });
    if (result.grew) state_->has_grown = false;
    return result;
}

std::optional<std::uint32_t> Wallet::take_unsearched_from() {
    return state_->intake.take_unsearched_from();
}

bool Wallet::refresh() {
    state_->read([](const WalletState&) {});
    return std::exchange(state_->has_grown, false);
}

std::int64_t Wallet::changes_of_others() const {
    return state_->loaded_version;
}

std::vector<chain::BlockRef> Wallet::blocks_above(std::uint32_t height) const {
    return state_->wallet_state().ledger().blocks().above(height);
}

void Wallet::undo_to(const chain::BlockRef& fork) {
    const Ledger& ledger = state_->wallet_state().ledger();
    const bool synced_above = ledger.synced() && ledger.synced()->height > fork.height;
    if (!synced_above && !ledger.blocks().any_above(fork.height)) return;
    state_->change(&WalletStore::write, [&](WalletState& wallet_state) {
        state_->intake.undo_above(wallet_state, fork);
    });
}

void Wallet::forget_undone(const chain::SyncState& state) {
    state_->change(&WalletStore::write, [&](WalletState& wallet_state) {
        wallet::forget_undone(state_->store, wallet_state);
        state_->store_sync_state(state);
    });
}

bool Wallet::apply_unconfirmed(std::span<const chain::UnconfirmedTransaction> transactions,
                               std::span<const chain::PresentSources> sources,
                               const chain::SyncState& state) {
    bool grew = false;
    state_->change(&WalletStore::write, [&](WalletState& wallet_state) {
        for (const chain::UnconfirmedTransaction& transaction : transactions) {
            state_->intake.take_unconfirmed(wallet_state, transaction,
                                            TransactionIntake::Source::peer);
            grew = state_->intake.store_new_scripts(wallet_state) || grew;
        }
        // Once per batch, so that the time does not depend much on transactions of the wallet.
        state_->intake.adopt_orphans(wallet_state);
        grew = state_->intake.store_new_scripts(wallet_state) || grew;
        take_sources(state_->store, wallet_state, sources);
        state_->store_sync_state(state);
    });
    return std::exchange(state_->has_grown, false) || grew;
}

namespace {

std::optional<SpendFlaw> find_flaw(const chain::Transaction& transaction,
                                   const WalletState& wallet_state, WalletStore& store) {
    const chain::Txid txid = transaction.txid();
    for (std::size_t i = 0; i < transaction.inputs.size(); ++i) {
        const auto* spender =
            wallet_state.ledger().spends().confirmed_spender(transaction.inputs[i].prevout);
        if (spender != nullptr && spender->txid != txid) return SpendFlaw{i, spender->txid, {}};
    }
    // A spend that cannot be verified, because foreign outputs are unknown or its script uses
    // what is reserved for soft forks, may be valid.
    const auto spent = known_outputs_spent(wallet_state, store, transaction);
    const auto refused = find_refused_spend(transaction, spent);
    if (!refused || refused->may_be_valid) return std::nullopt;
    return SpendFlaw{
        refused->index, {}, std::string(refused->reason), spent[refused->index]->is_own};
}

}  // namespace

std::optional<SpendFlaw> Wallet::flaw_of(const chain::Transaction& transaction) const {
    std::optional<SpendFlaw> flaw;
    state_->read([&](const WalletState& wallet_state) {
        flaw = find_flaw(transaction, wallet_state, state_->store);
    });
    return flaw;
}

bool Wallet::keep_own(const chain::Transaction& transaction, std::int64_t time) {
    bool kept = false;
    state_->change(&WalletStore::write_durably, [&](WalletState& wallet_state) {
        if (find_flaw(transaction, wallet_state, state_->store)) return;
        kept = state_->intake.take_own(wallet_state, transaction, time);
    });
    return kept;
}

// Also accepts a spend of a spent coin of the wallet, because this transaction may replace the
// spender.
bool Wallet::keep_own_spend(const chain::Transaction& transaction, std::int64_t time) {
    bool is_own = false;
    state_->read([&](const WalletState& wallet_state) {
        is_own = is_own_spend(wallet_state.ledger(), transaction);
    });
    return is_own && keep_own(transaction, time);
}

std::string_view describe(AbandonError error) {
    using enum AbandonError;
    static constexpr auto kTexts = chain::enum_table<AbandonError, std::string_view>({
        {unknown, "the wallet has no such transaction"},
        {confirmed, "the transaction is in a block"},
    });
    return kTexts[error];
}

chain::Expected<std::vector<chain::Txid>, AbandonError> Wallet::abandon(const chain::Txid& txid) {
    std::optional<AbandonError> error;
    std::vector<chain::Txid> abandoned;
    state_->change(&WalletStore::write_durably, [&](WalletState& wallet_state) {
        const LedgerTransaction* known = wallet_state.ledger().find(txid);
        if (known == nullptr) {
            error = AbandonError::unknown;
        } else if (known->placement) {
            error = AbandonError::confirmed;
        } else {
            abandoned = with_descendants(wallet_state.ledger(), txid);
            forget(state_->store, wallet_state, abandoned);
        }
    });
    if (error) return chain::Unexpected(*error);
    return abandoned;
}

std::vector<chain::OwnTransaction> Wallet::own_unconfirmed() const {
    const LedgerView view = state_->wallet_state().view();
    const std::vector<HistoryEntry> entries = view.own_unconfirmed();
    std::vector<chain::OwnTransaction> result;
    if (entries.empty()) return result;
    WalletStore& store = state_->store;
    // Only a block or the user can end the rebroadcast of a transaction, because peers can
    // fabricate conflicts.
    const auto is_replaced = [&](const HistoryEntry& entry) {
        if (!entry.replaced_by) return false;
        const auto winner = view.entry(*entry.replaced_by);
        return (winner && winner->height) || store.announced().find(*entry.replaced_by);
    };
    store.read([&] {
        for (const HistoryEntry& entry : entries) {
            const auto raw = store.announced().find(entry.txid);
            if (!raw || is_replaced(entry)) continue;
            auto transaction = chain::decode_transaction(*raw);
            if (!transaction) throw store.damaged("bad transaction");
            result.push_back({*std::move(transaction), entry.fee});
        }
    });
    return parents_first(std::move(result));
}

void Wallet::rescan(const chain::Birthday& birthday) {
    state_->change(&WalletStore::write_durably, [&](WalletState& wallet_state) {
        state_->intake.search_again_above(wallet_state, std::nullopt);
        state_->store.set_birthday(birthday);
    });
    state_->identity.birthday = birthday;
}

void Wallet::rescan_above(const chain::BlockRef& kept) {
    state_->change(&WalletStore::write_durably, [&](WalletState& wallet_state) {
        state_->intake.search_again_above(wallet_state, kept);
    });
}

void Wallet::forget_blocks() {
    state_->change(&WalletStore::write_durably,
                   [&](WalletState& current) { state_->intake.forget_blocks(current); });
}

std::optional<KnownTransaction> Wallet::known_transaction(const chain::Txid& txid) const {
    WalletStore& store = state_->store;
    std::optional<KnownTransaction> result;
    // Reads changes of other processes, so that proof and position are from the same state.
    state_->read([&](const WalletState& current) {
        const LedgerTransaction* known = current.ledger().find(txid);
        if (known == nullptr) return;
        // After a reorganisation, an unconfirmed transaction may be stored without witnesses.
        const auto announced = known->placement ? std::nullopt : store.announced().find(txid);
        auto transaction =
            chain::decode_transaction(announced ? *announced : store.transactions().raw(txid));
        if (!transaction) throw store.damaged("bad transaction");
        result = {*std::move(transaction),
                  {},
                  store.merkle_proofs().find(txid),
                  known->shown,
                  store.replacements().contains(txid)};
        if (known->placement) result->position = known->placement->position;
    });
    return result;
}

Balance Wallet::balance() const {
    Balance balance = state_->wallet_state().view().balance();
    const std::set<std::string> frozen = state_->frozen_outputs();
    if (frozen.empty()) return balance;
    for (const Coin& coin : state_->wallet_state().view().coins()) {
        const bool is_frozen = frozen.contains(coin.outpoint.to_string());
        if (is_frozen) balance.frozen = add_amounts(balance.frozen, coin.value);
    }
    return balance;
}

std::vector<Coin> Wallet::coins() const {
    const WalletState& wallet_state = state_->wallet_state();
    std::vector<Coin> coins = wallet_state.view().coins();
    const bool has_keys = !wallet_state.is_watch_only();
    const Labels labels = state_->addresses.labels();
    const std::set<std::string> frozen = state_->frozen_outputs();
    for (Coin& coin : coins) {
        coin.frozen = frozen.contains(coin.outpoint.to_string());
        coin.script_pubkey = wallet_state.ring().script_at(coin.path);
        coin.watched = has_keys && !wallet_state.path_with_keys(coin.script_pubkey);
        coin.spendable = coin.spendable && !coin.frozen && !coin.watched;
        coin.path_text = path_text(coin.path);
        coin.label = state_->addresses.label_of(wallet_state, coin, labels);
    }
    return coins;
}

std::vector<HistoryEntry> Wallet::history(std::size_t limit) const {
    const WalletState& wallet_state = state_->wallet_state();
    auto history = wallet_state.view().history(limit);
    const Labels labels = state_->addresses.labels();
    for (HistoryEntry& entry : history) {
        entry.label = state_->addresses.label_of(wallet_state, entry, labels);
    }
    return history;
}

std::optional<HistoryEntry> Wallet::transaction(const chain::Txid& txid) const {
    const WalletState& wallet_state = state_->wallet_state();
    const AddressBook& addresses = state_->addresses;
    auto entry = wallet_state.view().entry(txid);
    if (entry) entry->label = addresses.label_of(wallet_state, *entry, addresses.labels());
    return entry;
}

std::optional<chain::Satoshis> Wallet::fee_of(const chain::Transaction& transaction) const {
    return wallet::fee_of(state_->wallet_state().ledger(), transaction);
}

}  // namespace petal::wallet
