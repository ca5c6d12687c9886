// Wallets that search for several accounts of their mnemonic.
#include <gtest/gtest.h>

#include "tests/wallet/wallet_fixture.h"
#include "wallet/spending/payment.h"

namespace petal::wallet {
namespace {

using test::error_of;
using test::foreign_coin;
using test::regtest_params;
using test::spend;

NewWallet of_five_accounts() {
    NewWallet made = test::new_wallet();
    made.any_type = true;
    made.accounts = 5;
    return made;
}

class DiscoverAccounts : public test::WalletFixture {
protected:
    DiscoverAccounts() : test::WalletFixture(of_five_accounts()) {}

    static chain::Bytes script_of(Account of, KeyChain of_chain, std::uint32_t index) {
        const test::TemporaryFolder elsewhere;
        const auto hot =
            Wallet::create(elsewhere.path() / "w", regtest_params(), test::new_wallet(50, 20, of));
        return hot.script_at({of_chain, index});
    }
    void pay_account(Account payee, chain::Satoshis value, std::uint32_t index) {
        mine({spend({foreign_coin(coins_++)},
                    {{value, script_of(payee, KeyChain::receive, index)}})});
    }

private:
    std::uint32_t coins_ = 1;
};

TEST_F(DiscoverAccounts, ShowsUsedAccounts) {
    using enum ScriptKind;
    EXPECT_EQ(wallet->watched_elements(0).size(), 5U * 4 * 2 * 50);
    EXPECT_EQ(wallet->info().accounts, std::vector{0U});
    EXPECT_EQ(wallet->info().descriptors.size(), 2U);

    pay_account({tr, 2}, 5, 4);
    EXPECT_EQ(wallet->info().account, 2U);
    EXPECT_EQ(wallet->info().accounts, std::vector{2U});
    EXPECT_EQ(wallet->info().types, std::vector{tr});
    EXPECT_EQ(wallet->receive_address(false).path_text, "m/86h/1h/2h/0/5");

    pay_account({pkh, 0}, 6, 0);
    EXPECT_EQ(wallet->info().account, 0U);
    EXPECT_EQ(wallet->info().accounts, (std::vector{0U, 2U}));
    EXPECT_EQ(wallet->info().types, (std::vector{pkh, tr}));
    EXPECT_EQ(wallet->receive_address(false).path_text, "m/44h/1h/0h/0/1");
    EXPECT_EQ(wallet->balance().confirmed, 11);
    EXPECT_EQ(wallet->watched_elements(0).size(), 5U * 4 * 2 * 50) << "the filters do not change";
    EXPECT_FALSE(wallet->info().may_have_more_accounts);
    reopen();
    EXPECT_EQ(wallet->info().accounts, (std::vector{0U, 2U}));
}

TEST_F(DiscoverAccounts, LastAccountMayBeFollowedByOthers) {
    pay_account({ScriptKind::wpkh, 4}, 5, 0);
    EXPECT_EQ(wallet->info().accounts, std::vector{4U});
    EXPECT_TRUE(wallet->info().may_have_more_accounts);
    const test::TemporaryFolder elsewhere;
    const auto other = Wallet::create(elsewhere.path() / "w", regtest_params(),
                                      test::new_wallet(50, 20, {ScriptKind::wpkh, 4}));
    EXPECT_FALSE(other.info().may_have_more_accounts) << "the wallet does not search for accounts";
    EXPECT_EQ(other.info().accounts, std::vector{4U});
}

TEST_F(DiscoverAccounts, CoinsOfAllAccountsAreSpentTogether) {
    using enum ScriptKind;
    const Account accounts[]{{wpkh, 1}, {wpkh, 3}, {tr, 3}, {sh_wpkh, 2}, {pkh, 4}};
    for (const Account& each : accounts) pay_account(each, 20'000, 3);
    reopen();
    PaymentRequest request;
    request.recipients = {{test::foreign_script(), 90'000}};
    request.change = wallet->change_for(request.recipients);
    EXPECT_EQ(request.change.script_pubkey, script_of({wpkh, 1}, KeyChain::change, 0));
    auto payment = build_payment(request, wallet->spendable_coins().coins,
                                 [number = std::uint64_t{0}]() mutable { return ++number; })
                       .value();
    EXPECT_EQ(payment.coins.size(), std::size(accounts));
    wallet->sign(payment.transaction, payment.coins, wallet->secret(""), {});
    ASSERT_TRUE(wallet->keep_payment(payment, 1));
    EXPECT_EQ(wallet->balance().total(), 100'000 - 90'000 - payment.fee);
    reopen();
}

TEST_F(DiscoverAccounts, ChangeHasARecipientsTypeIfTheAccountUsesIt) {
    using enum ScriptKind;
    for (const Account& each : {Account{wpkh, 1}, {tr, 1}, {sh_wpkh, 3}}) pay_account(each, 5, 0);
    const auto kind_for = [&](const std::vector<ScriptKind>& recipients) {
        std::vector<Recipient> payees;
        for (const ScriptKind each : recipients) {
            payees.push_back({script_of({each, 4}, KeyChain::receive, 9), 1'000});
        }
        const ChangeOutput change = wallet->change_for(payees);
        const ScriptKind type = change.form.kind.value();
        EXPECT_EQ(change.script_pubkey, script_of({type, 1}, KeyChain::change, 0));
        return type;
    };
    EXPECT_EQ(kind_for({}), wpkh);
    EXPECT_EQ(kind_for({tr}), tr);
    EXPECT_EQ(kind_for({wpkh}), wpkh);
    EXPECT_EQ(kind_for({wpkh, pkh, tr}), tr) << "in Bitcoin Core's order of types";
    EXPECT_EQ(kind_for({pkh}), wpkh) << "no address of this type was used";
    EXPECT_EQ(kind_for({sh_wpkh}), wpkh) << "of another account";
    reopen();
    EXPECT_EQ(kind_for({tr}), tr);
}

TEST_F(DiscoverAccounts, PrivateDescriptorsAreThoseThatAreShown) {
    pay_account({ScriptKind::tr, 3}, 5, 0);
    const auto shown = wallet->info().descriptors;
    const auto with_keys = wallet->private_descriptors(wallet->secret(""));
    ASSERT_EQ(with_keys.size(), 2U);
    for (std::size_t i = 0; i < 2; ++i) {
        const auto parsed = Descriptor::parse(with_keys[i], regtest_params());
        ASSERT_TRUE(parsed);
        EXPECT_EQ(parsed->watch_only()->to_string(regtest_params()), shown.at(i));
    }
}

TEST_F(DiscoverAccounts, DescriptorsOfEachMustFollowFromTheSeed) {
    wallet.reset();
    execute(
        "UPDATE descriptor SET text = (SELECT text FROM descriptor WHERE number = 9)"
        " WHERE number = 33");
    wallet.emplace(Wallet::open(file, regtest_params(), Access::read));
    EXPECT_EQ(error_of([&] { return wallet->secret(""); }), WalletError::Kind::damaged);
}

TEST_F(DiscoverAccounts, DescriptorWithoutItsAccountIsFoundOut) {
    wallet.reset();
    const auto parsed = Descriptor::parse("wpkh(" + account.to_string(regtest_params()) + "/0/*)",
                                          regtest_params());
    execute("UPDATE descriptor SET text = '" + parsed->to_string(regtest_params()) +
            "' WHERE number = 8");
    EXPECT_EQ(
        error_of([&] { return Wallet::open(file, regtest_params(), Access::read).info().name; }),
        WalletError::Kind::damaged);
}

}  // namespace
}  // namespace petal::wallet
