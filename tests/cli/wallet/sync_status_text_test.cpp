#include "cli/wallet/sync_status_text.h"

#include <gtest/gtest.h>

#include <sstream>

#include "cli/options/option_values.h"

namespace petal::cli {
namespace {

/// The warning for a last block that is this many seconds old.
std::string warning_for(const char* network, std::optional<std::int64_t> age) {
    GlobalOptions global;
    global.network = table_network(network);
    client::WalletSyncStatus sync_status;
    sync_status.header_height = 150'308;
    sync_status.tip_age = age;
    std::istringstream in;
    std::ostringstream err;
    Console console(in, err, err, {}, /*no_colour=*/true);
    warn_of_old_tip(sync_status, global, console);
    return err.str();
}

TEST(OldTip, IsWarnedOfOnPublicNetworksAfterTwoAndAHalfHours) {
    for (const char* network : {"mainnet", "testnet3", "testnet4", "signet"}) {
        EXPECT_EQ(warning_for(network, 8'999), "") << network;
        EXPECT_EQ(warning_for(network, std::nullopt), "") << network;
        const std::string warning = warning_for(network, 9'000);
        EXPECT_NE(warning.find("the last block, 150,308, is 2 h 30 min old"), std::string::npos);
        EXPECT_NE(warning.find("this machine's clock is wrong"), std::string::npos);
    }
    EXPECT_EQ(warning_for("regtest", 1'000'000'000), "");
}

}  // namespace
}  // namespace petal::cli
