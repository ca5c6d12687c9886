/// Full nodes that a sync is tested against: one interface, three kinds.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "chain/transaction.h"
#include "chain/watcher.h"
#include "net/io/dial/endpoint.h"
#include "net/regtest/chain/regtest_block.h"

namespace petal::test {

enum class NodeKind : std::uint8_t { embedded, bcoin, bitcoind };

std::string_view name_of(NodeKind kind);

/// Why this kind can't be run here; empty where it can.
std::string why_missing(NodeKind kind);

/// A regtest node. It is given its blocks, so that what is in them is known without asking it: the
/// test is its own source of truth. Throws std::runtime_error when the node refuses a block or
/// transaction, since then the test is wrong.
class FullNode {
public:
    virtual ~FullNode() = default;

    /// Starts a fresh one, on a free port of 127.0.0.1.
    static std::unique_ptr<FullNode> start(NodeKind kind);

    /// Starts another of the same kind that is connected to this one, and has all its blocks; null
    /// where this kind opens no connections.
    virtual std::unique_ptr<FullNode> start_companion() const { return nullptr; }

    virtual net::Endpoint endpoint() const = 0;

    /// Extends the best chain by a block of these transactions and a coinbase.
    virtual void mine(std::vector<chain::Transaction> transactions,
                      chain::ByteView coinbase_script) = 0;
    /// Extends it by blocks of nothing else than coinbases.
    void mine_empty(std::uint32_t count, chain::ByteView coinbase_script);
    /// Leaves the best chain above `fork_height` for one block more than there are, all of them
    /// empty.
    virtual void reorganise(std::uint32_t fork_height) = 0;
    /// Whether a transaction in the mempool gives way to another with a higher fee (BIP125).
    virtual bool replaces_in_mempool() const = 0;
    /// Puts a transaction into the node's mempool.
    virtual void submit(const chain::Transaction& transaction) = 0;

    /// The first so many addresses of a descriptor with its checksum, as the node derives them; the
    /// only one of a descriptor without wildcards; none where this kind knows no descriptors.
    virtual std::vector<std::string> derive_addresses(const std::string& /*descriptor*/,
                                                      std::uint32_t /*count*/) const {
        return {};
    }

    /// A descriptor with its checksum and without private keys, as the node writes it; empty where
    /// this kind knows no descriptors. Throws std::runtime_error where the node refuses it.
    virtual std::string public_descriptor(const std::string& /*descriptor*/) const { return {}; }

    /// The best chain from the genesis block on.
    const std::vector<net::Block>& blocks() const { return blocks_; }
    std::uint32_t height() const { return static_cast<std::uint32_t>(blocks_.size() - 1); }
    chain::BlockRef tip() const { return {height(), blocks_.back().header.hash()}; }

protected:
    std::vector<net::Block> blocks_;
};

}  // namespace petal::test
