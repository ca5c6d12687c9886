#include "client/sync/other_sync.h"

#include <gtest/gtest.h>

#include "chain/headers/header_file.h"
#include "client/data/stored_chain.h"
#include "net/io/clocks.h"
#include "tests/client/wallet_folder.h"

namespace petal::client {
namespace {

using std::chrono::milliseconds;

class OtherSyncTest : public testing::Test {
protected:
    OtherSyncTest() { folder_.create("some"); }

    OtherSync other(std::optional<milliseconds> timeout, WalletSync::Until until = {}) const {
        return {folder_.data(), "some", timeout, std::move(until)};
    }

    test::WalletFolder folder_;
};

TEST_F(OtherSyncTest, IsNoneWhileNoProcessHasTheLock) {
    EXPECT_TRUE(open_unless_synced(folder_.data(), "some"));
    const wallet::Wallet held = folder_.open("some", wallet::Access::sync);
    EXPECT_FALSE(open_unless_synced(folder_.data(), "some"));
    EXPECT_THROW(open_unless_synced(folder_.data(), "missing"), wallet::WalletError);
}

TEST_F(OtherSyncTest, HasNotSyncedAWalletWithoutBlocks) {
    StandingWriter writer(folder_.data().wallet_file("some"));
    writer.update({.is_confirmed = true}, net::unix_time_now());
    OtherSync sync = other(std::nullopt);
    EXPECT_FALSE(sync.look()) << "a peer's word does not replace the blocks";
    EXPECT_TRUE(sync.standing().is_confirmed);
    EXPECT_FALSE(sync.sync_status().synced);
    EXPECT_EQ(sync.wait_end(), std::nullopt) << "it may go on";
}

TEST_F(OtherSyncTest, IsGivenUpByTheTimeout) {
    OtherSync sync = other(milliseconds{0});
    EXPECT_FALSE(sync.look());
    EXPECT_EQ(sync.wait_end(), WaitEnd::timed_out);
    EXPECT_EQ(sync.remaining_timeout(), milliseconds{1});
    EXPECT_EQ(other(std::nullopt).remaining_timeout(), std::nullopt);
    EXPECT_EQ(other(milliseconds{60'000}).wait_end(), std::nullopt);
}

TEST_F(OtherSyncTest, IsAwaitedUntilTheProcessEnds) {
    std::optional<wallet::Wallet> held = folder_.open("some", wallet::Access::sync);
    int pauses = 0;
    auto wallet = other(std::nullopt).await([&] {
        if (++pauses == 2) held.reset();
    });
    ASSERT_TRUE(wallet);
    EXPECT_TRUE(*wallet) << "opened for a sync";
    EXPECT_EQ(pauses, 2);
    wallet->reset();
    held.emplace(folder_.open("some", wallet::Access::sync));
    const auto timed_out = other(milliseconds{0}).await([] {});
    ASSERT_FALSE(timed_out);
    EXPECT_EQ(timed_out.error(), WaitEnd::timed_out);
}

TEST_F(OtherSyncTest, AsksForTheAwaitedState) {
    int asked = 0;
    OtherSync sync = other(std::nullopt, [&asked](const wallet::Wallet&) { return ++asked > 1; });
    EXPECT_FALSE(sync.look());
    EXPECT_FALSE(sync.look());
    EXPECT_EQ(asked, 2);
}

}  // namespace
}  // namespace petal::client
