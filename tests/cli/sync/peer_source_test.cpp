#include "cli/sync/peer_source.h"

#include <gtest/gtest.h>

#include <sstream>

#include "cli/options/option_values.h"
#include "cli/regtest/temporary_folder.h"

namespace petal::cli {
namespace {

const net::Endpoint kOne{"192.0.2.1", 18'444};
const net::Endpoint kTwo{"192.0.2.2", 18'444};

class PeerSourceTest : public testing::Test {
protected:
    PeerSourceTest() {
        global_.network = table_network("regtest");
        global_.data_dir = folder_.path();
    }

    bool has_substitutes() {
        std::ostringstream out;
        std::istringstream in;
        Console console(in, out, out, {}, /*no_colour=*/true);
        return PeerSource(options_, global_, console, /*needs_filters=*/true).has_substitutes();
    }

    TemporaryFolder folder_;
    GlobalOptions global_;
    ConnectionOptions options_;
};

TEST_F(PeerSourceTest, HasSubstitutesIfMorePeersAreNamedThanUsed) {
    options_.connect = {kOne, kTwo};
    options_.peers = 1;
    EXPECT_TRUE(has_substitutes());
    options_.peers = 2;
    EXPECT_FALSE(has_substitutes());
}

TEST_F(PeerSourceTest, HasSubstitutesIfPeersAreSearchedFor) {
    options_.dns_seeds = {"seed.example"};
    EXPECT_TRUE(has_substitutes());
}

TEST_F(PeerSourceTest, HasNoSubstitutesForTheDefaultRegtestNode) {
    EXPECT_FALSE(has_substitutes());
}

}  // namespace
}  // namespace petal::cli
