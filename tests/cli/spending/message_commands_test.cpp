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

}  // namespace
}  // namespace petal::cli
