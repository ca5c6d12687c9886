#include "client/data/fee_floor.h"

#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <string>

#include "tests/support/temporary_folder.h"

namespace petal::client {
namespace {

using wallet::FeeRate;

constexpr std::int64_t kSyncTime = 1'700'000'000;

/// Peers of different network groups.
net::SyncStatus status_of(std::vector<chain::Satoshis> rates) {
    net::SyncStatus status;
    for (const chain::Satoshis rate : rates) {
        net::PeerReport& peer = status.peers.emplace_back();
        peer.group = {static_cast<chain::Byte>(status.peers.size())};
        peer.claims.has_version = true;
        peer.claims.least_fee_rate = rate;
    }
    return status;
}

net::SyncStatus of_two(chain::Satoshis rate) {
    return status_of({rate, rate});
}

class FeeFloorFile : public testing::Test {
protected:
    /// The fee rate that is written during a sync with this status.
    std::optional<FeeRate> floor_of(const net::SyncStatus& status) const {
        std::filesystem::remove(file_);
        FeeFloorWriter(file_).update(0, status, kSyncTime);
        return read_fee_floor(file_, kSyncTime);
    }

    test::TemporaryFolder folder_;
    const std::filesystem::path file_ = folder_.path() / "fee-floor.json";
};

TEST_F(FeeFloorFile, SaysWhatHalfOfThePeersRelay) {
    EXPECT_EQ(floor_of(status_of({2'000, 2'000})), FeeRate{2'000});
    EXPECT_EQ(floor_of(status_of({9'000, 1'000})), FeeRate{1'000});
    EXPECT_EQ(floor_of(status_of({1'000, 90'000, 2'000})), FeeRate{2'000});
    EXPECT_EQ(floor_of(status_of({1'000, 90'000, 80'000, 2'000})), FeeRate{2'000});
}

TEST_F(FeeFloorFile, CountsOnlyConnectedPeersThatRelay) {
    EXPECT_EQ(floor_of(status_of({})), std::nullopt);
    EXPECT_EQ(floor_of(of_two(100'000)), FeeRate{100'000});
    EXPECT_EQ(floor_of(of_two(100'001)), std::nullopt);
    EXPECT_EQ(floor_of(status_of({4'000, 3'000, chain::kMaxMoney})), FeeRate{3'000});
    for (const auto& leave_out : std::vector<std::function<void(net::PeerReport&)>>{
             [](auto& peer) { peer.ended = net::DisconnectReason::finished; },
             [](auto& peer) { peer.claims.has_version = false; },
             [](auto& peer) { peer.claims.takes_transactions = false; }}) {
        auto status = status_of({2'000, 5'000, 6'000});
        EXPECT_EQ(floor_of(status), FeeRate{5'000});
        leave_out(status.peers[1]);
        EXPECT_EQ(floor_of(status), FeeRate{2'000});
    }
}

TEST_F(FeeFloorFile, IsNotRaisedByOnePeer) {
    EXPECT_EQ(floor_of(status_of({90'000})), std::nullopt);
    EXPECT_EQ(floor_of(status_of({90'000, 0})), std::nullopt);
    EXPECT_EQ(floor_of(status_of({90'000, 0, 0, 0, 0, 0, 0, 0})), std::nullopt);
    EXPECT_EQ(floor_of(status_of({90'000, 0, 2'000})), FeeRate{2'000});
}

TEST_F(FeeFloorFile, CountsANetworkGroupOnce) {
    auto status = status_of({90'000, 90'000, 1'000});
    EXPECT_EQ(floor_of(status), FeeRate{90'000});
    status.peers[1].group = status.peers[0].group;
    EXPECT_EQ(floor_of(status), FeeRate{1'000});
    status.peers.pop_back();
    EXPECT_EQ(floor_of(status), std::nullopt);
    auto two_answers = status_of({5'000, 3'000, 4'000});
    two_answers.peers[1].group = two_answers.peers[0].group;
    EXPECT_EQ(floor_of(two_answers), FeeRate{3'000}) << "the lowest of the group";
}

TEST_F(FeeFloorFile, IsWithdrawnByTheSyncThatWroteIt) {
    FeeFloorWriter writer(file_);
    writer.update(0, of_two(0), kSyncTime);
    EXPECT_FALSE(std::filesystem::exists(file_)) << "peers state their rate after they connect";
    writer.update(0, of_two(2'500), kSyncTime);
    EXPECT_EQ(read_fee_floor(file_, kSyncTime), FeeRate{2'500});
    writer.update(0, of_two(0), kSyncTime + 60);
    EXPECT_EQ(read_fee_floor(file_, kSyncTime + 60), std::nullopt);
}

TEST_F(FeeFloorFile, IsReadForThreeHours) {
    FeeFloorWriter(file_).update(0, of_two(2'500), kSyncTime);
    EXPECT_EQ(read_fee_floor(file_, kSyncTime), FeeRate{2'500});
    EXPECT_EQ(read_fee_floor(file_, kSyncTime + 3 * 3'600), FeeRate{2'500});
    EXPECT_EQ(read_fee_floor(file_, kSyncTime + 3 * 3'600 + 1), std::nullopt);
    EXPECT_EQ(read_fee_floor(file_, kSyncTime - 1), std::nullopt)
        << "the time is in the future, so the clocks differ";
}

TEST_F(FeeFloorFile, IsRenewedWhileASyncLasts) {
    FeeFloorWriter writer(file_);
    writer.update(0, of_two(2'500), kSyncTime);
    std::filesystem::remove(file_);
    writer.update(0, of_two(2'500), kSyncTime + 599);
    EXPECT_FALSE(std::filesystem::exists(file_)) << "it was written a short time ago";
    writer.update(0, status_of({}), kSyncTime + 600);
    EXPECT_FALSE(std::filesystem::exists(file_)) << "no peer gives a fee rate";
    writer.update(0, of_two(2'500), kSyncTime + 600);
    EXPECT_EQ(read_fee_floor(file_, kSyncTime + 600), FeeRate{2'500});
}

TEST_F(FeeFloorFile, ChangesOnceAMinuteAndAtTheEnd) {
    {
        FeeFloorWriter writer(file_);
        for (std::int64_t second = 0; second < 60; ++second) {
            writer.update(0, of_two(2'000 + second), kSyncTime + second);
            EXPECT_EQ(read_fee_floor(file_, kSyncTime + second), FeeRate{2'000});
        }
        writer.update(0, of_two(3'000), kSyncTime + 60);
        EXPECT_EQ(read_fee_floor(file_, kSyncTime + 60), FeeRate{3'000});
        writer.update(0, of_two(4'000), kSyncTime + 61);
        EXPECT_EQ(read_fee_floor(file_, kSyncTime + 61), FeeRate{3'000});
        writer.update(0, status_of({}), kSyncTime + 62);
    }
    EXPECT_EQ(read_fee_floor(file_, kSyncTime + 61), FeeRate{4'000});
    EXPECT_EQ(read_fee_floor(file_, kSyncTime + 60), std::nullopt)
        << "it was written one second later";
}

TEST_F(FeeFloorFile, CombinesThePeersOfAllSyncs) {
    {
        FeeFloorWriter writer(file_);
        for (std::int64_t second = 0; second < 100; ++second) {
            writer.update(0, status_of({5'000, 6'000}), kSyncTime + second);
            writer.update(1, status_of({1'000, 7'000, 8'000}), kSyncTime + second);
        }
    }
    EXPECT_EQ(read_fee_floor(file_, kSyncTime + 100), FeeRate{6'000});
}

TEST_F(FeeFloorFile, ThatIsMalformedIsIgnored) {
    EXPECT_EQ(read_fee_floor(file_, kSyncTime), std::nullopt);
    const std::string time = R"({"time":1700000000,"sat_per_kvb":)";
    for (const std::string& text :
         {std::string{}, std::string("{"), std::string("[]"), time + "0}", time + "-1}",
          time + "100001}", time + "2000.5}", time + "1e300}", time + "\"2000\"}",
          std::string(R"({"sat_per_kvb":2000})"), std::string(5'000, ' ') + time + "2000}"}) {
        std::ofstream(file_, std::ios::trunc) << text;
        EXPECT_EQ(read_fee_floor(file_, kSyncTime), std::nullopt) << text;
    }
    std::ofstream(file_, std::ios::trunc) << time << "2000}";
    EXPECT_EQ(read_fee_floor(file_, kSyncTime), FeeRate{2'000});
    std::filesystem::remove(file_);
    std::filesystem::create_directory(file_);
    EXPECT_EQ(read_fee_floor(file_, kSyncTime), std::nullopt);
    EXPECT_NO_THROW(FeeFloorWriter(file_).update(0, of_two(2'000), kSyncTime));
}

}  // namespace
}  // namespace petal::client
