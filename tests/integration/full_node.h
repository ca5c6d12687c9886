/// Full nodes to test syncs against: three kinds with one interface.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "chain/transaction.h"
#include "chain/watcher.h"
#include "net/io/dial/endpoint.h"
#include "regtest/chain/regtest_block.h"

namespace petal::test {

enum class NodeKind : std::uint8_t { embedded, bcoin, bitcoind };

std::string_view name_of(NodeKind kind);

/// The bitcoind that BITCOIND names, else the bitcoind in the PATH. Empty if there is none.
std::string bitcoind_path();

/// Why this kind of node can't be run here. Empty if the node can be run.
std::string why_missing(NodeKind kind);

/// A regtest node. The test makes all blocks of the node, so that the test knows the content of the
/// blocks without asking the node. Throws std::runtime_error if the node refuses a block or
/// transaction, because then the test is wrong.
class FullNode {
public:
    virtual ~FullNode() = default;

    /// Starts a new node on a free port of 127.0.0.1.
    static std::unique_ptr<FullNode> start(NodeKind kind);

    /// Starts a second node of the same kind that is connected to this node and has all blocks.
    /// Null if this kind of node does not connect to nodes.
    virtual std::unique_ptr<FullNode> start_companion() const { return nullptr; }

    virtual net::Endpoint endpoint() const = 0;

    /// Extends the best chain by a block of these transactions and a coinbase.
    virtual void mine(std::vector<chain::Transaction> transactions,
                      chain::ByteView coinbase_script) = 0;
    /// Extends the best chain by blocks that contain only a coinbase.
    void mine_empty(std::uint32_t count, chain::ByteView coinbase_script);
    /// Replaces the blocks above `fork_height` by empty blocks, one more than before.
    virtual void reorganise(std::uint32_t fork_height) = 0;
    /// Whether the mempool replaces a transaction by a transaction with a higher fee (BIP125).
    virtual bool replaces_in_mempool() const = 0;
    /// Submits a transaction to the node's mempool.
    virtual void submit(const chain::Transaction& transaction) = 0;

    /// The first `count` addresses of a descriptor (with checksum), derived by the node. One
    /// address for a descriptor without wildcards. No address if this kind of node does not support
    /// descriptors.
    virtual std::vector<std::string> derive_addresses(const std::string& /*descriptor*/,
                                                      std::uint32_t /*count*/) const {
        return {};
    }

    /// The descriptor in the node's form, without private keys and with a checksum. Empty if this
    /// kind of node does not support descriptors. Throws std::runtime_error if the node refuses the
    /// descriptor.
    virtual std::string public_descriptor(const std::string& /*descriptor*/) const { return {}; }

    /// The best chain from the genesis block on.
    const std::vector<regtest::RegtestBlock>& blocks() const { return blocks_; }
    std::uint32_t height() const { return static_cast<std::uint32_t>(blocks_.size() - 1); }
    chain::BlockRef tip() const { return {height(), blocks_.back().header.hash()}; }

protected:
    std::vector<regtest::RegtestBlock> blocks_;
};

}  // namespace petal::test
