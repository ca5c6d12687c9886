// Batches that cannot be stored: nothing of them remains, and the next batch can be stored.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>

#include "tests/wallet/wallet_fixture.h"
#include "wallet/wallet.h"

namespace petal::wallet {
namespace {

using chain::Bytes;
using test::all_of;
using test::expect_equal;
using Kind = WalletError::Kind;

/// A kind of statement that fails while a block is stored.
struct FailureCase {
    std::string name;
    std::string event;
    std::uint32_t paid;  // index of the address in the block that cannot be stored
};

constexpr std::uint32_t kMakesTheListGrow = 45;

void PrintTo(const FailureCase& c, std::ostream* out) {
    *out << c.name;
}

class FailingStore : public test::WalletFixture, public testing::WithParamInterface<FailureCase> {};

TEST_P(FailingStore, LeavesEverythingAsItWas) {
    mine({pay(10)});
    mine();
    mine({pay(1, 1, 7)});
    const auto before = all_of(*wallet);
    const auto& block = chain.mine({pay(20, GetParam().paid, 1)});
    execute("CREATE TRIGGER refuse BEFORE " + GetParam().event +
            " BEGIN SELECT RAISE(ABORT, 'refused'); END");

    EXPECT_TRUE(test::error_of([&] { return apply(block); }));
    expect_equal(all_of(*wallet), before);

    execute("DROP TRIGGER refuse");
    EXPECT_EQ(apply(block).grew, GetParam().paid == kMakesTheListGrow);
    EXPECT_FALSE(apply(block).grew);
    EXPECT_EQ(wallet->balance().confirmed, 31);
    reopen();
}

INSTANTIATE_TEST_SUITE_P(
    Statements, FailingStore,
    testing::Values(FailureCase{"Transactions", "INSERT ON tx", kMakesTheListGrow},
                    FailureCase{"Blocks", "INSERT ON block", kMakesTheListGrow},
                    FailureCase{"Scripts", "INSERT ON script", kMakesTheListGrow},
                    FailureCase{"SyncState", "UPDATE OF height ON sync", 2}),
    [](const auto& row) { return row.param.name; });

class WalletFailure : public test::WalletFixture {};

// No file may grow, which simulates a full disk within one process.
TEST_F(WalletFailure, FullDiskStopsOneBatchAndNoMore) {
    mine({pay(10)});
    const auto before = all_of(*wallet);
    const auto& block = chain.mine({pay(20, 1, 1)});
    std::signal(SIGXFSZ, SIG_IGN);
    rlimit limit{};
    ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &limit), 0);
    const rlimit none{0, limit.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &none), 0);
    const auto error = test::error_of([&] { return apply(block, Bytes(50'000)); });
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);

    EXPECT_EQ(error, Kind::storage);
    expect_equal(all_of(*wallet), before);
    apply(block);
    EXPECT_EQ(wallet->balance().confirmed, 30);
    reopen();
}

}  // namespace
}  // namespace petal::wallet
