#include "client/sync/peer_source.h"

#include <gtest/gtest.h>

#include <fstream>
#include <memory>
#include <vector>

#include "net/discovery/dns_seed_list.h"
#include "net/io/clocks.h"
#include "tests/support/temporary_folder.h"

namespace petal::client {
namespace {

const net::Endpoint kOne{"192.0.2.1", 18'444};
const net::Endpoint kTwo{"192.0.2.2", 18'444};

class PeerSourceTest : public testing::Test {
protected:
    bool has_substitutes() const {
        return PeerSource(options_, data_, /*services=*/0, {}).has_substitutes();
    }

    test::TemporaryFolder folder_;
    const DataFolder data_{folder_.path(), std::make_shared<const chain::NetworkParams>(
                                               *chain::find_network("regtest"))};
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

TEST_F(PeerSourceTest, SearchesWithoutADamagedFileAndTellsOfIt) {
    data_.make();
    std::ofstream(data_.peer_file()) << "no database";
    options_.dns_seeds = {"seed.example"};
    std::vector<PeerFileTrouble> told;
    PeerSource source(options_, data_, /*services=*/0,
                      [&told](const PeerFileTrouble& trouble) { told.push_back(trouble); });
    EXPECT_TRUE(source.searches());
    ASSERT_EQ(told.size(), 1U);
    EXPECT_EQ(told[0].kind, PeerFileTrouble::Kind::damaged);
    EXPECT_EQ(told[0].file, data_.peer_file());
}

// The nodes of all watchers are found by one search.
TEST_F(PeerSourceTest, AsksTheSeedsOfAllWatchersForTheServicesThatTheyNeed) {
    const DataFolder data{folder_.path(), std::make_shared<const chain::NetworkParams>(
                                              *chain::find_network("mainnet"))};
    const auto compact = net::dns_seed_names("mainnet", net::kNodeCompactFilters);
    const auto bloom = net::dns_seed_names("mainnet", net::kNodeBloom);
    ASSERT_NE(compact.at(0), bloom.at(0));
    PeerSource source(options_, data, net::kNodeBloom, {});
    source.look_for(net::kNodeCompactFilters, 1);
    net::SpvOptions options;
    source.apply(options);
    const net::Now now = net::read_clocks();
    EXPECT_TRUE(options.search->choose(8, now).empty());
    const auto asked = options.search->choose_seeds(8, now);
    EXPECT_EQ(asked.at(0), compact.at(0));
    for (const auto& seed : asked) options.search->on_seed_given_up(seed, now);
    source.look_for(net::kNodeBloom, 0);
    EXPECT_TRUE(options.search->choose(8, now).empty());
    EXPECT_EQ(options.search->choose_seeds(8, now).at(0), bloom.at(0));
}

TEST_F(PeerSourceTest, RefusesADataFolderThatCannotBeUsed) {
    std::ofstream(folder_.path() / "regtest") << "a file";
    EXPECT_THROW(PeerSource(options_, data_, /*services=*/0, {}), DataFolderError);
}

}  // namespace
}  // namespace petal::client
