/// A broadcast's engine, with peers that send the messages of a test.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "net/broadcast/broadcast_engine.h"
#include "tests/support/named_peer.h"

namespace petal::net {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr chain::Satoshis kFee = 1'000;

inline chain::Transaction witnessed() {
    chain::Transaction transaction;
    chain::TxInput input;
    input.prevout.txid.bytes[0] = 7;
    input.witness = {chain::Bytes(72, 1), chain::Bytes(33, 2)};
    transaction.inputs.push_back(input);
    transaction.outputs.push_back({5'000, chain::Bytes(22, 3)});
    return transaction;
}

inline Inventory entry_of(const chain::Transaction& transaction) {
    return {InventoryType::tx, {transaction.txid().bytes}};
}

struct Terms {
    bool relay = true;
    chain::Satoshis least_fee_rate = 0;
    std::string address = {};    ///< by default in a network group of its own
    std::uint64_t services = 0;  ///< no service is needed
};

class Broadcast : public testing::Test {
protected:
    explicit Broadcast(std::optional<chain::Satoshis> fee = kFee, BroadcastOptions options = {})
        : engine({transaction, fee}, std::move(options), now) {}

    /// Connects a peer, completes the handshake, and lets the peer state limits.
    PeerId meet(Terms terms = {}) {
        const PeerId id = greet(terms);
        engine.on_message(id, FeeFilter{terms.least_fee_rate}, now);
        engine.on_message(id, Pong{fences_.at(id)}, now);
        collect();
        return id;
    }
    /// Connects a peer and completes the handshake. The peer states no limits.
    PeerId greet(const Terms& terms) {
        const PeerId id = ++last_;
        const std::string own = std::to_string(10 + id) + ".1.0.1:18444";
        const std::string& address = terms.address.empty() ? own : terms.address;
        engine.on_connected(id, test::peer_at(address), now);
        Version version;
        version.nonce = 1'000 + id;
        version.services = terms.services;
        version.relay = terms.relay;
        engine.on_message(id, version, now);
        engine.on_message(id, Verack{}, now);
        collect();
        return id;
    }
    void settle(PeerAvailability availability = PeerAvailability::none) {
        engine.on_availability(availability, now);
        collect();
    }

    void fetch(PeerId id) {
        engine.on_message(id, GetData{{entry_of(transaction)}}, now);
        collect();
    }
    void announce(PeerId id) {
        engine.on_message(id, Inv{{entry_of(transaction)}}, now);
        collect();
    }
    void refuse(PeerId id, const std::string& reason, std::uint8_t code = 0x10) {
        engine.on_message(id, Reject{"tx", code, reason, entry_of(transaction).hash}, now);
        collect();
    }
    void give_back(PeerId id) {
        engine.on_message(id, Tx{transaction}, now);
        collect();
    }
    /// Lets time pass, stopping at each deadline of the engine.
    void pass(milliseconds time) {
        const milliseconds end = now.steady + time;
        while (!engine.finished() && engine.next_deadline() < end) {
            ASSERT_GT(engine.next_deadline(), now.steady) << "the engine would be called for ever";
            now.steady = engine.next_deadline();
            engine.on_time(now);
            collect();
        }
        now.steady = end;
        engine.on_time(now);
        collect();
    }

    std::size_t count(PeerId id, const std::string& command) { return sent_[id][command]; }
    bool is_told(PeerId id) { return count(id, "inv") > 0; }
    BroadcastOutcome outcome() const { return engine.report().outcome; }

    const chain::Transaction transaction = witnessed();
    Now now{milliseconds{50'000}, 1'700'000'000};
    BroadcastEngine engine;
    std::vector<chain::Transaction> given;
    std::map<PeerId, DisconnectReason> dropped;
    PeerId last_ = 0;

private:
    void collect() {
        for (const Command& command : engine.take_commands()) {
            if (const auto* end = std::get_if<Disconnect>(&command)) {
                dropped[end->peer] = end->reason;
                continue;
            }
            const auto& send = std::get<Send>(command);
            ++sent_[send.peer][std::string(command_of(send.message))];
            if (const auto* ping = std::get_if<Ping>(&send.message)) {
                fences_[send.peer] = ping->nonce;
            }
            if (const auto* tx = std::get_if<Tx>(&send.message)) given.push_back(tx->transaction);
        }
    }

    std::map<PeerId, std::uint64_t> fences_;
    std::map<PeerId, std::map<std::string, std::size_t>> sent_;
};

}  // namespace petal::net
