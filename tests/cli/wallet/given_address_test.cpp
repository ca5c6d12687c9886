// Wherever a command takes an address, it takes a payment link, and blanks around both.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cli/regtest/node_payments.h"
#include "tests/cli/scene.h"

namespace petal::cli {
namespace {

using test::Outcome;
using test::Scene;

// The first address of test::kMnemonic, by BIP84, on regtest.
constexpr const char* kOwn = "bcrt1q6rz28mcfaxtmd6v789l9rrlrusdprr9pz3cppk";

class GivenAddress : public testing::TestWithParam<std::string> {
protected:
    GivenAddress() {
        scene.run({"restore", "--mnemonic-file", scene.write("words", test::kMnemonic)});
    }
    Json json(std::vector<std::string> words) const {
        words.push_back("--json");
        const Outcome outcome = scene.run(words);
        EXPECT_EQ(outcome.status, ExitStatus::done) << outcome.err;
        return outcome.json();
    }

    Scene scene;
};

TEST_P(GivenAddress, IsTakenByEveryCommand) {
    const std::string& given = GetParam();
    EXPECT_EQ(json({"label", given, "Rent"}).at("ref"), kOwn);
    EXPECT_TRUE(json({"history", "--address", given}).at("transactions").empty());
    EXPECT_EQ(json({"addresses", given}).at("addresses").at(0).at("label"), "Rent");
    const Json sealed = json({"sign-message", given, "text"});
    EXPECT_EQ(sealed.at("address"), kOwn);
    const auto signature = sealed.at("signature").get<std::string>();
    EXPECT_EQ(json({"verify-message", given, signature, "text"}).at("address"), kOwn);
    EXPECT_EQ(json({"--wallet", "w", "watch", given}).at("descriptors").size(), 1U);
    EXPECT_EQ(scene.run({"filter", "make", "--fpr", "0.1", given}).out,
              scene.run({"filter", "make", "--fpr", "0.1", kOwn}).out);
    const Outcome waiting =
        scene.run({"wait", "--address", given, "--connect", "127.0.0.1:1", "--timeout", "0.01"});
    EXPECT_EQ(waiting.status, ExitStatus::no_peer) << waiting.err;
    const auto payments = parse_node_payments({given});
    EXPECT_EQ(payments.at(0).address, kOwn);
}

INSTANTIATE_TEST_SUITE_P(Texts, GivenAddress,
                         testing::Values(kOwn, std::string(" ") + kOwn + "\t\r\n",
                                         std::string("bitcoin:") + kOwn,
                                         std::string(" BITCOIN:") + kOwn +
                                             "?amount=.5&label=Rent \n"));

TEST(GivenAddressOfAnotherNetwork, NamesItsNetworks) {
    struct Row {
        const char* address;
        const char* networks;
        const char* end;
    };
    // The script of kOwn, and BIP44's first address, on other networks.
    const Row rows[] = {
        {"tb1q6rz28mcfaxtmd6v789l9rrlrusdprr9pqcpvkl", "testnet3, testnet4 or signet", "\n"},
        {"bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu", "mainnet", " (--network mainnet)\n"},
        {"1LqBGSKuX5yYUonjxT5qGfpUsXKYYWeabA", "mainnet", " (--network mainnet)\n"},
    };
    const Scene scene;
    scene.run({"restore", "--mnemonic-file", scene.write("words", test::kMnemonic)});
    for (const Row& row : rows) {
        const std::string reason = std::string("an address of ") + row.networks +
                                   ", and this wallet is on regtest" + row.end;
        const Outcome sent = scene.run({"send", row.address, "0.001", "--yes"});
        EXPECT_EQ(sent.status, ExitStatus::failed);
        EXPECT_NE(sent.err.find(std::string(row.address) + ": " + reason), std::string::npos)
            << sent.err;
        EXPECT_NE(scene.run({"label", row.address, "x"}).err.find(reason), std::string::npos);
    }
}

TEST(NodePayments, TakeTheAmountOfALink) {
    const std::string address = kOwn;
    const auto payments = parse_node_payments(
        {"bitcoin:" + address + "?amount=.5", "bitcoin:" + address + "=0.25", address + "=0.1"});
    EXPECT_EQ(payments.at(0).amount, 50'000'000);
    EXPECT_EQ(payments.at(1).amount, 25'000'000);
    EXPECT_EQ(payments.at(2).amount, 10'000'000);
    EXPECT_THROW(parse_node_payments({"bitcoin:" + address + "?amount=x"}), CommandError);
}

TEST(GivenLink, ThatCannotBeReadIsRefused) {
    const Scene scene;
    scene.run({"create"});
    EXPECT_EQ(
        scene.run({"label", std::string("bitcoin:") + kOwn + "?req-x=1", "a", "--json"}).code(),
        "bad-uri");
}

}  // namespace
}  // namespace petal::cli
