#include "cli/options/advice.h"

#include <gtest/gtest.h>

#include "tests/cli/scene.h"

namespace petal::cli {
namespace {

using test::Outcome;
using test::Scene;

// The advised command would fail as this one does.
TEST(Advice, NamesNoWalletThatIsNotThere) {
    const Scene scene;
    const std::string options =
        "`petal --network regtest --datadir " + scene.folder().string() + " ";
    const std::string missing = scene.run({"--wallet", "nope", "balance"}).err;
    EXPECT_NE(missing.find(options + "--wallet nope create` makes one"), std::string::npos)
        << missing;
    EXPECT_NE(missing.find(options + "wallets` lists"), std::string::npos) << missing;
    const std::string headers = scene.run({"--wallet", "nope", "headers", "status"}).err;
    EXPECT_NE(headers.find(options + "sync` fetches them"), std::string::npos) << headers;
    ASSERT_EQ(scene.run({"--wallet", "nope", "create"}).status, ExitStatus::done);
    EXPECT_NE(scene.run({"--wallet", "nope", "headers", "status"})
                  .err.find(options + "--wallet nope sync` fetches them"),
              std::string::npos);
}

TEST(Advice, OfRegtestSaysThatANewNodeHasANewChain) {
    GlobalOptions global;
    for (const auto& [network, words] :
         {std::pair{"regtest", "if the node was started anew, with a chain of its own, "},
          {"signet", "if its chain was made anew, "}}) {
        global.network =
            std::make_shared<const chain::NetworkParams>(*chain::find_network(network));
        EXPECT_EQ(if_made_anew(global),
                  words + std::string("`petal headers reset` forgets the stored one"));
    }
}

}  // namespace
}  // namespace petal::cli
