#include "tests/wallet/wallet_fixture.h"

#include "chain/script.h"
#include "wallet/extended_key.h"

namespace petal::test {

const chain::NetworkParams& regtest() {
    return *chain::find_network("regtest");
}

wallet::NewWallet new_wallet(std::uint32_t watched, std::uint32_t gap_limit) {
    wallet::NewWallet made;
    made.mnemonic = kMnemonic;
    made.look_ahead = {gap_limit, watched};
    return made;
}

WholeWallet all_of(const wallet::Wallet& wallet) {
    const auto list = wallet.watch_list();
    const auto state = wallet.sync_state();
    return {wallet.balance(), wallet.coins(), wallet.history(0),  list.elements,
            list.outpoints,   state.synced,   state.engine_memory};
}

void expect_equal(const WholeWallet& a, const WholeWallet& b) {
    EXPECT_EQ(a.balance, b.balance);
    EXPECT_EQ(a.coins, b.coins);
    EXPECT_EQ(a.history, b.history);
    EXPECT_TRUE(a.elements == b.elements);
    EXPECT_EQ(a.outpoints, b.outpoints);
    EXPECT_EQ(a.synced, b.synced);
    EXPECT_EQ(a.engine_memory, b.engine_memory);
}

void WalletFixture::reopen() {
    const WholeWallet before = all_of(*wallet);
    wallet.reset();
    wallet.emplace(wallet::Wallet::open(file, regtest(), wallet::Access::sync));
    expect_equal(all_of(*wallet), before);
}

void WalletFixture::mine(const std::vector<chain::Transaction>& transactions) {
    const auto& block = chain.mine(transactions);
    while (apply(block).grew) {
    }
}

chain::ApplyResult WalletFixture::apply(const chain::ProvenBlock& block, chain::ByteView memory) {
    return wallet->apply({&block, 1}, memory);
}

chain::Bytes WalletFixture::script(std::uint32_t index, wallet::KeyChain key_chain) const {
    // Not through the wallet: it has no address ahead of what it watches.
    const auto account =
        wallet::ExtendedPublicKey::parse(wallet->info().descriptors[0].substr(25, 111), regtest());
    const auto key = account->derive(static_cast<std::uint32_t>(key_chain))->derive(index);
    return wallet::script_for(wallet::ScriptKind::wpkh, key->key());
}

chain::Transaction WalletFixture::pay(chain::Satoshis value, std::uint32_t index,
                                      std::uint32_t from) const {
    return spend({foreign_coin(from)}, {{value, script(index)}});
}

std::int64_t WalletFixture::ask(const std::string& sql) const {
    SQLite::Database database(file.string(), SQLite::OPEN_READWRITE);
    return database.execAndGet(sql).getInt64();
}

void WalletFixture::execute(const std::string& sql) const {
    SQLite::Database database(file.string(), SQLite::OPEN_READWRITE);
    database.exec(sql);
}

}  // namespace petal::test
