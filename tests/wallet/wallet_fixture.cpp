#include "tests/wallet/wallet_fixture.h"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <map>
#include <stdexcept>

#include "chain/script/script.h"
#include "tests/support/signing.h"
#include "wallet/keys/key_path.h"
#include "wallet/keys/mnemonic.h"
#include "wallet/store/script_table.h"

namespace petal::test {

wallet::NewWallet new_wallet(std::uint32_t watched, std::uint32_t gap_limit,
                             wallet::Account account) {
    wallet::NewWallet made;
    made.mnemonic = kMnemonic;
    made.account = account;
    made.look_ahead = {gap_limit, watched};
    return made;
}

wallet::ExtendedPublicKey account_of(const wallet::Wallet& wallet) {
    constexpr std::size_t kKeyLength = 111;
    const std::string descriptor = wallet.info().descriptors[0];
    return *wallet::ExtendedPublicKey::parse(
        descriptor.substr(descriptor.find(']') + 1, kKeyLength), regtest_params());
}

namespace {

using KeysByScript = std::map<chain::Bytes, chain::Bytes>;

KeysByScript derive_keys(wallet::ScriptKind kind) {
    constexpr std::uint32_t kScripts = 200;
    const auto seed = wallet::Mnemonic::parse(kMnemonic)->seed("");
    const auto master = wallet::ExtendedPrivateKey::from_seed(seed->view());
    const auto account =
        master->derive_path(wallet::account_path({kind}, regtest_params().coin_type));
    KeysByScript result;
    for (const wallet::KeyChain key_chain : wallet::kKeyChains) {
        const auto parent = account->derive(static_cast<std::uint32_t>(key_chain));
        for (std::uint32_t index = 0; index < kScripts; ++index) {
            const auto key = parent->derive(index);
            const auto view = key->key().view();
            result[wallet::script_for(kind, key->public_key().key())] = {view.begin(), view.end()};
        }
    }
    return result;
}

/// The private key for a script of kMnemonic's first accounts; null if the script is not theirs.
const chain::Bytes* find_key(const chain::Bytes& script) {
    static std::map<wallet::ScriptKind, KeysByScript> keys;
    for (const wallet::ScriptKind kind : wallet::kScriptKinds) {
        if (wallet::script_type(kind) != chain::classify(script)) continue;
        KeysByScript& of_kind = keys[kind];
        if (of_kind.empty()) of_kind = derive_keys(kind);
        const auto key = of_kind.find(script);
        return key == of_kind.end() ? nullptr : &key->second;
    }
    return nullptr;
}

}  // namespace

chain::Transaction sign(chain::Transaction transaction,
                        std::span<const chain::Transaction> funding) {
    for (const chain::Transaction& source : funding) {
        const chain::Txid txid = source.txid();
        for (std::size_t i = 0; i < transaction.inputs.size(); ++i) {
            const chain::Outpoint& prevout = transaction.inputs[i].prevout;
            if (prevout.txid != txid) continue;
            const chain::TxOutput& spent = source.outputs.at(prevout.index);
            const chain::Bytes* const key = find_key(spent.script_pubkey);
            if (key != nullptr) sign_input(transaction, i, *key, spent);
        }
    }
    return transaction;
}

chain::Transaction sign_together(chain::Transaction transaction,
                                 std::span<const chain::TxOutput> spent) {
    for (std::size_t i = 0; i < transaction.inputs.size(); ++i) {
        const chain::Bytes* const key = find_key(spent[i].script_pubkey);
        if (key != nullptr) sign_input(transaction, i, *key, spent[i], spent);
    }
    return transaction;
}

bool see(wallet::Wallet& wallet, const chain::Transaction& transaction, std::int64_t time) {
    const chain::UnconfirmedTransaction seen{transaction.txid(), transaction, time};
    return wallet.apply_unconfirmed({&seen, 1}, wallet.sync_state());
}

WholeWallet all_of(const wallet::Wallet& wallet) {
    const auto state = wallet.sync_state();
    return {wallet.balance(),           wallet.coins(),
            wallet.history(0),          wallet.watched_elements(0),
            wallet.watched_outpoints(), state.synced,
            state.sync_checkpoint};
}

void expect_equal(const WholeWallet& a, const WholeWallet& b) {
    EXPECT_EQ(a.balance, b.balance);
    EXPECT_EQ(a.coins, b.coins);
    EXPECT_EQ(a.history, b.history);
    EXPECT_EQ(a.elements, b.elements);
    EXPECT_TRUE(a.outpoints == b.outpoints);
    EXPECT_EQ(a.synced, b.synced);
    EXPECT_EQ(a.sync_checkpoint, b.sync_checkpoint);
}

ChildProcess::ChildProcess(const std::function<void(const std::function<void()>& begun)>& work) {
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0) throw std::runtime_error("no pipe");
    process_ = ::fork();
    if (process_ == 0) {
        ::close(ends[0]);
        try {
            work([&] { static_cast<void>(::close(ends[1])); });
        } catch (const std::exception& error) {
            std::fprintf(stderr, "child: %s\n", error.what());
        }
        ::_exit(0);
    }
    ::close(ends[1]);
    char byte = 0;
    static_cast<void>(::read(ends[0], &byte, 1) == 0);  // until the child closes its end
    ::close(ends[0]);
}

ChildProcess::~ChildProcess() {
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
}

void WalletFixture::reopen() {
    const WholeWallet before = all_of(*wallet);
    wallet.reset();
    wallet.emplace(wallet::Wallet::open(file, regtest_params(), wallet::Access::sync));
    expect_equal(all_of(*wallet), before);
}

void WalletFixture::mine(const std::vector<chain::Transaction>& transactions) {
    const std::uint32_t height = chain.mine(transactions).block.height;
    while (apply(chain.at(height)).grew) {
        auto next = wallet->take_unsearched_from().value_or(height);
        for (; next < height; ++next) apply(chain.at(next));
    }
}

chain::ApplyResult WalletFixture::apply(const chain::ProvenBlock& block, chain::ByteView memory) {
    return wallet->apply({&block, 1}, state_after(block, memory));
}

chain::SyncState WalletFixture::state_after(const chain::ProvenBlock& last,
                                            chain::ByteView memory) const {
    chain::SyncState state = wallet->sync_state();
    if (!state.synced || state.synced->height < last.block.height) state.synced = last.block;
    state.sync_checkpoint.assign(memory.begin(), memory.end());
    return state;
}

chain::Bytes WalletFixture::script(std::uint32_t index, wallet::KeyChain key_chain) const {
    // This cannot use the wallet, which derives no keys beyond its watch list and may be closed.
    const auto key = account.derive(static_cast<std::uint32_t>(key_chain))->derive(index);
    return wallet::script_for(kind, key->key());
}

chain::Transaction WalletFixture::pay(chain::Satoshis value, std::uint32_t index,
                                      std::optional<std::uint32_t> from) const {
    constexpr std::uint32_t kFirstOther = 1'000'000;
    const auto other = static_cast<std::uint32_t>(1'000 * value) + index;
    return spend({foreign_coin(from.value_or(kFirstOther + other))}, {{value, script(index)}});
}

std::int64_t WalletFixture::ask(const std::string& sql) const {
    SQLite::Database database(file.string(), SQLite::OPEN_READWRITE);
    return database.execAndGet(sql).getInt64();
}

void WalletFixture::execute(const std::string& sql) const {
    SQLite::Database database(file.string(), SQLite::OPEN_READWRITE);
    database.exec(sql);
}

void WalletFixture::change_scripts(const std::string& sql) const {
    execute(sql);
    SQLite::Database database(file.string(), SQLite::OPEN_READWRITE);
    wallet::renew_script_digest(database);
}

}  // namespace petal::test
