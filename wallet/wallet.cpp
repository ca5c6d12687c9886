// Every change goes to the book in memory and to the store in one database transaction.
#include "wallet/wallet.h"

#include <algorithm>
#include <cassert>
#include <stdexcept>
#include <utility>

#include "wallet/address.h"
#include "wallet/book.h"
#include "wallet/descriptor.h"
#include "wallet/filter_secret.h"
#include "wallet/secret_box.h"
#include "wallet/strangers.h"
#include "wallet/wallet_keys.h"
#include "wallet/wallet_store.h"

namespace petal::wallet {

namespace {

Seed seed_of(const NewWallet& wallet) {
    const auto mnemonic = Mnemonic::parse(wallet.mnemonic);
    if (!mnemonic) throw std::invalid_argument(describe(mnemonic.error()));
    const auto seed = mnemonic->seed(wallet.passphrase);
    if (!seed) throw std::invalid_argument(std::string(describe(seed.error())));
    return *seed;
}

StoredIdentity identity_of(const NewWallet& wallet, const AccountKeys& keys,
                           const chain::NetworkParams& network) {
    StoredIdentity identity;
    identity.network = network.name;
    identity.kind = wallet.kind;
    identity.account_key = keys.account.to_string(network);
    identity.master_fingerprint = keys.master_fingerprint;
    identity.encrypted = !wallet.password.empty();
    identity.birthday = wallet.birthday;
    identity.look_ahead = wallet.look_ahead;
    return identity;
}

/// What the watcher's contract promises: ascending heights, and where there is no gap, each block
/// on the one before.
void check_order(std::span<const chain::ProvenBlock> blocks) {
    for (std::size_t i = 1; i < blocks.size(); ++i) {
        const chain::BlockRef& before = blocks[i - 1].block;
        const chain::ProvenBlock& block = blocks[i];
        assert(block.block.height > before.height);
        assert(block.block.height > before.height + 1 || block.header.previous == before.hash);
    }
}

SecretBytes open_box(const WalletStore& store, chain::ByteView box, std::string_view password,
                     const StoredIdentity& identity) {
    auto opened = open_secret(box, password, owner_of(identity));
    if (opened) return *std::move(opened);
    const std::string reason(describe(opened.error()));
    switch (opened.error()) {
        case SecretBoxError::wrong_password:
            throw WalletError(WalletError::Kind::bad_password, reason);
        case SecretBoxError::newer_version:
            throw WalletError(WalletError::Kind::newer_version, reason);
        case SecretBoxError::damaged:
        case SecretBoxError::unsupported_cost:
        case SecretBoxError::other_owner:
            break;
    }
    throw store.damaged(reason);
}

std::optional<chain::BlockRef> block_before(const chain::ProvenBlock& block) {
    if (block.block.height == 0) return std::nullopt;
    return chain::BlockRef{block.block.height - 1, block.header.previous};
}

}  // namespace

struct Wallet::State {
    State(WalletStore opened, const chain::NetworkParams& its_network)
        : store(std::move(opened)), network(its_network) {
        store.read([&] { identity = store.identity(); });
        if (identity.network != network.name) {
            throw WalletError(WalletError::Kind::wrong_network,
                              "wallet '" + store.file().string() + "' is of the network " +
                                  identity.network + ", not " + std::string(network.name));
        }
        static_cast<void>(book());
    }

    /// The wallet in memory, read again where a failed change has left nothing to rely on.
    Book& book() {
        if (!loaded) {
            store.read([&] { loaded.emplace(Book::load(store, identity, network)); });
        }
        return *loaded;
    }

    /// Does `work`, which changes book and store alike: both, or neither. `write` is one of the
    /// store's functions.
    template <typename Work>
    void change(void (WalletStore::*write)(const std::function<void()>&), Work work) {
        Book& current = book();
        try {
            (store.*write)([&] { work(current); });
        } catch (...) {
            loaded.reset();
            strangers = {};
            throw;
        }
    }

    // The following are called within change().

    void record(Book& current, const LedgerTransaction* changed,
                const chain::Transaction& transaction, bool known);
    bool confirm(Book& current, const chain::ProvenTransaction& proven, const LedgerBlock& block);
    void see(Book& current, LedgerTransaction entry, const chain::Transaction& transaction);
    std::size_t take_block(Book& current, const chain::ProvenBlock& block);
    bool take_unconfirmed(Book& current, const chain::UnconfirmedTransaction& transaction);
    void undo_above(Book& current, const std::optional<chain::BlockRef>& fork);
    void adopt_strangers(Book& current);
    bool store_new_scripts(Book& current);

    AddressEntry describe_address(KeyPath path, const std::map<KeyPath, chain::Satoshis>& received);

    WalletStore store;
    const chain::NetworkParams& network;
    StoredIdentity identity;
    std::optional<Book> loaded;
    Strangers strangers;
};

/// Stores a transaction after the ledger took it; `changed` is null where that changed nothing.
void Wallet::State::record(Book& current, const LedgerTransaction* changed,
                           const chain::Transaction& transaction, bool known) {
    if (changed == nullptr) return;
    if (known) {
        store.move_transaction(*changed);
        return;
    }
    store.add_transaction({changed->txid, transaction.serialize(), changed->seen_time,
                           changed->seen_order, changed->placement});
    current.mark_used(changed->credits);
}

bool Wallet::State::confirm(Book& current, const chain::ProvenTransaction& proven,
                            const LedgerBlock& block) {
    auto entry = current.recognise(proven.transaction, proven.txid);
    if (!entry) return false;
    assert(proven.transaction.txid() == proven.txid);
    const bool known = current.ledger().find(proven.txid) != nullptr;
    const auto* changed = current.ledger().confirm(std::move(*entry), block, proven.position);
    if (changed != nullptr) store.put_block(block);
    record(current, changed, proven.transaction, known);
    return true;
}

void Wallet::State::see(Book& current, LedgerTransaction entry,
                        const chain::Transaction& transaction) {
    const bool known = current.ledger().find(entry.txid) != nullptr;
    record(current, current.ledger().see(std::move(entry)), transaction, known);
}

/// Returns how many of the block's transactions concern the wallet.
std::size_t Wallet::State::take_block(Book& current, const chain::ProvenBlock& block) {
    // The block that made the list grow is not counted as synced: a reorganisation may have put
    // another in its place of which nobody told.
    if (current.ledger().contradicts(block.block)) undo_above(current, block_before(block));
    const LedgerBlock ledger_block{block.block, block.header.time};
    std::size_t relevant = 0;
    for (const chain::ProvenTransaction& proven : block.transactions) {
        if (confirm(current, proven, ledger_block)) ++relevant;
    }
    if (relevant != 0) adopt_strangers(current);
    return relevant;
}

/// Returns whether the watch list grew.
bool Wallet::State::take_unconfirmed(Book& current,
                                     const chain::UnconfirmedTransaction& transaction) {
    auto entry = current.recognise(transaction.transaction, transaction.txid);
    if (!entry) {
        strangers.add({transaction.txid, transaction.transaction, transaction.time});
        return false;
    }
    entry->seen_time = transaction.time;
    see(current, std::move(*entry), transaction.transaction);
    adopt_strangers(current);
    return store_new_scripts(current);
}

void Wallet::State::undo_above(Book& current, const std::optional<chain::BlockRef>& fork) {
    assert(fork);  // the genesis block is never undone
    current.ledger().undo_to(fork->height);
    store.undo_to(fork->height);
    const auto synced = current.ledger().synced();
    if (!synced || synced->height <= fork->height) return;
    current.ledger().set_synced(fork);
    store.set_synced(fork);
}

/// Unconfirmed transactions may come before what they spend.
void Wallet::State::adopt_strangers(Book& current) {
    const auto concerns = [&](const Strangers::Stranger& stranger) {
        return current.recognise(stranger.transaction, stranger.txid).has_value();
    };
    while (const auto stranger = strangers.take_first(concerns)) {
        auto entry = *current.recognise(stranger->transaction, stranger->txid);
        entry.seen_time = stranger->seen_time;
        see(current, std::move(entry), stranger->transaction);
    }
}

/// Stores what the key ring derived, and looks for it in the transactions that are known already.
/// Returns whether there was anything.
bool Wallet::State::store_new_scripts(Book& current) {
    bool grew = false;
    for (auto scripts = current.take_new_scripts(); !scripts.empty();
         scripts = current.take_new_scripts()) {
        grew = true;
        for (const StoredScript& script : scripts) store.add_script(script);
        store.for_each_transaction([&](const StoredTransaction& stored) {
            const auto transaction = chain::decode_transaction(stored.raw);
            if (!transaction) throw store.damaged("bad transaction");
            auto credits = current.credits_in(*transaction);
            current.mark_used(credits);
            current.ledger().set_credits(stored.txid, std::move(credits));
        });
    }
    return grew;
}

AddressEntry Wallet::State::describe_address(KeyPath path,
                                             const std::map<KeyPath, chain::Satoshis>& received) {
    const KeyRing& ring = book().ring();
    const auto payments = received.find(path);
    AddressEntry entry;
    entry.address = address_of(ring.script_at(path), network);
    entry.path = path;
    entry.path_text = full_path_to_string(ring.kind(), network.coin_type, path);
    entry.used = payments != received.end();
    if (entry.used) entry.received = payments->second;
    store.read([&] { entry.label = store.address_label(entry.address); });
    return entry;
}

Wallet Wallet::create(const std::filesystem::path& file, const chain::NetworkParams& network,
                      const NewWallet& wallet) {
    const Seed seed = seed_of(wallet);
    const AccountKeys keys = derive_account(seed, wallet.kind, network);
    const StoredIdentity identity = identity_of(wallet, keys, network);
    assert(wallet.look_ahead.gap_limit > 0);
    KeyRing ring(wallet.kind, keys.account, wallet.look_ahead);
    ring.extend();
    chain::Bytes box;
    if (identity.encrypted) {
        box = seal_secret(seed.view(), wallet.password, owner_of(identity), wallet.scrypt_cost);
    }
    Book book(std::move(ring));
    const chain::ByteView secret = identity.encrypted ? chain::ByteView(box) : seed.view();
    auto store = WalletStore::create(file, identity, secret, book.take_new_scripts());
    return Wallet(std::make_unique<State>(std::move(store), network));
}

Wallet Wallet::open(const std::filesystem::path& file, const chain::NetworkParams& network,
                    Access access) {
    return Wallet(std::make_unique<State>(WalletStore::open(file, access), network));
}

Wallet::Wallet(std::unique_ptr<State> state) : state_(std::move(state)) {}
Wallet::Wallet(Wallet&&) noexcept = default;
Wallet::~Wallet() = default;

chain::WatchList Wallet::watch_list() const {
    return state_->book().watch_list();
}

chain::FilterPadding Wallet::filter_padding() const {
    const KeyRing& ring = state_->book().ring();
    const std::size_t first = kKeyChains.size() * ring.look_ahead().watched;
    return {filter_secret(ring.account()), first};
}

chain::Birthday Wallet::birthday() const {
    return state_->identity.birthday;
}

chain::SyncState Wallet::sync_state() const {
    chain::SyncState result;
    state_->store.read([&] { result = state_->store.sync_state(); });
    return result;
}

chain::ApplyResult Wallet::apply(std::span<const chain::ProvenBlock> blocks,
                                 const chain::SyncState& state) {
    check_order(blocks);
    chain::ApplyResult result;
    state_->change(&WalletStore::write, [&](Book& book) {
        for (const chain::ProvenBlock& block : blocks) {
            result.relevant += state_->take_block(book, block);
            result.grew = state_->store_new_scripts(book);
            ++result.applied;
            if (result.grew) return;
        }
        book.ledger().set_synced(state.synced);
        state_->store.set_sync_state(state.synced, state.engine_memory);
    });
    return result;
}

void Wallet::undo_to(const chain::BlockRef& fork) {
    const Ledger& ledger = state_->book().ledger();
    const bool synced_above = ledger.synced() && ledger.synced()->height > fork.height;
    if (!synced_above && !ledger.has_blocks_above(fork.height)) return;
    state_->change(&WalletStore::write, [&](Book& book) { state_->undo_above(book, fork); });
}

bool Wallet::apply_unconfirmed(std::span<const chain::UnconfirmedTransaction> transactions,
                               const chain::SyncState& state) {
    bool grew = false;
    state_->change(&WalletStore::write, [&](Book& book) {
        for (const chain::UnconfirmedTransaction& transaction : transactions) {
            grew = state_->take_unconfirmed(book, transaction) || grew;
        }
        book.ledger().set_synced(state.synced);
        state_->store.set_sync_state(state.synced, state.engine_memory);
    });
    return grew;
}

bool Wallet::keep_own(const chain::Transaction& transaction, std::int64_t time) {
    const chain::Txid txid = transaction.txid();
    state_->change(&WalletStore::write, [&](Book& book) {
        state_->take_unconfirmed(book, {txid, transaction, time});
    });
    const auto entry = state_->book().ledger().entry(txid);
    if (!entry || entry->sent == 0) return false;
    const chain::Bytes raw = transaction.serialize();
    state_->store.write([&] { state_->store.set_announced(txid, raw); });
    return true;
}

std::vector<chain::OwnTransaction> Wallet::own_unconfirmed() const {
    const Ledger& ledger = state_->book().ledger();
    const std::vector<HistoryEntry> entries = ledger.own_unconfirmed();
    std::vector<chain::OwnTransaction> result;
    if (entries.empty()) return result;
    WalletStore& store = state_->store;
    // Nobody's word but a block's, or the user's own, ends what the user has had announced: peers
    // can make up conflicts.
    const auto is_replaced = [&](const HistoryEntry& entry) {
        if (!entry.replaced_by) return false;
        const auto winner = ledger.entry(*entry.replaced_by);
        return (winner && winner->height) || store.announced(*entry.replaced_by);
    };
    store.read([&] {
        for (const HistoryEntry& entry : entries) {
            const auto raw = store.announced(entry.txid);
            if (!raw || is_replaced(entry)) continue;
            auto transaction = chain::decode_transaction(*raw);
            if (!transaction) throw store.damaged("bad transaction");
            result.push_back({*std::move(transaction), entry.fee});
        }
    });
    return result;
}

Seed Wallet::seed(std::string_view password) const {
    const WalletStore& store = state_->store;
    const StoredIdentity& identity = state_->identity;
    StoredSecret secret = store.secret();
    if (secret.encrypted) secret.bytes = open_box(store, secret.bytes, password, identity);
    if (secret.bytes.size() != Seed::size()) throw store.damaged("bad seed");
    const Seed seed(secret.bytes);
    // Whoever could write to the file could have put his own keys in their place.
    const AccountKeys keys = derive_account(seed, identity.kind, state_->network);
    if (keys.account.to_string(state_->network) != identity.account_key ||
        keys.master_fingerprint != identity.master_fingerprint) {
        throw store.damaged("its public keys are not those of its secret");
    }
    return seed;
}

void Wallet::encrypt(std::string_view old_password, std::string_view password, ScryptCost cost) {
    assert(!password.empty());
    StoredIdentity& identity = state_->identity;
    const Seed sealed = seed(old_password);
    state_->store.replace_secret(seal_secret(sealed.view(), password, owner_of(identity), cost));
    identity.encrypted = true;
}

WalletInfo Wallet::info() const {
    const StoredIdentity& identity = state_->identity;
    const Book& book = state_->book();
    WalletInfo info;
    info.name = state_->store.file().stem().string();
    info.kind = identity.kind;
    info.fingerprint = chain::to_hex(identity.master_fingerprint);
    const PublicAccount account{identity.kind, identity.master_fingerprint, book.ring().account()};
    for (const KeyChain chain : kKeyChains) {
        info.descriptors.push_back(to_descriptor(account, chain, state_->network));
    }
    info.encrypted = identity.encrypted;
    info.birthday = identity.birthday;
    info.synced = book.ledger().synced();
    return info;
}

Balance Wallet::balance() const {
    return state_->book().ledger().balance();
}

std::vector<Coin> Wallet::coins() const {
    const Book& book = state_->book();
    std::vector<Coin> coins = book.ledger().coins();
    for (Coin& coin : coins) coin.script_pubkey = book.ring().script_at(coin.path);
    return coins;
}

std::vector<HistoryEntry> Wallet::history(std::size_t limit) const {
    return state_->book().ledger().history(limit);
}

std::optional<HistoryEntry> Wallet::transaction(const chain::Txid& txid) const {
    return state_->book().ledger().entry(txid);
}

std::optional<chain::Satoshis> Wallet::fee_of(const chain::Transaction& transaction) const {
    return state_->book().ledger().fee_of(transaction);
}

std::vector<AddressEntry> Wallet::addresses(KeyChain chain, std::uint32_t unused_ahead) const {
    const Book& book = state_->book();
    const auto received = book.ledger().received();
    const std::uint32_t issued = book.ring().issued_end(chain);
    const std::uint32_t ahead = std::min(unused_ahead, book.ring().watched(chain) - issued);
    std::vector<AddressEntry> result;
    for (std::uint32_t index = 0; index < issued + ahead; ++index) {
        result.push_back(state_->describe_address({chain, index}, received));
    }
    return result;
}

AddressEntry Wallet::receive_address(bool hand_out) {
    const KeyRing& ring = state_->book().ring();
    const KeyPath path{KeyChain::receive, ring.issued_end(KeyChain::receive)};
    // Whoever is given a wrong address pays nobody.
    if (!ring.is_genuine(path)) throw state_->store.damaged("a wrong address");
    AddressEntry entry = state_->describe_address(path, {});
    if (hand_out) {
        state_->change(&WalletStore::write_durably, [&](Book& book) {
            book.ring().mark_handed_out(path);
            state_->store.set_handed_out(path.chain, path.index + 1);
            state_->store_new_scripts(book);
        });
    }
    return entry;
}

void Wallet::set_label(const AddressEntry& address, const std::string& label) {
    state_->change(&WalletStore::write_durably,
                   [&](Book&) { state_->store.set_address_label(address.address, label); });
}

}  // namespace petal::wallet
