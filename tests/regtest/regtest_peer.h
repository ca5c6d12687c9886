/// A peer of an embedded node for tests. Sends the messages of the test, and keeps the received
/// messages.
#pragma once

#include <chrono>
#include <utility>
#include <vector>

#include "bloom/bloom_filter.h"
#include "chain/script/script.h"
#include "regtest/regtest_node.h"

namespace petal::regtest {

/// A policy that accepts spends without valid witnesses.
inline constexpr MempoolPolicy kAmountsOnly{TransactionChecks::amounts, 0};

/// A P2WPKH script, different for each number.
inline chain::Bytes script(chain::Byte number) {
    chain::Hash160 hash{};
    hash.fill(number);
    return chain::p2wpkh_script(hash);
}

/// A filter with plenty of room that contains the elements.
inline bloom::BloomFilter filter_of(const std::vector<chain::Bytes>& elements,
                                    bloom::UpdateMode mode = bloom::UpdateMode::all) {
    bloom::BloomFilter filter(bloom::filter_size(100, 1e-9), 7, mode);
    for (const auto& element : elements) filter.insert(element);
    return filter;
}

/// Headers of consecutive blocks after the genesis block.
inline net::Headers headers_with_work(std::size_t count) {
    net::Headers message;
    chain::BlockHash previous = make_genesis_block().header.hash();
    for (std::size_t i = 0; i < count; ++i) {
        chain::BlockHeader header{4, previous, {}, 0, make_genesis_block().header.bits, 0};
        while (!has_regtest_work(header)) ++header.nonce;
        previous = header.hash();
        message.headers.push_back(header);
    }
    return message;
}

class RegtestPeer {
public:
    /// Connects, and completes the handshake unless `complete` is false.
    explicit RegtestPeer(const RegtestChain& chain, NodeBehaviour behaviour = {},
                         const net::Version& version = without_relay())
        : node(chain, std::move(behaviour), 1) {
        send(version);
        send(net::Verack{});
        received();
    }

    static net::Version without_relay() {
        net::Version version;
        version.relay = false;
        return version;
    }

    void send(const net::Message& message) { node.on_message(message, now); }
    void load(const bloom::BloomFilter& filter) { send(net::FilterLoad{filter.encode()}); }
    void announce(const chain::Txid& txid) {
        send(net::Inv{{{net::InventoryType::tx, {txid.bytes}}}});
    }
    void request(net::InventoryType type, const auto& hash) {
        send(net::GetData{{{type, {hash.bytes}}}});
    }

    void pass(std::chrono::milliseconds time) {
        now += time;
        node.on_time(now);
    }

    /// All messages that the node has to send by now, except pings.
    std::vector<net::Message> received() {
        node.on_time(now);
        std::vector<net::Message> messages;
        while (node.has_output()) {
            for (auto& message : node.take_output()) {
                if (!std::holds_alternative<net::Ping>(message))
                    messages.push_back(std::move(message));
            }
        }
        return messages;
    }

    /// The transactions that the node has received by now and hands to the chain.
    std::vector<chain::Transaction> taken_transactions() {
        std::vector<chain::Transaction> taken;
        while (auto transaction = node.take_transaction()) taken.push_back(*std::move(transaction));
        return taken;
    }
    /// The blocks that the node has received by now and hands to the chain.
    std::vector<chain::Block> taken_blocks() {
        std::vector<chain::Block> taken;
        while (auto block = node.take_block()) taken.push_back(*std::move(block));
        return taken;
    }

    RegtestNode node;
    std::chrono::milliseconds now{1'000};
};

/// An inv of these entries.
template <typename... Entries>
std::vector<net::Message> one_inv(const Entries&... entries) {
    return {net::Inv{{entries...}}};
}

inline net::Inventory tx_entry(const chain::Txid& txid) {
    return {net::InventoryType::tx, {txid.bytes}};
}

inline net::Inventory block_entry(const chain::BlockHash& hash) {
    return {net::InventoryType::block, {hash.bytes}};
}

/// The transaction as a peer without witness support receives it.
inline net::Tx stripped(chain::Transaction transaction) {
    for (auto& input : transaction.inputs) input.witness.clear();
    return {std::move(transaction)};
}

}  // namespace petal::regtest
