// Which addresses are handed out, and their labels.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "tests/cli/scene.h"

namespace petal::cli {
namespace {

using test::kMnemonic;
using test::Outcome;
using test::Scene;

/// A scene with the wallet of kMnemonic.
struct AddressScene : Scene {
    AddressScene() {
        const std::string words = write("words.txt", std::string(kMnemonic) + "\n");
        EXPECT_EQ(run({"restore", "--mnemonic-file", words}).status, ExitStatus::done);
    }
    std::string address(std::vector<std::string> options = {}) const {
        options.insert(options.begin(), {"receive", "--json"});
        return run(options).json().at("address");
    }
};

TEST(Addresses, ListTheNextOnesOfEitherChain) {
    const AddressScene scene;
    const Json receive = scene.run({"addresses", "--json"}).json().at("addresses");
    ASSERT_EQ(receive.size(), 20U);
    EXPECT_EQ(receive[0].at("path"), "m/84h/1h/0h/0/0");
    EXPECT_EQ(receive[0].at("used"), false);
    EXPECT_EQ(receive[0].at("received_sat"), 0);
    const Json change = scene.run({"addresses", "--change", "--json"}).json().at("addresses");
    EXPECT_EQ(change[0].at("path"), "m/84h/1h/0h/1/0");
    EXPECT_NE(change[0].at("address"), receive[0].at("address"));
}

TEST(Addresses, TellWhetherAnAddressIsTheWallets) {
    const AddressScene scene;
    const std::string far =
        scene.run({"addresses", "--change", "--json"}).json().at("addresses")[9].at("address");
    const Json found = scene.run({"addresses", far, "--json"}).json().at("addresses");
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].at("path"), "m/84h/1h/0h/1/9");
    EXPECT_EQ(
        scene.run({"addresses", "bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080", "--json"}).code(),
        "not-in-wallet");
    EXPECT_EQ(
        scene.run({"addresses", "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4", "--json"}).code(),
        "bad-address");
}

TEST(History, RefusesAnAddressThatIsNotTheWallets) {
    const AddressScene scene;
    const Outcome own = scene.run({"history", "--address", scene.address(), "--json"});
    EXPECT_EQ(own.status, ExitStatus::done) << own.err;
    const Outcome foreign = scene.run(
        {"history", "--address", "bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080", "--json"});
    EXPECT_EQ(foreign.status, ExitStatus::failed);
    EXPECT_EQ(foreign.code(), "not-in-wallet");
}

TEST(Receive, GivesOneAddressToEachPayer) {
    const AddressScene scene;
    const std::string shown = scene.address();
    EXPECT_EQ(scene.address(), shown) << "the address stays the same until it is paid";
    const std::set<std::string> addresses{
        shown,
        scene.address({"--new"}),
        scene.address({"--label", "A"}),
        scene.address({"--new", "--label", "B"}),
        scene.address({"--amount", "0.1"}),
        scene.address({"--new"}),
    };
    EXPECT_EQ(addresses.size(), 6U);
    EXPECT_EQ(scene.address(), shown);
    const Json listed = scene.run({"addresses", "--json"}).json().at("addresses");
    EXPECT_EQ(listed[2].at("label"), "A");
    EXPECT_EQ(listed[3].at("label"), "B");
}

TEST(Receive, RefusesAnAmountOfZero) {
    const AddressScene scene;
    for (const char* amount : {"0", "0sat", "0.0"}) {
        const Outcome outcome = scene.run({"receive", "--amount", amount});
        EXPECT_EQ(outcome.status, ExitStatus::usage) << amount;
        EXPECT_NE(outcome.err.find("more than 0"), std::string::npos) << outcome.err;
    }
}

TEST(Receive, GivesATerminalNoControlsInJson) {
    const AddressScene scene;
    const std::string label = "a\u202e\u009b31m\u2028b\x7f\U000e0041";
    const Outcome outcome = scene.run({"receive", "--label", label, "--json"});
    EXPECT_EQ(outcome.json().at("label"), label);
    EXPECT_NE(outcome.out.find("\\u202e\\u009b31m\\u2028b\\u007f\\udb40\\udc41"), std::string::npos)
        << outcome.out;
    const Outcome listed = scene.run({"addresses", "--json"});
    EXPECT_EQ(listed.out.find("\u202e"), std::string::npos);
}

TEST(Label, IsChangedAndRemovedByACommandOfItsOwn) {
    const AddressScene scene;
    const std::string address = scene.address({"--label", "A"});
    const auto label_of = [&] {
        return scene.run({"addresses", "--json"}).json().at("addresses")[0].at("label");
    };
    EXPECT_EQ(label_of(), "A");
    const Outcome changed = scene.run({"label", address, "B", "--json"});
    EXPECT_EQ(changed.out, "{\"type\":\"addr\",\"ref\":\"" + address +
                               "\",\"label\":\"B\",\"previous_label\":\"A\"}\n");
    EXPECT_EQ(label_of(), "B");
    std::string upper = address;
    std::ranges::transform(upper, upper.begin(),
                           [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    EXPECT_EQ(scene.run({"label", upper, "B", "--json"}).json().at("ref"), address);
    EXPECT_EQ(scene.run({"label", upper, "B"}).out, address + " has the label 'B'.\n");
    EXPECT_EQ(scene.run({"label", address, " \t "}).status, ExitStatus::usage);
    EXPECT_EQ(scene.run({"receive", "--label", "  "}).status, ExitStatus::usage);
    EXPECT_EQ(scene.run({"label", address, "C"}).out,
              address + " has the label 'C' instead of 'B'.\n");
    EXPECT_EQ(scene.run({"label", address}).out, address + " has the label 'C'.\n");
    EXPECT_EQ(scene.run({"label", upper, "--json"}).json(),
              Json({{"type", "addr"}, {"ref", address}, {"label", "C"}}));
    EXPECT_EQ(scene.run({"label", address, "D", "--remove"}).status, ExitStatus::usage);
    EXPECT_EQ(scene.run({"label", address, ""}).out, "Removed the label 'C' of " + address + ".\n");
    EXPECT_EQ(label_of(), "");
    EXPECT_EQ(scene.run({"label", address}).out, address + " has no label.\n");
    EXPECT_EQ(scene.run({"label", address, "--remove"}).out,
              address + " has no label of its own: there is none to remove.\n");
    EXPECT_EQ(scene.run({"label", address, "E"}).status, ExitStatus::done);
    EXPECT_EQ(scene.run({"label", address, "--remove", "--json"}).json().at("previous_label"), "E");
    EXPECT_NE(scene.address(), address) << "it had a label before";
}

TEST(Label, NeedsATargetInTheWallet) {
    const AddressScene scene;
    const std::string txid(64, 'a');
    for (const std::string& target :
         {std::string("bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080"), txid, txid + ":0"}) {
        const Outcome outcome = scene.run({"label", target, "x", "--json"});
        EXPECT_EQ(outcome.status, ExitStatus::failed) << target;
        EXPECT_EQ(outcome.code(), "not-in-wallet") << target;
    }
    EXPECT_EQ(scene.run({"label", "bcrt1nonsense", "x", "--json"}).code(), "bad-address");
    const std::string address = "bcrt1q42…vdq7";
    for (const std::vector<std::string>& arguments :
         std::vector<std::vector<std::string>>{{"label", address}, {"addresses", address}}) {
        EXPECT_NE(scene.run(arguments).err.find("--full addresses` shows whole addresses"),
                  std::string::npos);
    }
    EXPECT_NE(scene.run({"label", "hello"}).err.find("hello is no address, TXID or TXID:VOUT\n"),
              std::string::npos);
    EXPECT_EQ(scene.run({"label"}).status, ExitStatus::usage);
}

TEST(Receive, KeepsALabelWithTheAddress) {
    const AddressScene scene;
    const Json labelled =
        scene.run({"receive", "--new", "--label", "Lunch & more", "--json"}).json();
    EXPECT_EQ(labelled.at("label"), "Lunch & more");
    ASSERT_EQ(scene.run({"receive", "--new", "--json"}).json().at("label"), "");
    const Json addresses = scene.run({"addresses", "--json"}).json().at("addresses");
    EXPECT_EQ(addresses[0].at("address"), labelled.at("address"));
    EXPECT_EQ(addresses[0].at("label"), "Lunch & more");
    EXPECT_EQ(addresses[1].at("label"), "");
    EXPECT_NE(scene.run({"addresses"}).out.find("Lunch & more"), std::string::npos);
    EXPECT_NE(scene.run({"receive", "--json"}).json().at("address"), labelled.at("address"));
    const std::string too_long(1'021, 'x');
    EXPECT_EQ(scene.run({"receive", "--label", too_long}).status, ExitStatus::usage);
}

TEST(Receive, WarnsIfOldKeysWereNotSearched) {
    const AddressScene scene;
    const std::string words = scene.path("words.txt").string();
    const auto restore = [&](const std::string& name, std::vector<std::string> command) {
        command.insert(command.begin(), {"--network", "signet", "--wallet", name});
        EXPECT_EQ(scene.run(command).status, ExitStatus::done) << name;
        return scene.run({"--network", "signet", "--wallet", name, "receive"}).err;
    };
    const std::string warning = "never synced";
    EXPECT_NE(restore("old", {"restore", "--mnemonic-file", words}).find(warning),
              std::string::npos);
    EXPECT_EQ(restore("new", {"create", "--json"}).find(warning), std::string::npos);
}

TEST(Receive, PrintsTheAddressThenALinkAndACode) {
    const AddressScene scene;
    const std::string address = "bcrt1q6rz28mcfaxtmd6v789l9rrlrusdprr9pz3cppk";
    EXPECT_EQ(scene.run({"receive", "--amount", "0.001", "--label", "a b"}).out,
              address + "\nbitcoin:" + address + "?amount=0.001&label=a%20b\n");
    const std::string with_code = scene.run({"receive", "--qr", "--amount", "100000sat"}).out;
    EXPECT_TRUE(with_code.starts_with("bcrt1q")) << with_code;
    EXPECT_NE(with_code.find("\nbitcoin:bcrt1q"), std::string::npos);
    EXPECT_NE(with_code.find("?amount=0.001\n\n█"), std::string::npos);
    EXPECT_EQ(with_code.find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace petal::cli
