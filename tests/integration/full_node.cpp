#include "tests/integration/full_node.h"

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <stdexcept>
#include <thread>

#include "chain/byte_writer.h"
#include "chain/merkle_proof.h"
#include "chain/script/script.h"
#include "cli/regtest/temporary_folder.h"
#include "regtest/serve/embedded_node.h"
#include "tests/integration/process.h"
#include "tests/integration/rpc.h"
#include "tests/support/ports.h"
#include "tests/support/test_chain.h"

namespace petal::test {

namespace {

std::string variable(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
}

std::string end_of_file(const std::string& path) {
    constexpr std::size_t kMaxSize = 2'000;
    std::ifstream file(path);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    return text.substr(text.size() - std::min(text.size(), kMaxSize));
}

class Embedded : public FullNode {
public:
    Embedded() { blocks_.push_back(regtest::make_genesis_block()); }

    net::Endpoint endpoint() const override { return node_.endpoint(); }

    void mine(std::vector<chain::Transaction> transactions, chain::ByteView script) override {
        blocks_.push_back(node_.with_chain([&](regtest::RegtestChain& chain) {
            return regtest::RegtestBlock(chain.mine_block(std::move(transactions), script));
        }));
    }

    void reorganise(std::uint32_t fork_height) override {
        const std::uint32_t count = height() - fork_height + 1;
        blocks_.resize(fork_height + 1);
        node_.with_chain([&](regtest::RegtestChain& chain) {
            chain.reorganise(fork_height, count, regtest::RegtestChain::Dropped::forgotten);
            while (height() < chain.height()) blocks_.push_back(chain.block_at(height() + 1));
        });
    }

    bool replaces_in_mempool() const override { return true; }

    void submit(const chain::Transaction& transaction) override {
        node_.with_chain([&](regtest::RegtestChain& chain) { chain.submit(transaction); });
    }

private:
    regtest::EmbeddedNode node_;
};

// BIP141: the commitment to the witnesses of all transactions. The coinbase counts as zero.
chain::Bytes witness_commitment(const std::vector<chain::Transaction>& transactions) {
    std::vector<chain::Txid> leaves(1);
    for (std::size_t i = 1; i < transactions.size(); ++i) {
        leaves.push_back(chain::Txid{transactions[i].wtxid().bytes});
    }
    const chain::Hash256 root = chain::merkle_root(leaves);
    const chain::Bytes reserved(32, 0);
    const chain::Hash256 commitment = chain::sha256d({root.view(), reserved});
    chain::ByteWriter script;
    script.bytes(chain::Bytes{0x6a, 0x24, 0xaa, 0x21, 0xa9, 0xed}).bytes(commitment.view());
    return script.take();
}

// A node that is another program. It gets its blocks by `submitblock`.
class RpcFullNode : public FullNode {
public:
    RpcFullNode(const RpcClient& rpc, std::uint16_t port) : rpc_(rpc), port_(port) {
        // Blocks with recent times, all in the past: a node whose tip is old does not consider
        // itself synced.
        first_time_ = static_cast<std::uint32_t>(std::time(nullptr)) - 20'000;
        blocks_.push_back(regtest::make_genesis_block());
    }

    net::Endpoint endpoint() const override { return {"127.0.0.1", port_}; }

    void mine(std::vector<chain::Transaction> transactions, chain::ByteView script) override {
        blocks_.push_back(make_block(std::move(transactions), script));
        give(blocks_.back());
        expect_tip();
    }

    void reorganise(std::uint32_t fork_height) override {
        const std::uint32_t count = height() - fork_height + 1;
        blocks_.resize(fork_height + 1);
        for (std::uint32_t i = 0; i < count; ++i) {
            blocks_.push_back(make_block({}, chain::Bytes{0x51}));
            give(blocks_.back());
        }
        expect_tip();
    }

    std::unique_ptr<FullNode> start_companion() const override {
        auto companion = start_connected_to(endpoint());
        companion->wait_for_tip_of(*this);
        return companion;
    }

    void submit(const chain::Transaction& transaction) override {
        rpc_.call("sendrawtransaction", {chain::to_hex(transaction.serialize())});
    }

protected:
    virtual std::unique_ptr<RpcFullNode> start_connected_to(const net::Endpoint& other) const = 0;

    const RpcClient& rpc() const { return rpc_; }

    /// Waits until the node, which logs to `log`, answers calls and accepts connections.
    void wait_until_up(Process& process, const std::string& log) {
        for (int tries = 0; !answers_calls() || !takes_connections(); ++tries) {
            if (const auto status = process.exit_status()) {
                throw std::runtime_error("the node ended with status " + std::to_string(*status) +
                                         ": " + end_of_file(log));
            }
            if (tries > 600)
                throw std::runtime_error("the node does not start: " + end_of_file(log));
            std::this_thread::sleep_for(std::chrono::milliseconds{100});
        }
    }

private:
    void wait_for_tip_of(const RpcFullNode& other) {
        for (int tries = 0; best_block() != other.tip().hash.to_hex(); ++tries) {
            if (tries > 600) throw std::runtime_error("the node does not sync from the other");
            std::this_thread::sleep_for(std::chrono::milliseconds{100});
        }
        blocks_ = other.blocks();
    }

    bool answers_calls() const {
        try {
            rpc_.call("getblockcount", nlohmann::json::array());
            return true;
        } catch (const std::exception&) {
            return false;
        }
    }

    // bcoin accepts connections of peers some time after it answers calls.
    bool takes_connections() const {
        boost::asio::io_context io;
        boost::asio::ip::tcp::socket socket(io);
        boost::system::error_code error;
        socket.connect({boost::asio::ip::address_v4::loopback(), port_}, error);
        return !error;
    }

    std::string best_block() const {
        return rpc_.call("getbestblockhash", nlohmann::json::array());
    }

    regtest::RegtestBlock make_block(std::vector<chain::Transaction> transactions,
                                     chain::ByteView script) {
        const std::uint32_t height = this->height() + 1;
        chain::Transaction coinbase = regtest::make_coinbase(
            height, ++extra_nonce_,
            {regtest::block_subsidy(height), chain::Bytes(script.begin(), script.end())});
        transactions.insert(transactions.begin(), coinbase);
        if (transactions.size() > 1) {
            transactions[0].outputs.push_back({0, witness_commitment(transactions)});
            transactions[0].inputs[0].witness = {chain::Bytes(32, 0)};
        }
        regtest::RegtestBlock block;
        for (const auto& transaction : transactions) block.txids.push_back(transaction.txid());
        block.transactions = std::move(transactions);
        // Signals segwit, which some servers still vote on (BIP9).
        block.header.version = 0x20000002;
        block.header.previous = blocks_.back().header.hash();
        block.header.merkle_root = chain::merkle_root(block.txids);
        block.header.time = first_time_ + 10 * height + extra_nonce_ % 10;
        block.header.bits = kRegtestBits;
        find_nonce(block.header);
        return block;
    }

    void give(const regtest::RegtestBlock& block) {
        chain::ByteWriter bytes;
        bytes.bytes(block.header.serialize()).compact_size(block.transactions.size());
        for (const auto& transaction : block.transactions) bytes.bytes(transaction.serialize());
        const auto verdict = rpc_.call("submitblock", {chain::to_hex(bytes.view())});
        // Bitcoin Core returns "inconclusive" for a block whose branch is not the best one yet.
        if (!verdict.is_null() && verdict != "inconclusive") {
            throw std::runtime_error("submitblock: " + verdict.dump());
        }
    }

    void expect_tip() {
        const std::string tip = best_block();
        if (tip != blocks_.back().header.hash().to_hex()) {
            throw std::runtime_error("the node's tip is " + tip);
        }
    }

    RpcClient rpc_;
    std::uint16_t port_;
    std::uint32_t first_time_;
    std::uint32_t extra_nonce_ = 0;
};

using Options = std::vector<std::string>;

// Another program may take a free port before the node does, so there is a second try.
template <class Node>
std::unique_ptr<Node> start_on_free_ports(const Options& more = {}) {
    for (int tries = 2; tries > 0; --tries) {
        try {
            return std::make_unique<Node>(free_port(), free_port(), more);
        } catch (const std::runtime_error& error) {
            std::cerr << "once more: " << error.what() << '\n';
        }
    }
    return std::make_unique<Node>(free_port(), free_port(), more);
}

std::vector<std::string> with(const Options& more, std::vector<std::string> command) {
    command.insert(command.end(), more.begin(), more.end());
    return command;
}

class Bcoin : public RpcFullNode {
public:
    Bcoin(std::uint16_t port, std::uint16_t rpc_port, const Options& more)
        : RpcFullNode(RpcClient{rpc_port, ""}, port),
          process_(with(more, {"node", variable("PETAL_BCOIN") + "/node_modules/bcoin/bin/node",
                               "--network=regtest", "--bip37=true", "--memory=true",
                               "--listen=true", "--host=127.0.0.1", "--public-host=127.0.0.1",
                               "--port=" + std::to_string(port),
                               "--http-port=" + std::to_string(rpc_port),
                               "--prefix=" + folder_.path().string(), "--no-auth", "--no-wallet",
                               "--log-file=false"}),
                   {{"NODE_BACKEND", "js"}}, log()) {
        wait_until_up(process_, log());
    }

    bool replaces_in_mempool() const override { return false; }

private:
    std::unique_ptr<RpcFullNode> start_connected_to(const net::Endpoint& other) const override {
        return start_on_free_ports<Bcoin>({"--only=" + to_string(other)});
    }

    std::string log() const { return (folder_.path() / "printed").string(); }

    cli::TemporaryFolder folder_;
    Process process_;
};

class Bitcoind : public RpcFullNode {
public:
    Bitcoind(std::uint16_t port, std::uint16_t rpc_port, const Options& more)
        : RpcFullNode(RpcClient{rpc_port, "petal:petal"}, port),
          process_(with(more, {bitcoind_path(), "-regtest", "-peerbloomfilters=1", "-listen=1",
                               "-server=1", "-bind=127.0.0.1:" + std::to_string(port),
                               "-rpcport=" + std::to_string(rpc_port), "-rpcuser=petal",
                               "-rpcpassword=petal", "-datadir=" + folder_.path().string(),
                               "-dnsseed=0", "-disablewallet", "-whitelist=noban@127.0.0.1"}),
                   {}, log()) {
        wait_until_up(process_, log());
    }

    bool replaces_in_mempool() const override { return true; }

    std::vector<std::string> derive_addresses(const std::string& descriptor,
                                              std::uint32_t count) const override {
        nlohmann::json parameters{descriptor};
        const bool is_range = descriptor.find('*') != std::string::npos;
        if (is_range) parameters.push_back({0, count - 1});
        return rpc().call("deriveaddresses", parameters).get<std::vector<std::string>>();
    }

    std::string public_descriptor(const std::string& descriptor) const override {
        return rpc().call("getdescriptorinfo", {descriptor})["descriptor"].get<std::string>();
    }

private:
    std::unique_ptr<RpcFullNode> start_connected_to(const net::Endpoint& other) const override {
        return start_on_free_ports<Bitcoind>({"-connect=" + to_string(other)});
    }

    std::string log() const { return (folder_.path() / "printed").string(); }

    cli::TemporaryFolder folder_;
    Process process_;
};

}  // namespace

std::string bitcoind_path() {
    const std::string named = variable("BITCOIND");
    return named.empty() ? find_program("bitcoind") : named;
}

std::string_view name_of(NodeKind kind) {
    switch (kind) {
        case NodeKind::embedded:
            return "Embedded";
        case NodeKind::bcoin:
            return "Bcoin";
        case NodeKind::bitcoind:
            return "Bitcoind";
    }
    return "";
}

std::string why_missing(NodeKind kind) {
    switch (kind) {
        case NodeKind::embedded:
            return "";
        case NodeKind::bcoin:
            if (variable("PETAL_BCOIN").empty())
                return "PETAL_BCOIN does not name a folder with bcoin";
            return find_program("node").empty() ? "there is no node to run bcoin with" : "";
        case NodeKind::bitcoind:
            return bitcoind_path().empty() ? "neither BITCOIND nor the PATH has a bitcoind" : "";
    }
    return "";
}

std::unique_ptr<FullNode> FullNode::start(NodeKind kind) {
    switch (kind) {
        case NodeKind::embedded:
            return std::make_unique<Embedded>();
        case NodeKind::bcoin:
            return start_on_free_ports<Bcoin>();
        case NodeKind::bitcoind:
            return start_on_free_ports<Bitcoind>();
    }
    return nullptr;
}

void FullNode::mine_empty(std::uint32_t count, chain::ByteView coinbase_script) {
    for (std::uint32_t i = 0; i < count; ++i) mine({}, coinbase_script);
}

}  // namespace petal::test
