// Payments by watch-only multisig wallets, signed as PSBTs by the owners of the keys.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/support/cosigners.h"
#include "tests/wallet/wallet_fixture.h"
#include "wallet/descriptors/new_descriptors.h"
#include "wallet/psbt/combining.h"
#include "wallet/psbt/fields.h"
#include "wallet/psbt/finalizing.h"
#include "wallet/psbt/psbt_signer.h"
#include "wallet/psbt/record_types.h"
#include "wallet/psbt_wallet.h"

namespace petal::wallet {
namespace {

using test::Cosigner;
using test::multisig_text;
using test::regtest_params;

struct MultisigCase {
    const char* name;
    const char* form;
    chain::Byte keys;
    std::size_t required;
};

void PrintTo(const MultisigCase& tested, std::ostream* out) {
    *out << tested.name;
}

class MultisigWallets : public testing::Test {
protected:
    Wallet watch(const std::vector<std::string>& texts) const {
        const auto descriptors = parse_new_descriptors(texts, regtest_params()).value().descriptors;
        return Wallet::watch(folder.path() / "watch-only", regtest_params(),
                             {descriptors, {}, {20, 50}});
    }
    /// Pays this amount to an address of the wallet, in a block.
    void pay(Wallet& wallet, KeyPath path, chain::Satoshis amount) {
        const chain::ProvenBlock& block = chain.mine(
            {test::spend({test::foreign_coin(next_coin++)}, {{amount, wallet.script_at(path)}})});
        chain::SyncState state;
        state.synced = block.block;
        while (wallet.apply({&block, 1}, state).grew) continue;
    }
    static Payment build(const Wallet& wallet, chain::Satoshis amount) {
        PaymentRequest request;
        request.recipients = {{test::foreign_script(), amount}};
        request.fee_rate = FeeRate{3'000};
        request.change = wallet.change_for(request.recipients);
        std::uint64_t number = 0;
        return build_payment(request, wallet.spendable_coins().coins,
                             [&number] { return number += 0x9e37'79b9'7f4a'7c15; })
            .value();
    }
    /// The PSBT after the owner of one key has signed it.
    static Psbt signed_by(const Cosigner& owner, Psbt psbt, const Payment& payment) {
        PsbtSigner signer(psbt, {}, {});
        for (std::size_t i = 0; i < payment.coins.size(); ++i) {
            const auto key = owner.key(KeyChain::receive, payment.coins[i].path.index);
            const auto is_signed = signer.sign(i, key, std::nullopt);
            EXPECT_TRUE(is_signed && *is_signed);
        }
        return psbt;
    }

    test::TemporaryFolder folder;
    test::SceneChain chain;
    std::uint32_t next_coin = 1;
};

std::vector<chain::Satoshis> amounts_of(const SpendableCoins& coins) {
    std::vector<chain::Satoshis> amounts;
    for (const InputCoin& coin : coins.coins) amounts.push_back(coin.output.value);
    return amounts;
}

class WatchedMultisig : public MultisigWallets, public testing::WithParamInterface<MultisigCase> {};

INSTANTIATE_TEST_SUITE_P(
    Forms, WatchedMultisig,
    testing::Values(MultisigCase{"bare", "multi(2,KEYS)", 3, 2},
                    MultisigCase{"bare_sorted", "sortedmulti(1,KEYS)", 2, 1},
                    MultisigCase{"sh", "sh(multi(2,KEYS))", 3, 2},
                    MultisigCase{"sh_with_a_long_script", "sh(sortedmulti(11,KEYS))", 15, 11},
                    MultisigCase{"wsh", "wsh(multi(2,KEYS))", 3, 2},
                    MultisigCase{"wsh_sorted", "wsh(sortedmulti(2,KEYS))", 3, 2},
                    MultisigCase{"wsh_with_a_long_script", "wsh(sortedmulti(7,KEYS))", 20, 7},
                    MultisigCase{"sh_wsh", "sh(wsh(sortedmulti(2,KEYS)))", 3, 2}),
    [](const auto& tested) { return std::string(tested.param.name); });

TEST_P(WatchedMultisig, IsSpentByItsOwnersTogether) {
    const auto owners = test::cosigners(GetParam().keys);
    Wallet wallet = watch({multisig_text(GetParam().form, owners, "/<0;1>/*")});
    pay(wallet, {KeyChain::receive, 0}, 100'000);
    pay(wallet, {KeyChain::receive, 3}, 50'000);
    const Payment payment = build(wallet, 120'000);
    ASSERT_EQ(payment.coins.size(), 2U);
    ASSERT_TRUE(payment.change_index);
    EXPECT_EQ(payment.transaction.outputs[*payment.change_index].script_pubkey,
              wallet.script_at({KeyChain::change, 0}));

    const Psbt created = PsbtWallet(wallet).create(payment);
    std::vector<Psbt> of_owners;
    for (std::size_t i = 0; i < GetParam().required; ++i) {
        of_owners.push_back(signed_by(owners[owners.size() - 1 - i], created, payment));
    }
    Psbt lacking =
        of_owners.size() == 1 ? created : combine(std::span(of_owners).subspan(1)).value();
    EXPECT_FALSE(finalize(lacking).empty()) << "a signature is missing";
    Psbt combined = combine(of_owners).value();
    ASSERT_TRUE(finalize(combined).empty());
    const auto transaction = extract(combined);
    ASSERT_TRUE(transaction);
    EXPECT_LE(transaction->virtual_size(), payment.virtual_size);
    // These signatures have a low R and are a byte shorter than the estimate for any signer; one in
    // a hundred is two bytes shorter. The length of a scriptSig may take one byte instead of three.
    const std::size_t shorter = payment.coins.size() * (GetParam().required + 2) + 2;
    EXPECT_GE(transaction->virtual_size() + shorter, payment.virtual_size);
    EXPECT_EQ(payment.fee, FeeRate{3'000}.fee(payment.virtual_size));
}

TEST_P(WatchedMultisig, ContainsItsScriptsAndKeys) {
    const auto owners = test::cosigners(GetParam().keys);
    Wallet wallet = watch({multisig_text(GetParam().form, owners, "/<0;1>/*")});
    pay(wallet, {KeyChain::receive, 4}, 100'000);
    const Payment payment = build(wallet, 40'000);
    const Psbt psbt = PsbtWallet(wallet).create(payment);
    const std::string form = GetParam().form;
    const bool has_redeem_script = form.starts_with("sh(");
    const bool has_witness_script = form.find("wsh(") != form.npos;

    const PsbtMap& input = psbt.inputs()[0];
    EXPECT_TRUE(psbt.has_full_transaction(0));
    EXPECT_EQ(input.has(psbt_input::kWitnessUtxo), has_witness_script);
    EXPECT_EQ(input.has(psbt_input::kRedeemScript), has_redeem_script);
    EXPECT_EQ(input.has(psbt_input::kWitnessScript), has_witness_script);
    const PsbtMap& change = psbt.outputs()[*payment.change_index];
    EXPECT_EQ(change.has(psbt_output::kRedeemScript), has_redeem_script);
    EXPECT_EQ(change.has(psbt_output::kWitnessScript), has_witness_script);

    const auto keys = derivations(input, psbt_input::kDerivation);
    ASSERT_EQ(keys.size(), owners.size());
    EXPECT_EQ(derivations(change, psbt_output::kDerivation).size(), owners.size());
    for (const KeyDerivation& key : keys) {
        EXPECT_EQ(path_to_string(key.origin.path), "/48h/1h/0h/2h/0/4");
        EXPECT_TRUE(std::ranges::any_of(owners, [&](const Cosigner& owner) {
            const auto compressed = owner.key(KeyChain::receive, 4).public_key().compressed();
            return std::ranges::equal(compressed, key.public_key);
        }));
    }
}

TEST_F(MultisigWallets, AreNotSpentBesideSingleKeys) {
    const auto owners = test::cosigners(3);
    Wallet wallet = watch({multisig_text("wsh(sortedmulti(2,KEYS))", owners, "/<0;1>/*"),
                           "wpkh(" + Cosigner(9).public_text() + "/<0;1>/*)"});
    pay(wallet, {DescriptorNumber{0}, 0}, 100'000);
    pay(wallet, {DescriptorNumber{2}, 0}, 70'000);
    const SpendableCoins coins = wallet.spendable_coins();
    EXPECT_EQ(amounts_of(coins), (std::vector<chain::Satoshis>{70'000}))
        << "the change must go back to the owner of the coins";
    EXPECT_EQ(coins.other_accounts, 100'000);
    EXPECT_EQ(wallet.change_for({}).script_pubkey, wallet.script_at({DescriptorNumber{3}, 0}));

    const chain::Outpoint shared = wallet.coins().front().outpoint;
    const SpendableCoins beside = wallet.spendable_coins(shared);
    EXPECT_EQ(amounts_of(beside), (std::vector<chain::Satoshis>{100'000}));
    EXPECT_EQ(beside.other_accounts, 70'000);
    EXPECT_EQ(wallet.change_for({}, shared).script_pubkey,
              wallet.script_at({DescriptorNumber{1}, 0}));
}

// With single keys, too, change goes back to the owner of the coins.
TEST_F(MultisigWallets, OfSingleKeysPayChangeToTheOwnerOfTheChosenCoins) {
    Wallet wallet = watch({"wpkh(" + Cosigner(9).public_text() + "/<0;1>/*)",
                           "wpkh(" + Cosigner(10).public_text() + "/<0;1>/*)"});
    pay(wallet, {DescriptorNumber{0}, 0}, 100'000);
    pay(wallet, {DescriptorNumber{2}, 0}, 70'000);
    for (const std::uint32_t owner : {0U, 1U}) {
        const chain::Outpoint named = wallet.coins().at(owner).outpoint;
        const SpendableCoins coins = wallet.spendable_coins(named);
        EXPECT_EQ(amounts_of(coins), (std::vector<chain::Satoshis>{owner == 0 ? 100'000 : 70'000}))
            << "the change must go back to the owner of the coins";
        EXPECT_EQ(coins.other_accounts, owner == 0 ? 70'000 : 100'000);
        EXPECT_EQ(wallet.change_for({}, named).script_pubkey,
                  wallet.script_at({DescriptorNumber{2 * owner + 1}, 0}));
    }
}

TEST_F(MultisigWallets, OfSingleKeysSpendAllTypesOfOneAccount) {
    const std::string key = Cosigner(9).public_text();
    Wallet wallet = watch({"wpkh(" + key + "/<0;1>/*)", "tr(" + key + "/<2;3>/*)",
                           "wpkh(" + Cosigner(10).public_text() + ")"});
    pay(wallet, {DescriptorNumber{0}, 0}, 100'000);
    pay(wallet, {DescriptorNumber{2}, 0}, 70'000);
    pay(wallet, {DescriptorNumber{4}, 0}, 50'000);
    EXPECT_EQ(amounts_of(wallet.spendable_coins()),
              (std::vector<chain::Satoshis>{100'000, 70'000}));
    EXPECT_EQ(wallet.spendable_coins().other_accounts, 50'000);
}

TEST_F(MultisigWallets, OfASingleKeyWithoutOriginSpendItsChange) {
    std::string key = Cosigner(9).public_text();
    key.erase(0, key.find(']') + 1);
    Wallet wallet = watch({"wpkh(" + key + "/<0;1>/*)"});
    pay(wallet, {DescriptorNumber{0}, 0}, 100'000);
    pay(wallet, {DescriptorNumber{1}, 0}, 70'000);
    EXPECT_EQ(amounts_of(wallet.spendable_coins()),
              (std::vector<chain::Satoshis>{100'000, 70'000}));
}

TEST_F(MultisigWallets, AreSpentOnlyWithCoinsOfTheSameKeys) {
    const auto owners = test::cosigners(3);
    const std::vector<Cosigner> others{Cosigner(11), Cosigner(12), Cosigner(13)};
    Wallet wallet = watch({multisig_text("wsh(sortedmulti(2,KEYS))", owners, "/<0;1>/*"),
                           multisig_text("wsh(sortedmulti(2,KEYS))", others, "/<0;1>/*"),
                           multisig_text("wsh(sortedmulti(1,KEYS))", owners, "/<2;3>/*")});
    for (const std::uint32_t number : {0U, 1U, 2U, 4U}) {
        pay(wallet, {DescriptorNumber{number}, 0}, 100'000 + number);
    }
    using Amounts = std::vector<chain::Satoshis>;
    EXPECT_EQ(amounts_of(wallet.spendable_coins()), (Amounts{100'000, 100'001}));
    EXPECT_EQ(wallet.spendable_coins().other_accounts, 200'006);
    EXPECT_EQ(amounts_of(wallet.spendable_coins(wallet.coins().at(2).outpoint)),
              (Amounts{100'002}));
}

}  // namespace
}  // namespace petal::wallet
