#include "wallet/ledger/spend_index.h"

#include <gtest/gtest.h>

#include "wallet/ledger/ledger_transaction.h"

namespace petal::wallet {
namespace {

LedgerTransaction confirmed_spend(const chain::Outpoint& coin, std::uint32_t height) {
    LedgerTransaction transaction;
    transaction.inputs = {coin};
    transaction.placement = Placement{height, 1};
    return transaction;
}

// No valid chain has two spends of one output, but a damaged file may.
TEST(SpendIndex, LosesNoneOfSeveralConfirmedSpenders) {
    const chain::Outpoint coin{chain::Txid{}, 7};
    const auto first = confirmed_spend(coin, 1);
    const auto second = confirmed_spend(coin, 2);
    for (const bool in_order : {true, false}) {
        const LedgerTransaction& removed = in_order ? first : second;
        const LedgerTransaction& left = in_order ? second : first;
        SpendIndex index;
        index.add(first);
        index.add(second);
        EXPECT_NE(index.confirmed_spender(coin), nullptr);
        index.remove(removed);
        EXPECT_EQ(index.confirmed_spender(coin), &left);
        index.remove(left);
        EXPECT_EQ(index.confirmed_spender(coin), nullptr);
    }
}

}  // namespace
}  // namespace petal::wallet
