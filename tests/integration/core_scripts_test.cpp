/// Random scripts of each version, run here and by Bitcoin Core with the rules of the mempool and
/// of blocks. PETAL_CORE_SCRIPTS sets the number of scripts, PETAL_CORE_SEED the first seed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "net/io/clocks.h"
#include "regtest/chain/block_check.h"
#include "regtest/mempool/script_checks.h"
#include "regtest/serve/embedded_node.h"
#include "tests/integration/core_peer.h"
#include "tests/integration/full_node.h"
#include "tests/integration/random_scripts.h"

namespace petal::test {
namespace {

constexpr std::uint64_t kDefaultScripts = 1'000;
constexpr std::size_t kOutputsOfPayment = 250;

std::uint64_t number_in(const char* variable, std::uint64_t otherwise) {
    const char* const text = std::getenv(variable);
    return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

/// The reason for which the scripts of the spend fail, or empty.
std::string reason_here(const chain::Transaction& transaction, const chain::TxOutput& spent,
                        chain::ScriptFlags flags) {
    const auto wrong = regtest::find_wrong_script(transaction, {&spent, 1}, flags);
    if (!wrong) return "";
    return flags == chain::kConsensusFlags ? regtest::block_reason(*wrong) : describe(*wrong);
}

std::string reason_of_mempool(const CorePeer& core, const chain::Transaction& transaction) {
    const auto raw = nlohmann::json::array({chain::to_hex(transaction.serialize())});
    const auto verdict = core.call("testmempoolaccept", {raw, 0}).at(0);
    return verdict.at("allowed") ? "" : verdict.at("reject-reason").get<std::string>();
}

/// The reason for which a block with the transaction is refused, or empty.
std::string reason_of_block(const CorePeer& core, const chain::Transaction& transaction) {
    try {
        core.call("generateblock", {"raw(51)", {chain::to_hex(transaction.serialize())}, false});
        return "";
    } catch (const std::runtime_error& error) {
        const std::string text = error.what();
        const std::string before = "TestBlockValidity failed: ";
        const auto start = text.find(before);
        if (start == std::string::npos) return text;
        const auto end = text.find("), ", start);
        return text.substr(start + before.size(),
                           end == std::string::npos ? end : end + 1 - start - before.size());
    }
}

TEST(CoreScripts, GiveTheSameResults) {
    if (const auto missing = why_missing(NodeKind::bitcoind); !missing.empty()) {
        GTEST_SKIP() << missing;
    }
    const std::uint64_t count = number_in("PETAL_CORE_SCRIPTS", kDefaultScripts);
    const std::uint64_t seed = number_in("PETAL_CORE_SEED", 59);
    std::vector<RandomScript> scripts;
    for (std::uint64_t i = 0; i < count; ++i) {
        scripts.emplace_back(static_cast<std::uint32_t>(seed + i));
    }
    const std::uint64_t payments = count / kOutputsOfPayment + 1;
    regtest::RegtestChain chain({net::unix_time_now() - 400'000, regtest::PurseKind::p2wpkh});
    chain.mine(static_cast<std::uint32_t>(110 + payments));
    std::vector<chain::Outpoint> outpoints;
    while (outpoints.size() < count) {
        std::vector<chain::TxOutput> outputs;
        while (outpoints.size() + outputs.size() < count && outputs.size() < kOutputsOfPayment) {
            outputs.push_back(scripts[outpoints.size() + outputs.size()].output());
        }
        const auto payment = chain.make_payment(outputs);
        for (std::uint32_t i = 0; i < outputs.size(); ++i) {
            outpoints.push_back({payment.txid(), i});
        }
        chain.mine_block({payment});
    }
    chain.mine(3);  // so that relative locks of one block are over
    regtest::EmbeddedNode node({}, std::move(chain));
    const CorePeer core(node.endpoint(), {"-acceptnonstdtxn=1"});
    ASSERT_TRUE(core.reaches(node)) << core.log();

    std::map<std::string, std::size_t> results;
    for (std::size_t i = 0; i < scripts.size(); ++i) {
        const auto& spent = scripts[i].output();
        const auto spend = scripts[i].spend(outpoints[i]);
        const auto in_mempool = reason_here(spend, spent, chain::kStandardFlags);
        const auto in_block = reason_here(spend, spent, chain::kConsensusFlags);
        ++results[in_mempool];
        ++results[in_block.empty() ? "valid in blocks" : in_block];
        EXPECT_EQ(reason_of_mempool(core, spend), in_mempool)
            << "seed " << seed + i << ": " << chain::to_hex(spent.script_pubkey) << " spent by "
            << chain::to_hex(spend.serialize());
        EXPECT_EQ(reason_of_block(core, spend), in_block)
            << "seed " << seed + i << ": " << chain::to_hex(spent.script_pubkey) << " spent by "
            << chain::to_hex(spend.serialize());
    }
    for (const auto& [reason, times] : results) {
        RecordProperty(reason.empty() ? "valid" : reason, static_cast<int>(times));
    }
    EXPECT_GE(results[""], count / 8) << "valid in the mempool";
    EXPECT_GE(results.size(), std::min<std::uint64_t>(30, count / 50)) << "kinds of results";
}

}  // namespace
}  // namespace petal::test
