/// Histories of a chain and of a sync that follows it, made of choices.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "chain/headers/header_chain.h"
#include "chain/network_params.h"
#include "chain/transaction_rules.h"
#include "net/sync/state/sync_options.h"
#include "regtest/chain/regtest_chain.h"
#include "regtest/node_behaviour.h"
#include "tests/support/history_owner.h"
#include "tests/support/simulated_network.h"

namespace petal::test {

/// The chain grows and is reorganised, between syncs and during syncs. One process after the other
/// syncs, and may be killed at any point. The peers are near or far, have fewer blocks, disconnect,
/// fall silent or serve false data. If the owner endures made-up blocks, a hostile miner puts
/// blocks that honest nodes refuse on the tip or below. Some peers serve the made-up blocks until
/// the honest chain has more work.
///
/// Whatever is drawn, the watcher must end with the complete and correct result, and no honest peer
/// may be blamed. No proof reveals a match that a peer leaves out. In a fourth of the histories,
/// peers leave out matches, and then transactions may be missing.
class History {
public:
    /// The first blocks, which pay no wallet.
    static constexpr std::uint32_t kFirstBlocks = chain::kCoinbaseMaturity + 1;

    /// Any number below `below`, which is at least 1.
    using Choice = std::function<std::uint32_t(std::uint32_t below)>;

    struct Scale {
        std::uint32_t rounds;  ///< maximum. The chain grows in each round
        std::uint32_t blocks;  ///< maximum at once
        double high_rate;      ///< false positive rate. A high rate makes a filter's base slow
        std::size_t filter_bytes = net::kFilterBytes;
        net::HeaderLimits header_limits = {};
        regtest::NodeLimits node_limits = {};
    };

    /// The owner must have a birthday of at most kFirstBlocks and must outlive the history.
    History(Choice choice, const Scale& scale, HistoryOwner& owner);

    /// Runs the history. Returns the errors of the watcher and the peers that were wrongly blamed.
    /// Empty if all is right.
    std::string play();

private:
    std::uint32_t pick(std::uint32_t below) { return choice_(below); }
    bool can_pay() const;
    chain::Transaction pay(std::uint32_t script);
    chain::Transaction payment();
    chain::Transaction sweep();
    void grow_chain();
    void add_unconfirmed();
    void change_chain();
    void reorganise();
    void forget_what_is_gone();
    void make_up_blocks();
    void catch_up(regtest::RegtestChain& other, std::uint32_t lacking);
    std::vector<chain::Transaction> make_up_block();
    void overtake_made_up_blocks();
    void lose_state();
    enum class End : std::uint8_t { killed, complete, last };
    void sync(End end);
    void run(SimulatedNetwork& network, net::SyncEngine& engine, End end, std::size_t most_peers);
    struct Peer {
        net::PeerId id;
        std::vector<regtest::Fault> faults;
        bool is_hostile = false;  ///< serves made-up blocks
    };
    void record_blame(const Peer& peer, std::optional<net::DisconnectReason> reason);
    net::SyncOptions options();
    Peer connect(SimulatedNetwork& network, End end);
    const regtest::RegtestChain& shorter_chain();
    regtest::NodeBehaviour behaviour();
    regtest::Fault fault();
    std::string difference() const;
    std::string difference_to_restored();

    Choice choice_;
    Scale scale_;
    regtest::RegtestChain chain_;
    chain::HeaderChain headers_{*chain::find_network("regtest")};
    HistoryOwner& owner_;
    std::uint32_t lasting_height_ = 0;  // of the blocks that no reorganisation removes
    std::uint32_t used_end_ = 0;        // the index after the last paid script
    std::vector<chain::Outpoint> coins_;
    std::map<chain::Txid, std::uint32_t> script_paid_by_;
    bool has_omissions_ = false;  // peers may leave out matches
    std::optional<regtest::RegtestChain> shorter_;
    std::optional<regtest::RegtestChain> hostile_;  // with made-up blocks
    std::uint32_t made_up_height_ = 0;              // of the highest made-up block so far
    std::string wrong_;
};

}  // namespace petal::test
