/// The connections of a regtest node as a test wishes them.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "regtest/node_peers.h"

namespace petal::test {

/// Shows `records`, and remembers the calls of all other functions.
class FakePeers : public regtest::NodePeers {
public:
    const regtest::NodeBehaviour& behaviour() const override { return behaviour_; }
    std::vector<regtest::PeerRecord> peers() const override { return records; }
    void set_behaviour_of_all(const regtest::NodeBehaviour& behaviour) override {
        behaviour_ = behaviour;
    }
    void set_faults(std::uint64_t id, const regtest::NodeBehaviour& behaviour) override {
        faulty[id] = behaviour;
    }
    bool disconnect(std::uint64_t id) override { return disconnected.insert(id).second; }
    bool add_node(const std::string& place) override { return added.insert(place).second; }
    bool remove_node(const std::string& place) override { return added.erase(place) > 0; }
    void try_node(const std::string& place) override { tried.push_back(place); }
    std::vector<std::string> added_nodes() const override { return {added.begin(), added.end()}; }
    void set_network_active(bool active) override { is_active = active; }
    bool is_network_active() const override { return is_active; }
    void ping_all() override { ++pings; }
    regtest::TotalTraffic total_traffic() const override { return {7, 9}; }

    std::vector<regtest::PeerRecord> records;
    std::set<std::uint64_t> disconnected;
    std::set<std::string> added;
    bool is_active = true;
    int pings = 0;
    std::vector<std::string> tried;
    std::map<std::uint64_t, regtest::NodeBehaviour> faulty;

private:
    regtest::NodeBehaviour behaviour_;
};

}  // namespace petal::test
