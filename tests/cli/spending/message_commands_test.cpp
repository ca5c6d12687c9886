// petal sign-message and verify-message.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/cli/scene.h"
#include "tests/support/type_name.h"

namespace petal::cli {
namespace {

using test::Outcome;
using test::Scene;

class MessageCommands : public testing::Test {
protected:
    std::string address_of_new_wallet(const std::string& type) {
        const std::string words = scene.write("words.txt", test::kMnemonic);
        EXPECT_EQ(scene.run({"restore", "--type", type, "--mnemonic-file", words}).status,
                  ExitStatus::done);
        return scene.run({"receive", "--json"}).json().at("address").get<std::string>();
    }
    Outcome verify(const std::string& address, const std::string& signature,
                   const std::string& message, const std::string& input = "") const {
        return scene.run({"verify-message", address, signature, message, "--json"}, input);
    }

    Scene scene;
};

class MessageCommandsOfType : public MessageCommands,
                              public testing::WithParamInterface<const char*> {};

INSTANTIATE_TEST_SUITE_P(Types, MessageCommandsOfType,
                         testing::Values("pkh", "sh-wpkh", "wpkh", "tr"), test::TypeName());

TEST_P(MessageCommandsOfType, SignWhatTheyVerify) {
    const std::string address = address_of_new_wallet(GetParam());
    const Outcome outcome = scene.run({"sign-message", address, "-", "--json"}, "of two\nlines\n");
    ASSERT_EQ(outcome.status, ExitStatus::done) << outcome.err;
    const Json made = outcome.json();
    const std::string signature = made.at("signature").get<std::string>();
    const Outcome verified = verify(address, signature, "-", "of two\nlines\n");
    ASSERT_EQ(verified.status, ExitStatus::done) << verified.out;
    EXPECT_EQ(verified.json().at("valid"), true);
    EXPECT_EQ(verified.json().at("format"), made.at("format"));
    const Outcome other = verify(address, signature, "of two\nlines");
    EXPECT_EQ(other.status, ExitStatus::failed);
    EXPECT_EQ(other.code(), "bad-signature");
}

TEST_F(MessageCommands, RefuseForeignAddressesAndFormatsThatATypeCannotHave) {
    const std::string address = address_of_new_wallet("wpkh");
    EXPECT_EQ(scene
                  .run({"sign-message", "bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080", "hello",
                        "--json"})
                  .code(),
              "not-in-wallet");
    const Outcome legacy = scene.run({"sign-message", address, "hello", "--format", "legacy"});
    EXPECT_EQ(legacy.status, ExitStatus::usage);
    EXPECT_NE(legacy.err.find("the format legacy, but simple or full"), std::string::npos)
        << legacy.err;
    EXPECT_EQ(
        scene.run({"sign-message", "1BoatSLRHtKNngkdXEeobR76b53LETtpyT", "hello", "--json"}).code(),
        "bad-address");
}

// Electrum: tests/test_bitcoin.py.
TEST_F(MessageCommands, NameTheFormOfAnOlderSegwitSignature) {
    const std::string signature =
        "HyFaND+87TtVbRhkTfT3mPNBCQcJ32XXtNZGW8sFldJsNpOPCegEmdcCf5Thy18hdMH88GLxZLkOby/EwVUuSeA=";
    const auto verify_mainnet = [&](const std::string& address, bool json) {
        std::vector<std::string> words{"--network", "mainnet", "verify-message",
                                       address,     signature, "Electrum"};
        if (json) words.emplace_back("--json");
        return scene.run(words);
    };
    const std::string native = "bc1qq2tmmcngng78nllq2pvrkchcdukemtj56uyue0";
    EXPECT_EQ(verify_mainnet(native, true).json().at("format"), "electrum");
    EXPECT_EQ(verify_mainnet(native, false).out,
              "valid: the owner of " + native + " has signed this (electrum)\n");
    // Of no key: petal does not know what such a signature would be.
    const Outcome script =
        verify_mainnet("bc1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3qccfmv3", true);
    EXPECT_EQ(script.status, ExitStatus::failed);
    EXPECT_EQ(script.code(), "cannot-verify");
}

}  // namespace
}  // namespace petal::cli
