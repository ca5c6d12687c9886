/// Histories of a chain and of a sync that follows it, made of choices.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "chain/headers/header_chain.h"
#include "chain/network_params.h"
#include "net/regtest/chain/regtest_chain.h"
#include "net/regtest/mempool/coin_set.h"
#include "net/regtest/node_behaviour.h"
#include "net/sync/sync_options.h"
#include "tests/support/list_watcher.h"

namespace petal::test {

/// The chain grows and is reorganised. One process after the other, killed at any point or not,
/// syncs from peers that are near or far, disconnect, fall silent or serve false data. Whatever is
/// drawn, the watcher must end with the complete and correct result. Leaving out a match is the one
/// fault that no proof reveals, and is not among them.
class History {
public:
    /// The first blocks pay no wallet, and no reorganisation reaches them.
    static constexpr std::uint32_t kFirstBlocks = net::kCoinbaseMaturity + 1;

    /// Any number below `below`, which is at least 1.
    using Choice = std::function<std::uint32_t(std::uint32_t below)>;

    struct Scale {
        std::uint32_t rounds;  ///< maximum; in each of them the chain grows
        std::uint32_t blocks;  ///< maximum at once
        double high_rate;      ///< of false positives; the higher, the longer a filter's base takes
        std::uint32_t birthday = 0;  ///< of the watcher; at most kFirstBlocks
    };

    History(Choice choice, const Scale& scale);

    /// Runs it. Returns the errors of the watcher; empty if there are none.
    std::string play();

private:
    std::uint32_t pick(std::uint32_t below) { return choice_(below); }
    chain::Transaction payment();
    chain::Transaction sweep();
    void grow_chain();
    void reorganise();
    void forget_what_is_gone();
    void sync(bool to_the_end);
    net::SyncOptions options();
    net::NodeBehaviour behaviour();
    net::Fault fault();
    std::string difference() const;

    Choice choice_;
    Scale scale_;
    net::RegtestChain chain_;
    chain::HeaderChain headers_{*chain::find_network("regtest")};
    ListWatcher watcher_;
    std::uint32_t used_end_ = 0;  // the index after the last paid script
    std::vector<chain::Outpoint> coins_;
    std::map<chain::Txid, std::uint32_t> script_paid_by_;
};

}  // namespace petal::test
