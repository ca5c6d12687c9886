/// A chain with coins, and a watcher with peers that show unconfirmed spends of the coins.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "chain/network_params.h"
#include "chain/script/script.h"
#include "net/sync/filters/sync_checkpoint.h"
#include "net/sync/sync_engine.h"
#include "net/wire/codec.h"
#include "regtest/chain/regtest_chain.h"
#include "tests/support/hand_driven_network.h"
#include "tests/support/list_watcher.h"
#include "tests/support/unsigned_spend.h"

namespace petal::test {

inline constexpr double kUnconfirmedRate = 2.5e-4;
inline const chain::TxOutput kForeign{6'000, chain::Bytes{0x51}};

/// Records the number of transactions that each apply_unconfirmed() stores.
struct LoggingWatcher : ListWatcher {
    bool apply_unconfirmed(std::span<const chain::UnconfirmedTransaction> transactions,
                           std::span<const chain::PresentSources> sources,
                           const chain::SyncState& state) override {
        batches.push_back(transactions.size());
        return ListWatcher::apply_unconfirmed(transactions, sources, state);
    }
    std::vector<std::size_t> batches;
};

/// A foreign key with a script of this type that matches the base by chance.
inline chain::Bytes key_of_a_stranger(chain::ScriptType type) {
    static std::map<chain::ScriptType, chain::Bytes> found;
    if (const auto known = found.find(type); known != found.end()) return known->second;
    const ListWatcher same;
    const net::FilterBase base(same.watched_elements(0), same.filter_padding(), kUnconfirmedRate);
    for (std::uint32_t number = 1'000;; ++number) {
        const auto key = private_key(number);
        if (base.matches({7'000, script_of(type, key)})) return found[type] = key;
    }
}

/// A chain with two coins that filters match: a coin of the watcher and a foreign coin.
class ChainWithTwoCoins : public testing::Test {
protected:
    explicit ChainWithTwoCoins(chain::ScriptType coin_type = chain::ScriptType::p2wpkh)
        : type(coin_type) {
        const auto* const place = std::ranges::find(ListWatcher::kTypes, type);
        own_key = ListWatcher::key(static_cast<std::uint32_t>(place - ListWatcher::kTypes.begin()));
        chain.mine(110);
        own = {chain.pay(script_of(type, own_key), 7'000), 0};
        strangers = {chain.pay(script_of(type, key_of_a_stranger(type)), 7'000), 0};
        chain.mine(2);
    }

    chain::Transaction unsigned_spend(const chain::Outpoint& coin) {
        auto spend = test::make_spend(chain, {{coin}}, {kForeign});
        spend.inputs[0].witness.clear();
        return spend;
    }
    chain::Bytes key_of(const chain::Outpoint& coin) const {
        return coin == own ? own_key : key_of_a_stranger(type);
    }
    chain::TxOutput output_of(const chain::Outpoint& coin) const {
        return {7'000, script_of(type, key_of(coin))};
    }
    chain::Transaction signed_spend(const chain::Outpoint& coin) {
        auto spend = unsigned_spend(coin);
        sign_input(spend, 0, key_of(coin), output_of(coin));
        return spend;
    }
    /// signed_spend() with the signature of a different transaction.
    chain::Transaction forged_spend(const chain::Outpoint& coin) {
        auto spend = signed_spend(coin);
        auto another = spend;
        another.lock_time = 7;
        sign_input(another, 0, key_of(coin), output_of(coin));
        spend.inputs[0] = another.inputs[0];
        return spend;
    }

    chain::ScriptType type;
    chain::Bytes own_key;
    regtest::RegtestChain chain;
    chain::Outpoint own;
    chain::Outpoint strangers;
};

/// A watcher that follows the chain.
struct Follow {
    explicit Follow(net::SyncOptions how = options())
        : engine(headers, watcher, std::move(how)), network(engine) {}

    static net::SyncOptions options() {
        net::SyncOptions options;
        options.false_positive_rate = kUnconfirmedRate;
        options.wait_unconfirmed = net::SyncOptions::kForever;
        options.expected_peers = 2;
        return options;
    }

    net::PeerId connect(const regtest::RegtestChain& chain) {
        peers.push_back(network.connect(chain));
        return peers.back();
    }
    net::PeerId connect_without_witnesses(const regtest::RegtestChain& chain) {
        const auto peer = connect(chain);
        network.alter_messages(peer, [](net::Message& message) {
            if (auto* version = std::get_if<net::Version>(&message)) {
                version->services &= ~net::kNodeWitness;
            }
        });
        return peer;
    }
    void run_for(std::chrono::milliseconds time) {
        for (; time.count() > 0; time -= std::chrono::milliseconds{250}) {
            for (const auto peer : peers) network.deliver_all(peer);
            network.advance(std::chrono::milliseconds{250});
        }
    }
    void announce(net::PeerId peer, const chain::Txid& txid) {
        network.inject(peer, net::Inv{{{net::InventoryType::tx, {txid.bytes}}}});
    }
    void show(net::PeerId peer, const chain::Transaction& transaction) {
        announce(peer, transaction.txid());
        network.inject(peer, net::Tx{transaction});
    }
    bool knows(const chain::Transaction& transaction) const {
        return watcher.knowledge().contains(transaction.txid());
    }
    net::SyncCheckpoint memory() const {
        return net::decode_sync_checkpoint(watcher.sync_state().sync_checkpoint).value();
    }
    const net::PeerReport& report(net::PeerId peer) const {
        return *net::find_report(engine.status().peers, peer);
    }

    chain::HeaderChain headers{*chain::find_network("regtest")};
    LoggingWatcher watcher;
    net::SyncEngine engine;
    HandDrivenNetwork network;
    std::vector<net::PeerId> peers;
};

/// The engine's messages with the times while a peer shows a transaction. Each message has the
/// number of the watcher's stores so far. Messages are listed by size, because txids differ.
inline std::vector<std::string> reaction_to(const chain::Transaction& transaction,
                                            const regtest::RegtestChain& chain) {
    Follow follow;
    const auto shows = follow.connect(chain);
    follow.connect(chain);
    follow.run_for(std::chrono::seconds{20});
    std::vector<std::string> log;
    follow.network.on_command = [&](const net::Command& command) {
        std::string line = std::to_string(follow.network.now().steady.count()) + " ";
        if (const auto* send = std::get_if<net::Send>(&command)) {
            const auto bytes = net::encode_message({}, send->message).size();
            line += std::to_string(send->peer) + " " + std::string(command_of(send->message)) +
                    " " + std::to_string(bytes);
        } else {
            const auto& end = std::get<net::Disconnect>(command);
            line += std::to_string(end.peer) + " ends: " + std::string(code_of(end.reason)) +
                    end.detail.substr(64);  // after the txid
        }
        log.push_back(line + ", told " + std::to_string(follow.watcher.batches.size()));
    };
    follow.show(shows, transaction);
    follow.run_for(std::chrono::seconds{10});
    return log;
}

}  // namespace petal::test
