/// Blocks of a hostile miner, which petal follows and Bitcoin Core refuses. Once the honest chain
/// has more work, petal must show what Core's wallet with the same keys shows.
/// PETAL_HOSTILE_MINERS=FIRST-LAST sets the seeds.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "chain/block.h"
#include "chain/byte_writer.h"
#include "net/io/clocks.h"
#include "regtest/serve/embedded_node.h"
#include "tests/integration/actors.h"
#include "tests/integration/client.h"
#include "tests/integration/core_peer.h"
#include "tests/integration/full_node.h"
#include "tests/integration/rpc.h"
#include "tests/support/ports.h"

namespace petal::test {
namespace {

using chain::Outpoint;
using chain::Transaction;
using nlohmann::json;
using wallet::ScriptKind;

constexpr std::uint32_t kHonestBlocks = 220;
constexpr int kRounds = 1;
/// Honest payments use no other indexes, so that none is beyond the gap limit.
constexpr std::uint32_t kScripts = 18;
constexpr std::array kTypes{ScriptKind::wpkh, ScriptKind::tr, ScriptKind::sh_wpkh, ScriptKind::pkh};
/// Both nodes answer `mempool` at once.
constexpr std::chrono::milliseconds kMempoolWait{700};

/// The seeds, or those of PETAL_HOSTILE_MINERS, for a long search or to replay one.
std::pair<std::uint64_t, std::uint64_t> seeds(std::uint64_t first, std::uint64_t last) {
    if (const char* range = std::getenv("PETAL_HOSTILE_MINERS")) {
        EXPECT_EQ(std::sscanf(range, "%" SCNu64 "-%" SCNu64, &first, &last), 2) << range;
    }
    return {first, last};
}

std::string text_of(const Outpoint& outpoint) {
    return outpoint.txid.to_hex() + ":" + std::to_string(outpoint.index);
}

std::string hex_of(const regtest::RegtestBlock& block) {
    chain::ByteWriter bytes;
    bytes.bytes(block.header.serialize()).compact_size(block.transactions.size());
    for (const Transaction& transaction : block.transactions) bytes.bytes(transaction.serialize());
    return chain::to_hex(bytes.view());
}

/// What petal shows of its chain and the mempools. Amounts are in satoshi; an unconfirmed
/// transaction has the height 0.
json shown_by(const wallet::Wallet& wallet) {
    const wallet::Balance balance = wallet.balance();
    json shown = {{"mature", balance.confirmed + balance.pending},
                  {"immature", balance.immature},
                  {"coins", json::object()},
                  {"transactions", json::object()}};
    for (const wallet::Coin& coin : wallet.coins()) {
        // Bitcoin Core waits one block more than necessary.
        if (coin.coinbase && coin.confirmations <= 100) continue;
        shown["coins"][text_of(coin.outpoint)] = {coin.value, coin.height.value_or(0)};
    }
    for (const wallet::HistoryEntry& entry : wallet.history(0)) {
        if (!entry.counts()) continue;
        const std::string block = entry.block_hash ? entry.block_hash->to_hex() : "";
        shown["transactions"][entry.txid.to_hex()] = {entry.net, entry.height.value_or(0), block};
    }
    return shown;
}

/// A wallet of petal and one of Bitcoin Core with the same keys, an honest chain that the embedded
/// node and Core share, and nodes of a hostile miner.
class JudgedHistory {
public:
    explicit JudgedHistory(std::uint64_t seed)
        : random_(seed),
          type_(kTypes[seed % kTypes.size()]),
          owner_(type_),
          client_({20, 30}, type_),
          node_({}, make_chain(kHonestBlocks)),
          core_port_(free_port()),
          core_(node_.endpoint(), {"-listen=1", "-bind=127.0.0.1:" + std::to_string(core_port_),
                                   "-peerbloomfilters=1", "-whitelist=in,out,noban@127.0.0.0/8"}) {}

    void begin() {
        ASSERT_TRUE(core_.reaches(node_)) << core_.log();
        core("createwallet", {"same", false, true});
        json requests = json::array();
        const auto wallet = client_.open();
        for (const auto& descriptor : wallet.private_descriptors(wallet.secret(""))) {
            requests.push_back({{"desc", std::string(descriptor.begin(), descriptor.end())},
                                {"active", true},
                                {"internal", requests.size() == 1},
                                {"range", {0, 50}},
                                {"timestamp", 0}});
        }
        for (const json& result : core("importdescriptors", json::array({requests}))) {
            ASSERT_EQ(result.at("success"), true) << result;
        }
        for (int i = 0; i < 4; ++i) receive();
        mine();
        for (int i = 0; i < 6; ++i) step();
        mine();
        sync_honestly();
    }

    /// petal follows blocks that Core refuses, until the honest chain has more work.
    /// How often petal has followed a made-up block.
    std::size_t followed() const { return followed_; }
    void play_round() {
        for (unsigned left = pick(6); left > 0; --left) step();
        follow_hostile_miner();
        while (height() <= hostile_height_) step();
        if (pick(2) == 0) step();
        if (pick(3) == 0) {
            // The hostile peer may be the only one that answers in time.
            client_.sync({hostile_.back()->endpoint(), honest_endpoint()}, options(2));
        }
        sync_honestly();
    }

    /// Expects that petal, as it is, and restored from the honest chain, shows what Core's wallet
    /// shows, and nothing that a hostile miner has made up.
    void expect_agreement() {
        const auto wallet = client_.open();
        const json of_petal = shown_by(wallet);
        expect_equal(shown_by_core(), of_petal);
        EXPECT_GE(of_petal["transactions"].size(), 5U);
        for (const wallet::HistoryEntry& entry : wallet.history(0)) {
            EXPECT_FALSE(entry.undone) << entry.txid.to_hex();
            EXPECT_TRUE(is_known(entry)) << entry.txid.to_hex();
        }
        Client restored({20, 30}, type_);
        expect_synced(restored, honest_endpoint());
        expect_equal(shown_by(restored.open()), of_petal);
        EXPECT_EQ(spendable(wallet), spendable(restored.open()));
    }

private:
    unsigned pick(unsigned below) { return static_cast<unsigned>(random_() % below); }

    json core(const std::string& method, const json& parameters = json::array()) const {
        return core_.call(method, parameters);
    }

    regtest::RegtestChain make_chain(std::uint32_t blocks) const {
        regtest::RegtestChain chain({first_time_, regtest::PurseKind::p2wpkh,
                                     [this] { return now_.load(); },
                                     regtest::TransactionChecks::all});
        chain.mine(blocks);
        return chain;
    }

    std::uint32_t height() {
        return node_.with_chain([](regtest::RegtestChain& chain) { return chain.height(); });
    }

    static bool is_of_mempool(regtest::RegtestChain& chain, const Outpoint& outpoint) {
        return chain.mempool().transaction(outpoint.txid) != nullptr;
    }

    /// The owner's outputs that no honest transaction spends.
    std::map<Outpoint, chain::TxOutput> coins() {
        return node_.with_chain([this](regtest::RegtestChain& chain) {
            std::map<Outpoint, chain::TxOutput> coins;
            for (const auto& [outpoint, output] : outputs_) {
                const bool is_confirmed = chain.blocks().coins().find(outpoint) != nullptr;
                if (is_confirmed || is_of_mempool(chain, outpoint)) coins[outpoint] = output;
            }
            for (const Transaction& transaction : chain.mempool().transactions()) {
                for (const auto& input : transaction.inputs) coins.erase(input.prevout);
            }
            return coins;
        });
    }

    chain::TxOutput own_output(std::uint32_t scripts = kScripts) {
        const auto key_chain = wallet::kKeyChains[pick(2)];
        const std::uint32_t index = pick(scripts);
        return {10'000 + pick(90'000), owner_.script({key_chain, index})};
    }

    void announce(const Transaction& transaction) {
        const auto accepted = node_.with_chain(
            [&](regtest::RegtestChain& chain) { return chain.offer(transaction); });
        ASSERT_TRUE(accepted) << describe(accepted.error());
        const chain::Txid txid = transaction.txid();
        known_.insert_or_assign(txid, transaction);
        for (std::uint32_t i = 0; i < transaction.outputs.size(); ++i) {
            const auto& output = transaction.outputs[i];
            if (owner_.find(output.script_pubkey)) outputs_[{txid, i}] = output;
        }
    }

    // The honest events.

    void step() {
        switch (pick(8)) {
            case 0:
            case 1:
                return receive();
            case 2:
            case 3:
                return pay();
            case 4:
                return replace();
            case 5:
                return pick(4) == 0 ? reorganise() : mine();
            default:
                return mine();
        }
    }

    void receive() {
        std::vector<chain::TxOutput> outputs;
        for (unsigned left = 1 + pick(3); left > 0; --left) outputs.push_back(own_output());
        announce(node_.with_chain(
            [&](regtest::RegtestChain& chain) { return chain.make_payment(outputs); }));
    }

    void pay() {
        auto unspent = coins();
        Transaction payment;
        chain::Satoshis left = 0;
        for (unsigned inputs = 1 + pick(3); inputs > 0 && !unspent.empty(); --inputs) {
            const auto coin =
                std::next(unspent.begin(), pick(static_cast<unsigned>(unspent.size())));
            payment.inputs.push_back({coin->first, {}, 0xfffffffd, {}});
            left += coin->second.value;
            unspent.erase(coin);
        }
        const chain::Satoshis fee = 2'000 + pick(2'000);
        if (left < 4 * fee) return receive();
        const chain::Satoshis paid = (left - fee) / (1 + pick(3));
        payment.outputs = {{paid, World::script()}};
        if (left - paid - fee > 1'000) {
            payment.outputs.push_back({left - paid - fee, own_output().script_pubkey});
        }
        owner_.sign(payment, outputs_);
        announce(payment);
    }

    /// The last payment in the mempool pays another fee, and less to its first output.
    void replace() {
        auto known = node_.with_chain([this](regtest::RegtestChain& chain) {
            std::vector<Transaction> payments;
            for (const Transaction& transaction : chain.mempool().transactions()) {
                if (outputs_.contains(transaction.inputs[0].prevout))
                    payments.push_back(transaction);
            }
            return payments;
        });
        if (known.empty() || known.back().outputs[0].value < 8'000) return pay();
        Transaction replacement = std::move(known.back());
        replacement.outputs[0].value -= 6'000;
        for (auto& input : replacement.inputs) input.witness.clear();
        for (auto& input : replacement.inputs) input.script_sig.clear();
        owner_.sign(replacement, outputs_);
        announce(replacement);
    }

    void mine() {
        const bool is_the_owner = pick(4) == 0;
        const chain::Bytes script = is_the_owner ? own_output().script_pubkey : World::script();
        if (pick(2) == 0) {
            expect_one_network();
            const std::string raw = "raw(" + chain::to_hex(script) + ")";
            const std::string checksum = core("getdescriptorinfo", json::array({raw}))["checksum"];
            core("generatetodescriptor", {1, raw + "#" + checksum});
        } else {
            node_.with_chain([&](regtest::RegtestChain& chain) {
                chain.set_time(++now_);
                chain.mine(1, script);
            });
        }
        expect_one_network();
        record_coinbase();
    }

    void record_coinbase() {
        const auto coinbase = node_.with_chain([](regtest::RegtestChain& chain) {
            return chain.block_at(chain.height()).transactions[0];
        });
        if (owner_.find(coinbase.outputs[0].script_pubkey)) {
            known_.insert_or_assign(coinbase.txid(), coinbase);
        }
    }

    void reorganise() {
        const std::uint32_t depth = 1 + pick(3);
        node_.with_chain([&](regtest::RegtestChain& chain) {
            chain.set_time(++now_);
            chain.reorganise(chain.height() - depth, depth + 1);
        });
        expect_one_network();
    }

    void expect_one_network() {
        ASSERT_TRUE(core_.reaches(node_)) << core_.log();
        const auto txids = node_.with_chain([](regtest::RegtestChain& chain) {
            std::set<std::string> unconfirmed;
            for (const Transaction& transaction : chain.mempool().transactions()) {
                unconfirmed.insert(transaction.txid().to_hex());
            }
            return unconfirmed;
        });
        ASSERT_TRUE(CorePeer::wait_until([&] {
            return core("getrawmempool").get<std::set<std::string>>() == txids;
        })) << "Core's mempool: "
            << core("getrawmempool") << ", the embedded node's: " << json(txids);
        core("syncwithvalidationinterfacequeue");
    }

    // The hostile miner.

    /// petal follows a branch of the miner's.
    void follow_hostile_miner() {
        expect_one_network();
        const std::uint32_t depth = pick(3);
        const std::uint32_t fork = height() - depth;
        const std::uint32_t count = depth + 1 + pick(2);
        regtest::ServerOptions elsewhere;
        elsewhere.host = "127.0.0.2";
        auto& hostile = *hostile_.emplace_back(
            std::make_unique<regtest::EmbeddedNode>(elsewhere, copy_up_to(fork)));
        std::vector<regtest::RegtestBlock> blocks;
        for (std::uint32_t i = 0; i < count; ++i) {
            const auto transactions = make_up_block(/*is_first=*/i == 0);
            blocks.push_back(hostile.with_chain([&](regtest::RegtestChain& chain) {
                chain.set_time(++now_);
                return chain.mine_made_up(transactions);
            }));
        }
        hostile_height_ = fork + count;
        expect_that_core_refuses(blocks, depth);
        client_.sync({hostile.endpoint()}, options(1));
        const auto synced = client_.open().sync_state().synced;
        ASSERT_TRUE(synced);
        // petal leaves a block that repeats or contradicts a lower one, and those above it. Without
        // another block it stays at the fork, or at the honest tip that it has known.
        const bool is_honest = synced->height <= fork + depth;
        const bool follows = std::ranges::any_of(blocks, [&](const regtest::RegtestBlock& block) {
            return block.header.hash() == synced->hash;
        });
        EXPECT_TRUE(is_honest || follows) << synced->height;
        if (follows) ++followed_;
    }

    regtest::RegtestChain copy_up_to(std::uint32_t fork) {
        return node_.with_chain([&](regtest::RegtestChain& chain) {
            regtest::RegtestChain copy = make_chain(0);
            for (std::uint32_t height = 1; height <= fork; ++height) {
                auto block = chain.block_at(height);
                copy.offer_block({block.header, std::move(block.transactions)});
            }
            EXPECT_EQ(copy.height(), fork);
            return copy;
        });
    }

    std::vector<Transaction> make_up_block(bool is_first) {
        std::vector<Transaction> block;
        // The one invalid transaction that the first block needs.
        if (is_first) block.push_back(pick(2) == 0 ? unsigned_spend() : invented_receipt());
        for (unsigned left = 1 + pick(6); left > 0; --left) {
            Transaction made = make_up_transaction();
            const auto is_same = [&](const Transaction& other) {
                return other.txid() == made.txid();
            };
            if (std::ranges::none_of(block, is_same)) block.push_back(std::move(made));
        }
        for (unsigned i = 1; i < block.size(); ++i) std::swap(block[i], block[pick(i + 1)]);
        return block;
    }

    Transaction make_up_transaction() {
        switch (pick(8)) {
            case 0:
                return unsigned_spend();
            case 1:
                return invented_receipt();
            case 2: {  // a transaction with another witness
                Transaction changed = known_transaction();
                changed.inputs[0].witness = {chain::Bytes(64, 1)};
                return changed;
            }
            default:
                return known_transaction();
        }
    }

    /// An honest transaction, which is confirmed, in the mempool, or replaced.
    Transaction known_transaction() {
        auto known = std::next(known_.begin(), pick(static_cast<unsigned>(known_.size())));
        while (known->second.is_coinbase()) {
            if (++known == known_.end()) known = known_.begin();
        }
        return known->second;
    }

    /// Spends outputs of the wallet, which may be spent already.
    Transaction unsigned_spend() {
        Transaction transaction;
        std::set<Outpoint> inputs;
        const auto unspent = coins();
        const auto& from = unspent.empty() || pick(3) == 0 ? outputs_ : unspent;
        for (unsigned left = 1 + pick(3); left > 0; --left) {
            inputs.insert(std::next(from.begin(), pick(static_cast<unsigned>(from.size())))->first);
        }
        for (const Outpoint& input : inputs) {
            transaction.inputs.push_back({input, {}, 0xffffffff, {}});
        }
        transaction.outputs = {{5'000 + pick(5'000), World::script()}};
        if (pick(2) == 0) transaction.outputs.push_back(own_output(2 * kScripts));
        return transaction;
    }

    /// Spends an output that does not exist.
    Transaction invented_receipt() {
        Transaction transaction;
        Outpoint nothing;
        for (auto& byte : nothing.txid.bytes) byte = static_cast<chain::Byte>(pick(256));
        transaction.inputs = {{nothing, {}, 0xffffffff, {}}};
        for (unsigned left = 1 + pick(2); left > 0; --left) {
            transaction.outputs.push_back(own_output(2 * kScripts));
        }
        return transaction;
    }

    void expect_that_core_refuses(const std::vector<regtest::RegtestBlock>& blocks,
                                  std::uint32_t depth) {
        const std::string tip = core("getbestblockhash");
        for (std::size_t i = 0; i < blocks.size(); ++i) {
            const json verdict = core("submitblock", json::array({hex_of(blocks[i])}));
            ASSERT_TRUE(verdict.is_string()) << "Core accepts a block that is made up";
            // Core does not look into the blocks of a branch without more work than its own.
            if (i > depth || depth == 0) {
                EXPECT_NE(verdict, "inconclusive");
            }
        }
        EXPECT_EQ(core("submitblock", json::array({hex_of(blocks[0])})), "duplicate-invalid");
        EXPECT_EQ(core("getbestblockhash"), tip);
        return_forgotten();
    }

    /// To check the miner's branch, Core disconnects its own blocks down to the fork, and drops the
    /// transactions that spend coinbases which are not mature there. The embedded node does not.
    void return_forgotten() {
        const auto mempool = node_.with_chain(
            [](regtest::RegtestChain& chain) { return chain.mempool().transactions(); });
        for (const Transaction& transaction : mempool) {
            core("sendrawtransaction", json::array({chain::to_hex(transaction.serialize())}));
        }
    }

    // What is shown.

    net::Endpoint honest_endpoint() {
        return pick(2) == 0 ? node_.endpoint() : net::Endpoint{"127.0.0.1", core_port_};
    }

    static net::SyncOptions options(std::size_t peers) {
        net::SyncOptions options;
        options.wait_unconfirmed = kMempoolWait;
        options.wait_undone = kMempoolWait;
        options.expected_peers = peers;
        return options;
    }

    void sync_honestly() {
        expect_one_network();
        expect_synced(client_, honest_endpoint());
    }

    void expect_synced(Client& client, const net::Endpoint& endpoint) {
        const SyncRun run = client.sync({endpoint}, options(1));
        EXPECT_EQ(run.result.outcome, net::SyncOutcome::synced);
        const auto tip = node_.with_chain([](regtest::RegtestChain& chain) { return chain.tip(); });
        EXPECT_EQ(client.open().sync_state().synced.value().hash, tip);
    }

    bool is_known(const wallet::HistoryEntry& entry) const { return known_.contains(entry.txid); }

    /// The difference of the whole texts is hard to find.
    static void expect_equal(const json& expected, const json& shown) {
        EXPECT_EQ(json::diff(expected, shown).dump(1), "[]");
    }

    static std::set<std::string> spendable(const wallet::Wallet& wallet) {
        std::set<std::string> spendable;
        for (const auto& coin : wallet.spendable_coins().coins) {
            spendable.insert(text_of(coin.outpoint));
        }
        return spendable;
    }

    /// As shown_by(). Transactions that have left the mempool do not count.
    json shown_by_core() const {
        const json balances = core("getbalances")["mine"];
        json shown = {{"mature", satoshis_of(balances["trusted"]) +
                                     satoshis_of(balances["untrusted_pending"])},
                      {"immature", satoshis_of(balances["immature"])},
                      {"coins", json::object()},
                      {"transactions", json::object()}};
        const std::uint32_t tip = core("getblockcount");
        for (const json& coin : core("listunspent", {0, 9'999'999, json::array(), true})) {
            const std::uint32_t confirmations = coin["confirmations"];
            const std::string place = coin["txid"].get<std::string>() + ":" + coin["vout"].dump();
            shown["coins"][place] = {satoshis_of(coin["amount"]),
                                     confirmations == 0 ? 0 : tip - confirmations + 1};
        }
        const std::set<std::string> mempool = core("getrawmempool");
        const json listed = core("listsinceblock", {{"include_change", true}});
        for (const json& entry : listed["transactions"]) {
            const std::string txid = entry["txid"];
            const bool is_confirmed = entry["confirmations"].get<int>() > 0;
            if (!is_confirmed && !mempool.contains(txid)) continue;
            const json known = core("gettransaction", json::array({txid}));
            // Of an immature coinbase, gettransaction has the amount 0.
            const json& net = entry.value("generated", false) ? entry : known;
            shown["transactions"][txid] = {
                satoshis_of(net["amount"]) + satoshis_of(net.value("fee", json(0.0))),
                known.value("blockheight", 0U), known.value("blockhash", "")};
        }
        return shown;
    }

    std::mt19937_64 random_;
    std::atomic<std::int64_t> now_{net::unix_time_now() - 3'600};
    std::int64_t first_time_ = now_ - std::int64_t{kHonestBlocks} * 600;
    ScriptKind type_;
    Owner owner_;
    Client client_;
    regtest::EmbeddedNode node_;
    std::uint16_t core_port_;
    CorePeer core_;
    std::vector<std::unique_ptr<regtest::EmbeddedNode>> hostile_;
    std::uint32_t hostile_height_ = 0;
    std::size_t followed_ = 0;
    std::map<chain::Txid, Transaction> known_;     // honest ones that concern the owner
    std::map<Outpoint, chain::TxOutput> outputs_;  // the owner's, of known_ but coinbases
};

TEST(HostileMiner, LeavesPetalWithWhatBitcoinCoreShows) {
    if (const auto missing = why_missing(NodeKind::bitcoind); !missing.empty()) {
        GTEST_SKIP() << missing;
    }
    const auto [first, last] = seeds(1, 4);
    std::size_t followed = 0;
    for (std::uint64_t seed = first; seed <= last && !HasFailure(); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        JudgedHistory history(seed);
        history.begin();
        history.expect_agreement();
        for (int round = 0; round < kRounds && !HasFailure(); ++round) {
            SCOPED_TRACE("round " + std::to_string(round));
            history.play_round();
            history.expect_agreement();
        }
        followed += history.followed();
    }
    // A single seed is one that is replayed.
    if (first == last) return;
    EXPECT_GT(followed, 0U) << "petal followed no hostile miner";
}

}  // namespace
}  // namespace petal::test
