// Wallets of several descriptors: their file, their growth, and imports into them.
#include <gtest/gtest.h>

#include "chain/hash.h"
#include "chain/script/script.h"
#include "tests/wallet/wallet_fixture.h"
#include "wallet/descriptors/address.h"
#include "wallet/descriptors/new_descriptors.h"
#include "wallet/store/wallet_schema.h"

namespace petal::wallet {
namespace {

using chain::Bytes;
using test::error_of;
using test::foreign_coin;
using test::output_of;
using test::regtest_params;
using test::spend;
using Kind = WalletError::Kind;
using Texts = std::vector<std::string>;

constexpr LookAhead kSmall{20, 50};

// Two keys of BIP380's examples.
constexpr const char* kKey = "03a34b99f22c790c4e36b2b3c2c35a36db06226e41c692fc82b8b56ac1c540c5bd";
constexpr const char* kOtherKey =
    "0260b2003c386519fc9eadf2b5cf124dd8eea4c4e68d5e154050a9346ea98ce600";

std::vector<NewDescriptor> parsed(const Texts& texts) {
    auto descriptors = parse_new_descriptors(texts, regtest_params());
    EXPECT_TRUE(descriptors) << descriptors.error().reason;
    return descriptors->descriptors;
}

/// The two descriptors of test::kMnemonic's account in one multipath descriptor.
std::string multipath(ScriptKind kind) {
    const test::TemporaryFolder folder;
    const auto hot =
        Wallet::create(folder.path() / "w", regtest_params(), test::new_wallet(50, 20, {kind}));
    std::string text = hot.info().descriptors[0];
    text.resize(text.find('#'));
    return text.replace(text.find("/0/*"), 4, "/<0;1>/*");
}

std::string function_of(const std::string& function, const std::string& key) {
    return function + "(" + key + ")";
}

Bytes key_hash(const char* key) {
    const auto hash = chain::hash160(*chain::from_hex(key));
    return {hash.begin(), hash.end()};
}

class WalletDescriptors : public test::WalletFixture {
protected:
    /// Creates a wallet that watches these descriptors and makes it `wallet`.
    void watch(const Texts& texts, LookAhead look_ahead = kSmall) {
        wallet.reset();
        file = folder.path() / "watch-only";
        wallet.emplace(Wallet::watch(file, regtest_params(), {parsed(texts), {}, look_ahead}));
    }

    /// Imports descriptors; blocks up to `kept` count as searched. Returns the reason of a refusal.
    std::string import_from(const Texts& texts, std::optional<chain::BlockRef> kept) {
        const auto imported = wallet->import(parsed(texts), {{7, 0}, {}, kept});
        return imported ? "" : imported.error().reason;
    }

    void mine_empty(int count) {
        for (int i = 0; i < count; ++i) mine();
    }

    chain::Transaction pay_script(chain::Satoshis value, const Bytes& to, std::uint32_t from = 0) {
        return spend({foreign_coin(from)}, {{value, to}});
    }

    Bytes script_of(ScriptKind of_kind, std::uint32_t index, KeyChain chain_of_account) const {
        const test::TemporaryFolder elsewhere;
        const auto hot = Wallet::create(elsewhere.path() / "w", regtest_params(),
                                        test::new_wallet(50, 20, {of_kind}));
        return hot.script_at({chain_of_account, index});
    }
};

// The descriptors and filters of a version 4 wallet are derived from its account.
TEST_F(WalletDescriptors, FourthVersionIsReadAndRenewed) {
    mine({pay(10, 3)});
    static_cast<void>(wallet->current_address(true));
    const auto before = test::all_of(*wallet);
    const auto info = wallet->info();
    const auto padding = wallet->filter_padding();
    wallet.reset();
    execute(test::kToFourthVersion);
    for (const Access access : {Access::read, Access::sync, Access::read}) {
        auto opened = Wallet::open(file, regtest_params(), access);
        test::expect_equal(test::all_of(opened), before);
        EXPECT_EQ(opened.info().descriptors, info.descriptors);
        EXPECT_EQ(opened.filter_padding().secret, padding.secret);
        EXPECT_EQ(opened.filter_padding().first_elements, padding.first_elements);
        EXPECT_EQ(opened.current_address(false).path, (KeyPath{KeyChain::receive, 4}));
    }
    EXPECT_EQ(ask("PRAGMA user_version"), kSchemaVersion);
}

TEST_F(WalletDescriptors, WatchOnlyWalletSeesWhatTheHotOneSees) {
    const auto payment = pay(10, 3);
    const auto sent = spend({output_of(payment)},
                            {{4, test::foreign_script()}, {5, script(0, KeyChain::change)}});
    mine({payment});
    mine({sent});
    const auto hot = test::all_of(*wallet);
    const auto padding = wallet->filter_padding();
    const auto own = wallet->info();

    watch({multipath(ScriptKind::wpkh)});
    for (const auto& block : chain.blocks()) apply(block);
    test::expect_equal(test::all_of(*wallet), hot);
    EXPECT_EQ(wallet->filter_padding().secret, padding.secret);
    EXPECT_EQ(wallet->filter_padding().first_elements, padding.first_elements);
    EXPECT_EQ(wallet->info().descriptors, own.descriptors);
    EXPECT_EQ(wallet->info().fingerprint, own.fingerprint);
    EXPECT_EQ(wallet->info().types, own.types);
    EXPECT_EQ(wallet->coins().at(0).path_text, "m/84h/1h/0h/1/0");
    EXPECT_EQ(wallet->receive_address(true).path_text, "m/84h/1h/0h/0/4");
    EXPECT_EQ(wallet->addresses(KeyChain::change, 0).size(), 1U);
    reopen();
}

TEST_F(WalletDescriptors, WatchOnlyWalletHasNoSecret) {
    EXPECT_FALSE(wallet->info().watch_only);
    watch({multipath(ScriptKind::wpkh)});
    EXPECT_TRUE(wallet->info().watch_only);
    EXPECT_FALSE(wallet->info().account);
    EXPECT_EQ(ask("SELECT count(*) FROM secret"), 0);
    EXPECT_EQ(error_of([&] { return wallet->secret(""); }), Kind::watch_only);
    EXPECT_EQ(error_of([&] {
                  wallet->encrypt("", "password", test::kCheapScrypt);
                  return 0;
              }),
              Kind::watch_only);
    reopen();
}

TEST_F(WalletDescriptors, EachDescriptorGrowsByItself) {
    watch({multipath(ScriptKind::wpkh), multipath(ScriptKind::tr)});
    ASSERT_EQ(wallet->watched_elements(0).size(), 200U);
    const Bytes far = wallet->script_at({2, 40});
    mine({pay_script(5, far)});
    EXPECT_EQ(wallet->watched_elements(0).size(), 250U);
    EXPECT_EQ(wallet->balance().confirmed, 5);
    EXPECT_EQ(wallet->coins().at(0).path, (KeyPath{2, 40}));
    EXPECT_EQ(wallet->coins().at(0).path_text, "m/86h/1h/0h/0/40");
    reopen();
    EXPECT_EQ(wallet->filter_padding().first_elements, 200U);
    EXPECT_EQ(wallet->addresses(KeyChain::receive, 0).size(), 41U);
}

TEST_F(WalletDescriptors, ManyRangedDescriptorsLookAheadLessFar) {
    Texts texts;
    for (const ScriptKind each : kScriptKinds) texts.push_back(multipath(each));
    texts.resize(3);
    watch(texts, {20, 1'000});
    EXPECT_EQ(wallet->watched_elements(0).size(), 6U * 666);
    wallet.reset();
    Wallet::remove(file);
    watch(texts, {700, 1'000});
    EXPECT_EQ(wallet->watched_elements(0).size(), 6U * 700)
        << "each descriptor watches at least the gap limit";
}

TEST_F(WalletDescriptors, ImportSearchesTheBlocksSinceItsBirthdayOnly) {
    mine({pay(10)});
    mine_empty(9);
    const auto before = test::all_of(*wallet);
    const chain::BlockRef kept = chain.at(6).block;

    EXPECT_EQ(import_from({function_of("wpkh", kKey)}, kept), "");
    EXPECT_EQ(wallet->sync_state().synced, kept);
    EXPECT_EQ(wallet->balance(), before.balance) << "confirmed transactions stay confirmed";
    EXPECT_EQ(wallet->info().descriptors.size(), 3U);
    EXPECT_EQ(wallet->watched_elements(0).size(), 101U);
    EXPECT_EQ(wallet->filter_padding().first_elements, 100U);
    reopen();
    EXPECT_EQ(wallet->secret("").size(), 64U);

    const auto found = pay_script(7, wallet->script_at({2, 0}), 3);
    mine({found});
    EXPECT_EQ(wallet->balance().confirmed, 17);
    reopen();
}

TEST_F(WalletDescriptors, ImportWithALaterBirthdaySearchesNothingAgain) {
    mine_empty(5);
    const auto synced = wallet->sync_state().synced;
    EXPECT_EQ(import_from({function_of("wpkh", kKey)}, synced), "");
    EXPECT_EQ(wallet->sync_state().synced, synced);
}

TEST_F(WalletDescriptors, ImportFromTheFirstBlockSearchesAllAgain) {
    mine_empty(5);
    EXPECT_EQ(import_from({function_of("wpkh", kKey)}, std::nullopt), "");
    EXPECT_EQ(wallet->sync_state().synced, std::nullopt);
    EXPECT_EQ(wallet->info().birthday.height, 0U);
    reopen();
}

// Blocks that were never searched do not count as searched, whatever block is given.
TEST_F(WalletDescriptors, ImportBeforeTheFirstSyncKeepsNothingSearched) {
    chain.mine_empty(5);
    EXPECT_EQ(import_from({function_of("wpkh", kKey)}, chain.at(3).block), "");
    EXPECT_EQ(wallet->sync_state().synced, std::nullopt);
}

TEST_F(WalletDescriptors, ImportFindsWhatKnownTransactionsPayIt) {
    const Bytes script = chain::p2wpkh_script(chain::hash160(*chain::from_hex(kKey)));
    mine({spend({foreign_coin(1)}, {{10, this->script(0)}, {7, script}})});
    EXPECT_EQ(wallet->balance().confirmed, 10);
    EXPECT_EQ(import_from({function_of("wpkh", kKey)}, wallet->sync_state().synced), "");
    EXPECT_EQ(wallet->balance().total(), 17);
    reopen();
}

TEST_F(WalletDescriptors, RefusedImportChangesNothing) {
    mine({pay(10)});
    ASSERT_EQ(import_from({function_of("wpkh", kKey)}, std::nullopt), "");
    const auto before = test::all_of(*wallet);
    const Texts cases[]{
        {function_of("wpkh", kOtherKey), function_of("wpkh", kKey)},
        {multipath(ScriptKind::wpkh)},
        {"sh(wpkh(" + std::string(kKey) + "))"},
    };
    for (const Texts& texts : cases) {
        EXPECT_NE(import_from(texts, std::nullopt), "") << texts[0];
        test::expect_equal(test::all_of(*wallet), before);
        EXPECT_EQ(wallet->info().descriptors.size(), 3U);
    }
    reopen();
}

TEST_F(WalletDescriptors, AddressIsReceivedAtAgainAndAgain) {
    const Bytes script = chain::p2wpkh_script(chain::hash160(*chain::from_hex(kKey)));
    const std::string address = address_of(script, regtest_params());
    watch({address});
    EXPECT_EQ(wallet->current_address(true).address, address);
    mine({pay_script(5, script)});
    mine({pay_script(6, script, 1)});
    EXPECT_EQ(wallet->current_address(true).address, address);
    EXPECT_EQ(wallet->balance().confirmed, 11);
    EXPECT_EQ(wallet->watched_elements(0).size(), 1U) << "the wallet watches no other script";
    EXPECT_EQ(error_of([&] { return wallet->receive_address(true); }), Kind::no_new_address);
    EXPECT_EQ(wallet->addresses(KeyChain::receive, 20).at(0).path_text, "");
    reopen();
}

TEST_F(WalletDescriptors, FiltersOfAddressesFollowFromNothingPublic) {
    watch({function_of("wpkh", kKey)});
    const auto first = wallet->filter_padding().secret;
    reopen();
    EXPECT_EQ(wallet->filter_padding().secret, first);
    wallet.reset();
    std::filesystem::remove(file);
    watch({function_of("wpkh", kKey)});
    EXPECT_NE(wallet->filter_padding().secret, first);
}

TEST_F(WalletDescriptors, BareKeyIsItsOwnElement) {
    watch({kKey});
    EXPECT_EQ(wallet->watched_elements(0), std::vector<Bytes>{*chain::from_hex(kKey)});
}

TEST_F(WalletDescriptors, BareMultisigIsWatchedByAKey) {
    watch({"multi(1," + std::string(kKey) + "," + kOtherKey + ")"});
    EXPECT_EQ(wallet->watched_elements(0), std::vector<Bytes>{*chain::from_hex(kKey)});
    const auto payment = pay_script(5, wallet->script_at({0, 0}));
    mine({payment});
    EXPECT_EQ(wallet->balance().confirmed, 5);
    EXPECT_TRUE(wallet->info().types.empty());

    // The transaction is not signed. In a block, the miner has verified it.
    const auto sent = spend({output_of(payment)}, {{4, test::foreign_script()}});
    test::see(*wallet, sent, 1);
    EXPECT_EQ(wallet->balance().confirmed, 5);
    ASSERT_TRUE(wallet->flaw_of(sent));
    EXPECT_EQ(wallet->flaw_of(sent)->reason, "Operation not valid with the current stack size");
    mine({sent});
    EXPECT_EQ(wallet->balance().confirmed, 0);
    reopen();
}

// One filter must not contain both a key and its hash, or both a key hash and the script hash of
// its program.
TEST_F(WalletDescriptors, ComboIsWatchedByItsKeyHash) {
    const auto descriptors =
        parse_new_descriptors(Texts{function_of("combo", kKey)}, regtest_params());
    ASSERT_TRUE(descriptors);
    ASSERT_EQ(descriptors->descriptors.size(), 2U);
    EXPECT_EQ(descriptors->notes.size(), 1U);
    watch({function_of("combo", kKey)});
    for (const Bytes& element : wallet->watched_elements(0)) EXPECT_EQ(element, key_hash(kKey));
    const auto hash = chain::hash160(*chain::from_hex(kKey));
    mine({pay_script(5, chain::p2pkh_script(hash)), pay_script(6, chain::p2wpkh_script(hash), 1)});
    EXPECT_EQ(wallet->balance().confirmed, 11);
}

TEST_F(WalletDescriptors, PathsSayWhatIsKnown) {
    const std::string both = multipath(ScriptKind::wpkh);
    const std::string key = both.substr(both.find(']') + 1, 111);
    const std::size_t begin = both.find('[');
    const std::string origin = both.substr(begin, both.find(']') + 1 - begin);
    const auto path_of = [&](const std::string& text) {
        wallet.reset();
        std::filesystem::remove(folder.path() / "watch-only");
        watch({text});
        return wallet->path_text({0, 0});
    };
    EXPECT_EQ(path_of("wpkh(" + origin + key + "/5/*)"), "m/84h/1h/0h/5/0");
    EXPECT_EQ(path_of("wpkh(" + key + "/5/*)"), "5/0");
    EXPECT_EQ(path_of("wpkh(" + key + "/*)"), "0");
    EXPECT_EQ(path_of("wpkh(" + key + "/5/6)"), "5/6");
    EXPECT_EQ(path_of(function_of("wpkh", kKey)), "");
    EXPECT_EQ(path_of("wpkh([73c5da0a/7]" + std::string(kKey) + ")"), "m/7");
    EXPECT_EQ(path_of("wsh(multi(1," + key + "/1/*," + key + "/1/*))"), "1/0");
    EXPECT_EQ(path_of("wsh(multi(1," + key + "/1/*," + key + "/2/*))"), "0");
}

struct RefusedCase {
    const char* name;
    Texts texts;
    std::size_t given = 0;
};

void PrintTo(const RefusedCase& c, std::ostream* out) {
    *out << c.name;
}

class RefusedDescriptors : public testing::TestWithParam<RefusedCase> {};

TEST_P(RefusedDescriptors, AreNotWatched) {
    const auto descriptors = parse_new_descriptors(GetParam().texts, regtest_params());
    ASSERT_FALSE(descriptors);
    EXPECT_EQ(descriptors.error().given, GetParam().given);
    EXPECT_FALSE(descriptors.error().reason.empty());
}

const std::string kPk = function_of("pk", kKey);
INSTANTIATE_TEST_SUITE_P(
    Texts, RefusedDescriptors,
    testing::Values(
        RefusedCase{"broken", {kPk, "wpkh("}, 1}, RefusedCase{"given twice", {kPk, kPk}, 1},
        RefusedCase{"key and hash", {kPk, function_of("pkh", kKey)}, 1},
        RefusedCase{"nested and native",
                    {function_of("wpkh", kKey), "sh(wpkh(" + std::string(kKey) + "))"},
                    1},
        RefusedCase{"private key", {"wpkh(cVpF924EspNh8KjYsfhgY96mmxvT6DgdWiTYMtMjuM74hJaU5psW)"}},
        RefusedCase{"no data", {"raw(51)"}}, RefusedCase{"short data", {"raw(04deadbeef)"}},
        RefusedCase{"unspendable", {"raw(6a14deadbeefdeadbeefdeadbeefdeadbeefdeadbeef)"}},
        RefusedCase{"another network's", {"bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu"}}));

TEST(NewDescriptors, SecondPathIsChange) {
    const auto chains = [](const Texts& texts) {
        std::string text;
        for (const NewDescriptor& one : parsed(texts)) {
            text += one.chain == KeyChain::change ? 'c' : 'r';
        }
        return text;
    };
    const std::string both = multipath(ScriptKind::wpkh);
    std::string receive = both;
    receive.replace(receive.find("<0;1>"), 5, "0");
    std::string change = both;
    change.replace(change.find("<0;1>"), 5, "1");
    EXPECT_EQ(chains({both}), "rc");
    EXPECT_EQ(chains({receive, change}), "rc");
    EXPECT_EQ(chains({change, receive}), "cr");
    EXPECT_EQ(chains({change}), "r") << "there is no descriptor for receiving";
    EXPECT_EQ(chains({kKey}), "r");
}

class AnyTypeWallet : public WalletDescriptors {
protected:
    AnyTypeWallet() {
        wallet.reset();
        file = folder.path() / "restored";
        auto made = test::new_wallet();
        made.any_type = true;
        wallet.emplace(Wallet::create(file, regtest_params(), made));
    }
};

TEST_F(AnyTypeWallet, ShowsTheTypesThatWereUsed) {
    using enum ScriptKind;
    EXPECT_EQ(wallet->watched_elements(0).size(), 400U);
    EXPECT_EQ(wallet->info().types, std::vector{wpkh});
    EXPECT_EQ(wallet->info().descriptors.size(), 2U);
    EXPECT_EQ(wallet->secret("").size(), 64U);

    mine({pay_script(5, script_of(tr, 4, KeyChain::receive))});
    EXPECT_EQ(wallet->info().types, std::vector{tr});
    EXPECT_EQ(wallet->info().descriptors.size(), 2U);
    EXPECT_EQ(wallet->receive_address(false).path_text, "m/86h/1h/0h/0/5");
    EXPECT_EQ(wallet->addresses(KeyChain::receive, 0).size(), 5U);

    mine({pay_script(6, script_of(pkh, 0, KeyChain::change), 1)});
    EXPECT_EQ(wallet->info().types, (std::vector{tr, pkh}));
    mine({pay_script(7, script_of(wpkh, 0, KeyChain::receive), 2)});
    EXPECT_EQ(wallet->info().types, (std::vector{wpkh, tr, pkh}));
    EXPECT_EQ(wallet->receive_address(false).path_text, "m/84h/1h/0h/0/1");
    EXPECT_EQ(wallet->balance().confirmed, 18);
    EXPECT_EQ(wallet->watched_elements(0).size(), 400U) << "the filters do not change";
    reopen();
}

TEST_F(AnyTypeWallet, AwaitsPaymentsToTheTypesThatWereUsed) {
    using enum ScriptKind;
    const auto of_wpkh = wallet->awaited_elements();
    EXPECT_EQ(of_wpkh.size(), 1U);
    mine({pay_script(5, script_of(wpkh, 4, KeyChain::receive))});
    EXPECT_EQ(wallet->awaited_elements(), of_wpkh);
    mine({pay_script(5, script_of(tr, 4, KeyChain::receive), 1)});
    const auto of_both = wallet->awaited_elements();
    EXPECT_EQ(of_both.size(), 2U);
    EXPECT_TRUE(std::ranges::find(of_both, of_wpkh[0]) != of_both.end());
}

TEST_F(AnyTypeWallet, AddressThatWasShownIsNotShownOfAnUnusedType) {
    const std::string shown = wallet->current_address(true).address;
    EXPECT_EQ(wallet->current_address(true).address, shown);
    mine({pay_script(5, script_of(ScriptKind::tr, 0, KeyChain::receive))});
    EXPECT_EQ(wallet->current_address(true).path_text, "m/86h/1h/0h/0/1");
    EXPECT_EQ(wallet->current_address(true).path, (KeyPath{2, 1}));
    EXPECT_EQ(wallet->info().descriptors.size(), 4U)
        << "an address of another descriptor was handed out";
    reopen();
    EXPECT_EQ(wallet->current_address(true).path, (KeyPath{2, 1}));
}

TEST_F(AnyTypeWallet, ShowsTheDescriptorsWithTheirPrivateKeys) {
    mine({pay_script(5, script_of(ScriptKind::sh_wpkh, 0, KeyChain::receive))});
    const auto shown = wallet->info().descriptors;
    const auto with_keys = wallet->private_descriptors(wallet->secret(""));
    ASSERT_EQ(with_keys.size(), 2U);
    for (std::size_t i = 0; i < 2; ++i) {
        const auto parsed_again = Descriptor::parse(with_keys[i], regtest_params());
        ASSERT_TRUE(parsed_again);
        EXPECT_TRUE(parsed_again->has_private_keys());
        EXPECT_EQ(parsed_again->watch_only()->to_string(regtest_params()), shown.at(i));
    }
}

struct DamageCase {
    const char* name;
    const char* sql;
};

void PrintTo(const DamageCase& c, std::ostream* out) {
    *out << c.name;
}

class DamagedDescriptors : public AnyTypeWallet, public testing::WithParamInterface<DamageCase> {};

TEST_P(DamagedDescriptors, AreFoundOut) {
    wallet.reset();
    execute(GetParam().sql);
    EXPECT_EQ(error_of([&] {
                  return Wallet::open(file, regtest_params(), Access::read).filter_padding().secret;
              }),
              Kind::damaged);
}

INSTANTIATE_TEST_SUITE_P(
    Statements, DamagedDescriptors,
    testing::Values(
        DamageCase{"none left", "DELETE FROM descriptor"},
        DamageCase{"one gone", "DELETE FROM descriptor WHERE number = 3"},
        DamageCase{"last gone", "DELETE FROM descriptor WHERE number = 7"},
        DamageCase{"text", "UPDATE descriptor SET text = 'wpkh(' WHERE number = 2"},
        DamageCase{"checksum", "UPDATE descriptor SET text = substr(text, 1, length(text) - 9)"},
        DamageCase{"type",
                   "UPDATE descriptor SET text = (SELECT text FROM descriptor WHERE number "
                   "= 2) WHERE number = 0"},
        DamageCase{"combo",
                   "UPDATE descriptor SET text = 'combo(03a34b99f22c790c4e36b2b3c2c35a36db"
                   "06226e41c692fc82b8b56ac1c540c5bd)#jjh3jqzg' WHERE number = 0"},
        DamageCase{"chain", "UPDATE descriptor SET chain = 2 WHERE number = 2"},
        DamageCase{"origin", "UPDATE descriptor SET origin = 3 WHERE number = 2"},
        DamageCase{"own chains exchanged", "UPDATE descriptor SET chain = 1 - chain"},
        DamageCase{"own one imported", "UPDATE descriptor SET origin = 2 WHERE number = 1"},
        DamageCase{"half of a pair imported", "UPDATE descriptor SET origin = 2 WHERE number = 7"},
        DamageCase{"two own origins", "UPDATE descriptor SET origin = 0 WHERE number < 2"},
        DamageCase{"all imported", "UPDATE descriptor SET origin = 2"},
        DamageCase{"script without element",
                   "UPDATE descriptor SET text = 'raw(deadbeef)#89f8spxm' WHERE number = 0;"
                   "UPDATE script SET script = x'51' WHERE chain = 0"},
        DamageCase{"gap limit", "UPDATE descriptor SET gap_limit = 0 WHERE number = 2"},
        DamageCase{"watched", "UPDATE descriptor SET watched = 4294967295 WHERE number = 2"},
        DamageCase{"number", "UPDATE descriptor SET number = 4000000000 WHERE number = 7"},
        DamageCase{"secret", "UPDATE filter_padding SET secret = x'00'"},
        DamageCase{"first elements", "UPDATE filter_padding SET first_elements = -1"}));

// Otherwise, a program with write access to the file could insert its own keys.
TEST_F(AnyTypeWallet, DescriptorsMustFollowFromTheSeed) {
    wallet.reset();
    execute(
        "UPDATE descriptor SET text = (SELECT text FROM descriptor WHERE number = 3)"
        " WHERE number = 2");
    wallet.emplace(Wallet::open(file, regtest_params(), Access::read));
    EXPECT_EQ(error_of([&] { return wallet->secret(""); }), Kind::damaged);
}

}  // namespace
}  // namespace petal::wallet
