/// The regtest node and Bitcoin Core as a network of two nodes. Both make random payments, blocks
/// and reorganisations, and must agree after each. PETAL_CORE_STEPS sets the number of steps,
/// PETAL_CORE_SEED the seed.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <iterator>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cli/text/amount.h"
#include "net/io/clocks.h"
#include "regtest/rpc/rpc_method.h"
#include "regtest/serve/embedded_node.h"
#include "tests/integration/core_peer.h"
#include "tests/integration/full_node.h"
#include "tests/integration/random_spends.h"
#include "tests/integration/rpc.h"
#include "wallet/descriptors/address.h"

namespace petal::test {
namespace {

using nlohmann::json;
using regtest::rpc::NodeSettings;
using regtest::rpc::RpcNode;

constexpr std::uint32_t kFirstBlocks = 300;
constexpr std::uint32_t kDeepest = 150;
constexpr std::uint64_t kDefaultSteps = 40;
/// An argument of sendrawtransaction: unspendable outputs may have any amount.
constexpr int kAnyBurnt = 21'000'000;
/// Bitcoin Core relays at once to peers with this permission, and otherwise after some seconds.
const std::vector<std::string> kAtOnce = {"-whitelist=in,out,noban@127.0.0.1", "-maxtxfee=10",
                                          "-blockfilterindex=1"};
/// The private keys 1 and 2.
const std::string kCoreKeys =
    "cMahea7zqjxrtgAbB7LSGbcQUr1uX1ojuat9jZodMN87JcbXMTcA,"
    "cMahea7zqjxrtgAbB7LSGbcQUr1uX1ojuat9jZodMN87K7XCyj5v";

std::uint64_t number_of(const char* variable, std::uint64_t otherwise) {
    const char* const text = std::getenv(variable);
    return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

/// An amount in bitcoin with eight decimals. The text of a double may have more, which Bitcoin Core
/// refuses.
std::string btc(std::int64_t satoshis) {
    return cli::format_btc(satoshis);
}

std::string message_of(const std::exception& error) {
    return error.what();
}

/// Both nodes, with one clock, and a wallet of Core.
class Network {
public:
    explicit Network(std::uint64_t seed)
        : random_(seed),
          node_(std::make_unique<regtest::EmbeddedNode>(regtest::ServerOptions{}, chain())) {
        settings_.machine_time = [this] { return now_.load(); };
        settings_.clock = regtest::rpc::BlockClock::machine;
    }

    void connect() {
        core_ = std::make_unique<CorePeer>(node_->endpoint(), kAtOnce);
        ASSERT_TRUE(core_->reaches(*node_)) << core_->log();
        set_time();
        core("createwallet", {"core"});
        import_multisig("multi(1," + kCoreKeys + ")");
        core_scripts_.insert(std::string(kBareMultisig));
        multisig_address_ = core("deriveaddresses",
                                 json::array({import_multisig("wsh(multi(2," + kCoreKeys + "))")}))
                                .at(0);
        for (int i = 0; i < 8; ++i) petal("sendtoaddress", {new_core_address(), 1.0});
        petal("generatetoaddress", {1, purse()});
        ASSERT_TRUE(core_->reaches(*node_)) << core_->log();
    }

    /// Makes one random step. Returns its name.
    std::string step() {
        struct Step {
            const char* name;
            unsigned weight;
            void (Network::*run)();
        };
        static const std::vector<Step> kSteps = {
            {"petal pays", 6, &Network::petal_pays},
            {"Core pays", 6, &Network::core_pays},
            {"petal mines", 4, &Network::petal_mines},
            {"Core mines", 4, &Network::core_mines},
            {"a judged transaction", 8, &Network::judge},
            {"Core replaces", 2, &Network::core_replaces},
            {"petal replaces", 2, &Network::petal_replaces},
            {"time passes", 1, &Network::time_passes},
            {"petal pays several", 2, &Network::petal_pays_several},
            {"a block of chosen transactions", 1, &Network::mine_some},
            {"a conflict confirms", 1, &Network::confirm_conflict},
            {"petal reorganises", 1, &Network::petal_reorganises},
            {"petal invalidates", 1, &Network::petal_invalidates},
            {"Core reorganises", 1, &Network::core_reorganises},
        };
        unsigned left = pick(40);
        for (const Step& step : kSteps) {
            if (left >= step.weight) {
                left -= step.weight;
                continue;
            }
            (this->*step.run)();
            return step.name;
        }
        return "none";
    }

    /// Expects equal tips, equal mempools, equal filters of all blocks, and that the coins of
    /// Core's wallet are those of the chain.
    void expect_agreement() {
        ASSERT_TRUE(CorePeer::wait_until([&] {
            return core("getbestblockhash").get<std::string>() == tip();
        })) << "Core is at "
            << core("getbestblockhash") << ", petal at " << tip();
        ASSERT_TRUE(CorePeer::wait_until([&] { return mempool_of_core() == mempool(); }))
            << mempool_difference();
        // Core's wallet is notified of blocks and transactions later than its mempool.
        core("syncwithvalidationinterfacequeue");
        if (std::exchange(has_reorganised_, false)) abandon_dead();
        expect_core_wallet_is_true();
        expect_equal_filters();
    }

    std::size_t compared_filters() const { return compared_filters_.size(); }

private:
    static constexpr const char* kTypes[] = {"legacy", "p2sh-segwit", "bech32", "bech32m"};

    regtest::RegtestChain chain() {
        const std::int64_t first = now_ - std::int64_t{kFirstBlocks} * 600;
        regtest::RegtestChain chain({first, regtest::PurseKind::p2wpkh,
                                     [this] { return now_.load(); },
                                     regtest::TransactionChecks::all});
        chain.mine(kFirstBlocks);
        return chain;
    }

    unsigned pick(unsigned below) { return static_cast<unsigned>(random_() % below); }

    json core(const std::string& method, const json& parameters = json::array()) {
        return core_->call(method, parameters);
    }
    json petal(const std::string& method, const json& parameters = json::array()) {
        json result;
        node_->run([&](regtest::RegtestChain& chain, regtest::NodePeers& peers) {
            RpcNode node{chain, peers, settings_};
            const auto arguments = regtest::rpc::Json::parse(parameters.dump());
            result = json::parse(regtest::rpc::call_method(node, method, arguments).dump());
        });
        return result;
    }

    std::string tip() { return petal("getbestblockhash"); }
    std::set<std::string> mempool() { return petal("getrawmempool"); }
    std::set<std::string> mempool_of_core() { return core("getrawmempool"); }
    /// The transactions that only one of the nodes has, and why the other refuses them.
    std::string mempool_difference() {
        const auto of_core = mempool_of_core();
        const auto of_petal = mempool();
        std::string text;
        for (const auto& txid : of_petal) {
            if (of_core.contains(txid)) continue;
            const json raw = {petal("getrawtransaction", json::array({txid}))};
            text += txid +
                    " is petal's alone: " + petal("getmempoolentry", json::array({txid})).dump() +
                    ", Core: " + core("testmempoolaccept", json::array({raw})).dump() + "\n";
        }
        for (const auto& txid : of_core) {
            if (of_petal.contains(txid)) continue;
            const json raw = {core("getrawtransaction", json::array({txid}))};
            text += txid +
                    " is Core's alone: " + core("getmempoolentry", json::array({txid})).dump() +
                    ", petal: " + petal("testmempoolaccept", json::array({raw})).dump() + "\n";
        }
        return text;
    }
    std::string purse() { return petal("getnewaddress"); }
    std::string new_core_address() {
        const unsigned type = pick(5);
        const std::string address =
            type == 4 ? multisig_address_
                      : core("getnewaddress", {"", kTypes[type]}).get<std::string>();
        core_scripts_.insert(core("validateaddress", json::array({address}))["scriptPubKey"]);
        return address;
    }
    std::string amount() { return btc(1'000 + pick(2'000'000)); }
    /// Returns the imported descriptor without its private keys.
    std::string import_multisig(const std::string& descriptor) {
        const json known = core("getdescriptorinfo", json::array({descriptor}));
        const std::string checksum = known["checksum"];
        const json wish = {{"desc", descriptor + "#" + checksum}, {"timestamp", "now"}};
        EXPECT_EQ(core("importdescriptors", {{wish}}).at(0)["success"], true);
        return known["descriptor"];
    }
    void set_time() { core("setmocktime", {now_.load()}); }

    void petal_pays() { pay_or_mine("sendtoaddress", {new_core_address(), amount()}); }
    void pay_or_mine(const std::string& method, const json& arguments) {
        try {
            petal(method, arguments);
        } catch (const regtest::rpc::RpcError& error) {
            if (error.code() != regtest::rpc::RpcCode::insufficient_funds) throw;
            petal_mines();  // the purse is empty at present
        }
    }
    void petal_pays_several() {
        json amounts = json::object();
        for (unsigned count = 2 + pick(8); count > 0; --count) {
            amounts[new_core_address()] = amount();
        }
        pay_or_mine("sendmany", {"", amounts});
    }
    void core_pays() {
        const std::string to = pick(2) == 0 ? purse() : new_core_address();
        try {
            core("sendtoaddress",
                 {to, amount(), "", "", false, true, nullptr, "unset", false, 1 + pick(20)});
        } catch (const std::runtime_error&) {  // the coins are spent or unconfirmed
            petal_pays();
        }
    }
    /// One of the nodes mines the first transactions of its mempool, so that no parent is missing.
    void mine_some() {
        const bool is_petal = pick(2) == 0;
        const json mempool = is_petal ? petal("getrawmempool") : core("getrawmempool");
        json chosen = json::array();
        for (const std::string txid : mempool) {
            const auto entry = is_petal ? petal("getmempoolentry", json::array({txid}))
                                        : core("getmempoolentry", json::array({txid}));
            const auto is_chosen = [&chosen](const json& parent) {
                return std::ranges::find(chosen, parent) != chosen.end();
            };
            if (pick(3) > 0 && std::ranges::all_of(entry["depends"], is_chosen)) {
                chosen.push_back(txid);
            }
        }
        const json arguments = {is_petal ? purse() : new_core_address(), chosen};
        is_petal ? petal("generateblock", arguments) : core("generateblock", arguments);
    }
    void petal_mines() { petal("generatetoaddress", {1 + pick(3), purse()}); }
    void core_mines() { core("generatetoaddress", {1 + pick(3), new_core_address()}); }
    /// A single step must be shorter than the time after which Core considers its peers dead.
    void time_passes() {
        now_ += 1 + pick(600);
        set_time();
        // The node uses its own clock, or the time is set by setmocktime.
        petal("setmocktime", {pick(2) == 0 ? 0 : now_.load()});
    }
    void petal_reorganises() {
        has_reorganised_ = true;
        const std::uint32_t depth = random_depth();
        node_->with_chain([&](regtest::RegtestChain& chain) {
            chain.set_time(now_);
            chain.reorganise(chain.height() - depth, depth + 1);
        });
    }
    std::uint32_t random_depth() { return 1 + (pick(8) == 0 ? pick(kDeepest) : pick(6)); }
    /// Reconsiders the block once the new branch has more work: the other node may return to the
    /// old branch, and extend it.
    void petal_invalidates() {
        has_reorganised_ = true;
        const std::uint32_t depth = random_depth();
        const std::uint32_t height = petal("getblockcount");
        const json left = json::array({petal("getblockhash", {height - depth + 1})});
        petal("invalidateblock", left);
        petal("generatetoaddress", {depth + 1, purse()});
        petal("reconsiderblock", left);
        return_forgotten();
    }
    /// A payment of petal's purse, in the mempool or in a block, is replaced by a conflict.
    void confirm_conflict() {
        json txids = petal("getrawmempool");
        if (pick(2) == 0) {
            const std::uint32_t height = petal("getblockcount");
            const json hash = petal("getblockhash", {height - pick(20)});
            txids = petal("getblock", json::array({hash}))["tx"];
            txids.erase(0);
        }
        for (const auto& txid : txids) {
            try {
                petal("confirmconflict", json::array({txid}));
                has_reorganised_ = true;
                return;
            } catch (const regtest::rpc::RpcError&) {  // the transaction is Core's
            }
        }
    }
    void core_reorganises() {
        has_reorganised_ = true;
        const std::uint32_t depth = random_depth();
        const std::uint32_t height = core("getblockcount");
        const json left = json::array({core("getblockhash", {height - depth + 1})});
        core("invalidateblock", left);
        core("generatetoaddress", {depth + 1, new_core_address()});
        core("reconsiderblock", left);
        return_forgotten();
    }
    /// Core's invalidateblock disconnects one block at a time. At every tip on the way, it drops
    /// the transactions that could not be in the next block because they are not final or not
    /// mature. petal disconnects the blocks in one step and keeps these transactions. The node
    /// whose blocks are invalidated forgets the transactions of all but the last ten blocks, and
    /// the other node does not. Neither announces them again.
    void return_forgotten() {
        ASSERT_TRUE(core_->reaches(*node_)) << core_->log();
        const auto of_core = mempool_of_core();
        const auto of_petal = mempool();
        for (const std::string txid : petal("getrawmempool")) {  // parents first
            if (of_core.contains(txid)) continue;
            core("sendrawtransaction",
                 {petal("getrawtransaction", json::array({txid})), 0, kAnyBurnt});
        }
        for (const std::string& txid : in_order(core("getrawmempool", {true}))) {
            if (of_petal.contains(txid)) continue;
            petal("sendrawtransaction",
                  {core("getrawtransaction", json::array({txid})), 0, kAnyBurnt});
        }
    }
    /// The txids of these entries, parents first.
    static std::vector<std::string> in_order(const json& entries) {
        std::vector<std::pair<int, std::string>> counted;
        for (const auto& [txid, entry] : entries.items()) {
            counted.emplace_back(entry["ancestorcount"], txid);
        }
        std::ranges::sort(counted);
        std::vector<std::string> txids;
        for (auto& [count, txid] : counted) txids.push_back(std::move(txid));
        return txids;
    }

    /// The descendants of a disconnected coinbase can never confirm. But Core's wallet does not
    /// spend their other inputs until the user abandons them.
    void abandon_dead() {
        std::set<std::string> open;
        for (const auto& entry : core("listtransactions", {"*", 100'000})) {
            if (entry["confirmations"] == 0 && !entry.value("abandoned", false)) {
                open.insert(entry["txid"]);
            }
        }
        for (const auto& txid : mempool_of_core()) open.erase(txid);
        for (const auto& txid : open) core("abandontransaction", json::array({txid}));
    }

    void core_replaces() {
        for (const auto& entry : core("listtransactions", {"*", 30})) {
            if (entry["category"] != "send" || entry["confirmations"] != 0) continue;
            try {
                core("bumpfee", json::array({entry["txid"]}));
                return;
            } catch (const std::runtime_error&) {  // it has descendants, or is replaced itself
            }
        }
    }
    void petal_replaces() {
        for (const auto& txid : petal("getrawmempool")) {
            try {
                petal("replacetransaction", json::array({txid}));
                return;
            } catch (const regtest::rpc::RpcError&) {  // the transaction is Core's
            }
        }
    }

    /// Lets both nodes judge a transaction of Core's, which may be invalid.
    void judge();

    using Coins = std::map<std::string, std::int64_t>;  ///< TXID:VOUT and satoshi
    void expect_core_wallet_is_true();
    void expect_equal_filters();
    /// The coins that only one side has, and what Core's wallet knows of them.
    std::string difference(const Coins& of_core, const Coins& of_chain);

    std::mt19937_64 random_;
    std::atomic<std::int64_t> now_{net::unix_time_now()};
    NodeSettings settings_;
    std::unique_ptr<regtest::EmbeddedNode> node_;
    std::unique_ptr<CorePeer> core_;
    RandomSpends spends_{
        [this](const auto& method, const auto& given) { return core(method, given); },
        [this](unsigned below) { return pick(below); }, [this] { return new_core_address(); }};
    std::string multisig_address_;  ///< P2WSH
    bool has_reorganised_ = false;
    std::set<std::string> compared_filters_;  // hashes of blocks
    std::set<std::string> core_scripts_;
};

void Network::judge() {
    const auto made = spends_.make();
    if (!made) return petal_mines();
    const std::string hex = chain::to_hex(made->serialize());
    json of_core;
    json of_petal;
    std::string error_of_core;
    std::string error_of_petal;
    try {
        of_core = core("testmempoolaccept", {{hex}, 0}).at(0);
    } catch (const std::runtime_error& error) {
        error_of_core = message_of(error);
    }
    try {
        of_petal = petal("testmempoolaccept", {{hex}, 0}).at(0);
    } catch (const std::runtime_error& error) {
        error_of_petal = message_of(error);
    }
    EXPECT_EQ(error_of_core.empty(), error_of_petal.empty())
        << error_of_core << " / " << error_of_petal << "\n"
        << hex;
    if (!error_of_core.empty()) return;
    EXPECT_EQ(of_core["allowed"], of_petal["allowed"]) << of_core << "\n"
                                                       << of_petal << "\n"
                                                       << hex;
    EXPECT_EQ(of_core.value("reject-reason", ""), of_petal.value("reject-reason", "")) << hex;
    // After a reorganisation, Core would not accept a version 3 transaction again that it has
    // forgotten.
    if (of_core["allowed"] != true || made->version == 3) return;
    if (pick(2) == 0) petal("sendrawtransaction", {hex, 0, kAnyBurnt});
    if (pick(4) == 0) core("sendrawtransaction", {hex, 0, kAnyBurnt});
}

void Network::expect_core_wallet_is_true() {
    Coins of_core;
    for (const auto& coin : core("listunspent", {1, 9'999'999, json::array(), true})) {
        core_scripts_.insert(coin["scriptPubKey"]);
        const std::string place =
            coin["txid"].get<std::string>() + ":" + std::to_string(coin["vout"].get<int>());
        of_core[place] = satoshis_of(coin["amount"]);
    }
    // Core's list does not include coins with an unconfirmed spend.
    const auto spent_in_mempool = [](const regtest::RegtestChain& chain) {
        std::set<chain::Outpoint> spent;
        for (const auto& transaction : chain.mempool().transactions()) {
            for (const auto& input : transaction.inputs) spent.insert(input.prevout);
        }
        return spent;
    };
    const auto of_chain = node_->with_chain([&](regtest::RegtestChain& chain) {
        Coins coins;
        const auto unavailable = spent_in_mempool(chain);
        for (const auto& [outpoint, coin] : chain.blocks().coins().all()) {
            if (unavailable.contains(outpoint)) continue;
            // Core's wallet waits one block more than necessary.
            if (!coin.is_mature(chain.height())) continue;
            if (!core_scripts_.contains(chain::to_hex(coin.script_pubkey()))) continue;
            coins[outpoint.txid.to_hex() + ":" + std::to_string(outpoint.index)] = coin.value();
        }
        return coins;
    });
    EXPECT_EQ(of_core, of_chain) << difference(of_core, of_chain);
}

std::string Network::difference(const Coins& of_core, const Coins& of_chain) {
    Coins odd;
    std::ranges::set_symmetric_difference(of_core, of_chain, std::inserter(odd, odd.end()));
    std::string text;
    for (const auto& [place, value] : odd) {
        const bool is_cores = of_core.contains(place);
        text += place + " " + std::to_string(value) +
                (is_cores ? " is Core's alone" : " is not Core's") + "\n";
        std::set<std::string> txids;
        for (const auto& entry : core("listtransactions", {"*", 100'000})) {
            txids.insert(entry["txid"]);
        }
        for (const auto& txid : txids) {
            const json known = core("gettransaction", {txid, true, true});
            if (known.dump().find(place.substr(0, 64)) == std::string::npos) continue;
            text += "  " + known.dump() + "\n";
        }
    }
    return text;
}

/// Compares the filters and filter headers of the blocks that were not compared before.
void Network::expect_equal_filters() {
    for (std::string hash = tip(); compared_filters_.insert(hash).second;) {
        EXPECT_EQ(petal("getblockfilter", {hash}), core("getblockfilter", {hash})) << hash;
        const json header = petal("getblockheader", {hash});
        if (header["height"] > 0) hash = header["previousblockhash"];
    }
}

TEST(CoreNetwork, AgreesAfterEachRandomStep) {
    if (const auto missing = why_missing(NodeKind::bitcoind); !missing.empty()) {
        GTEST_SKIP() << missing;
    }
    Network network(number_of("PETAL_CORE_SEED", 1));
    network.connect();
    const std::uint64_t steps = number_of("PETAL_CORE_STEPS", kDefaultSteps);
    std::map<std::string, int> done;
    for (std::uint64_t i = 0; i < steps && !testing::Test::HasFailure(); ++i) {
        SCOPED_TRACE("step " + std::to_string(i));
        const std::string name = network.step();
        ++done[name];
        network.expect_agreement();
        if (testing::Test::HasFailure()) ADD_FAILURE() << "after: " << name;
    }
    for (const auto& [name, count] : done) RecordProperty(name, count);
    EXPECT_GT(network.compared_filters(), kFirstBlocks);
}

}  // namespace
}  // namespace petal::test
