// petal send and psbt create to addresses whose money may be lost.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "chain/bytes.h"
#include "chain/script/script.h"
#include "tests/cli/spending/send_scene.h"
#include "wallet/descriptors/address.h"

namespace petal::cli {
namespace {

using test::Outcome;

class RiskyOutputs : public test::SendScene {
protected:
    static std::string address_of(const chain::Bytes& script) {
        return wallet::address_of(script, *chain::find_network("regtest"));
    }
};

TEST_F(RiskyOutputs, AreWarnedOfByEachCommandThatPays) {
    make_wallet();
    struct Row {
        std::string code;
        chain::Bytes script;
    };
    const std::vector<Row> rows{
        {"unknown-witness-version", chain::witness_program_script(2, chain::Bytes(32, 1))},
        {"anchor", {0x51, 2, 0x4e, 0x73}},
        {"invalid-taproot-key", chain::witness_program_script(1, chain::Bytes(32, 0))},
    };
    for (const Row& row : rows) {
        const std::string address = address_of(row.script);
        const auto expect_warning = [&](const Outcome& outcome) {
            ASSERT_EQ(outcome.status, ExitStatus::done) << outcome.err;
            const Json warnings = outcome.json().at("warnings");
            ASSERT_EQ(warnings.size(), 1U) << row.code;
            EXPECT_EQ(warnings.at(0).at("code"), row.code);
            EXPECT_EQ(warnings.at(0).at("address"), address);
            EXPECT_NE(outcome.err.find("warning: " + address + ": "), outcome.err.npos)
                << outcome.err;
        };
        expect_warning(send({address, "0.001", "--dry-run"}));
        const Outcome created = scene.run({"psbt", "create", address, "0.001", "--json"});
        expect_warning(created);
        expect_warning(scene.run({"psbt", "sign", "-", "--yes", "--json"},
                                 created.json().at("psbt").get<std::string>()));
        // --yes confirms it, and nothing else does without a terminal.
        EXPECT_EQ(send({address, "0.001"}).status, ExitStatus::usage);
    }
    const Outcome usual = send({test::kPayee, "0.001", "--dry-run"});
    EXPECT_EQ(usual.json().at("warnings"), Json::array());
}

}  // namespace
}  // namespace petal::cli
