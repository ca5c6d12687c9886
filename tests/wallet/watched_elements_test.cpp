// The elements that a wallet puts into filters.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "chain/hash.h"
#include "chain/script/script.h"
#include "tests/wallet/wallet_fixture.h"
#include "wallet/descriptors/filter_sharing.h"
#include "wallet/wallet.h"

namespace petal::wallet {
namespace {

using chain::Bytes;

class WatchedElements : public test::WalletFixture {};

class WatchedElementsOfType : public test::WalletFixture,
                              public testing::WithParamInterface<ScriptKind> {
protected:
    WatchedElementsOfType() : WalletFixture(test::new_wallet(50, 20, {GetParam()})) {}
};

INSTANTIATE_TEST_SUITE_P(Types, WatchedElementsOfType, testing::ValuesIn(kScriptKinds),
                         [](const auto& row) {
                             return std::string(chain::describe(script_type(row.param)));
                         });

Bytes hash_of(chain::ByteView bytes) {
    const auto hash = chain::hash160(bytes);
    return {hash.begin(), hash.end()};
}

// A peer that knows a key computes its hash, and a peer that knows a P2WPKH program computes the
// P2SH script hash around it. Two such matches would prove what one match only suggests.
TEST_P(WatchedElementsOfType, CantBeComputedFromEachOther) {
    const auto elements = wallet->watched_elements(0);
    const std::set<Bytes> all(elements.begin(), elements.end());
    EXPECT_EQ(all.size(), 100U) << "one for each script";
    for (const Bytes& element : elements) {
        EXPECT_EQ(element.size(), GetParam() == ScriptKind::tr ? 32U : 20U);
        EXPECT_FALSE(all.contains(hash_of(element)));
        if (element.size() != 20) continue;
        chain::Hash160 hash{};
        std::ranges::copy(element, hash.begin());
        EXPECT_FALSE(all.contains(hash_of(chain::p2wpkh_script(hash))));
    }
}

TEST_F(WatchedElements, ArePaddedByWhatFollowsFromTheWordsAlone) {
    const test::TemporaryFolder elsewhere;
    const auto restored =
        Wallet::create(elsewhere.path() / "restored", test::regtest_params(), test::new_wallet());
    EXPECT_EQ(restored.filter_padding().secret, wallet->filter_padding().secret);
    EXPECT_EQ(restored.watched_elements(0), wallet->watched_elements(0));

    auto other = test::new_wallet();
    other.passphrase = "TREZOR";
    const auto orphan = Wallet::create(elsewhere.path() / "other", test::regtest_params(), other);
    EXPECT_NE(orphan.filter_padding().secret, wallet->filter_padding().secret);
}

TEST_F(WatchedElements, ArePaddedAsBeforeWhenTheyGrow) {
    const chain::FilterPadding before = wallet->filter_padding();
    mine({pay(5, 40)});
    ASSERT_EQ(wallet->watched_elements(0).size(), 150U);
    EXPECT_EQ(wallet->watched_count(), 150U);
    reopen();
    EXPECT_EQ(wallet->watched_count(), 150U);
    EXPECT_EQ(wallet->filter_padding().secret, before.secret);
    EXPECT_EQ(wallet->filter_padding().first_elements, 100U);
}

using Groups = std::vector<std::vector<Bytes>>;

class AwaitedElements : public test::WalletFixture {
protected:
    AwaitedElements() : WalletFixture(test::new_wallet(100, 20)) {}

    /// The elements of a descriptor's addresses.
    std::vector<Bytes> elements_of(std::uint32_t descriptor, std::uint32_t begin,
                                   std::uint32_t end) const {
        std::vector<Bytes> elements;
        for (std::uint32_t i = begin; i < end; ++i) {
            const auto element = filter_element(wallet->script_at({descriptor, i}));
            elements.emplace_back(element.begin(), element.end());
        }
        return elements;
    }
};

TEST_F(AwaitedElements, AreThoseOfReceiveAddressesAlone) {
    EXPECT_EQ(wallet->awaited_elements(), (Groups{elements_of(0, 0, 100)}));
}

TEST_F(AwaitedElements, ChangeOnlyWithThePage) {
    const auto first = wallet->awaited_elements();
    mine({pay(5, 3)});
    EXPECT_EQ(wallet->awaited_elements(), first) << "a payment";
    static_cast<void>(wallet->receive_address(true));
    EXPECT_EQ(wallet->awaited_elements(), first) << "another address was handed out";
    reopen();
    EXPECT_EQ(wallet->awaited_elements(), first);

    mine({pay(5, 85)});
    EXPECT_EQ(wallet->awaited_elements(),
              (Groups{elements_of(0, 0, 100), elements_of(0, 100, 200)}))
        << "the next page is near";
    mine({pay(5, 130)});
    EXPECT_EQ(wallet->awaited_elements(), (Groups{elements_of(0, 100, 200)}));
}

TEST_F(AwaitedElements, IncludeThoseHandedOutAndNotPaid) {
    for (int i = 0; i < 130; ++i) static_cast<void>(wallet->receive_address(true));
    EXPECT_EQ(wallet->awaited_elements(),
              (Groups{elements_of(0, 0, 100), elements_of(0, 100, 200)}));
}

}  // namespace
}  // namespace petal::wallet
