/// The lines of bitcoind's debug.log that other programs wait for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "regtest/chain/regtest_chain.h"
#include "regtest/serve/node_events.h"

namespace petal::regtest::front {

/// A time as in the log: `2026-11-30T13:36:19Z`.
std::string log_time(std::int64_t unix_seconds);

/// Writes a line for each block that becomes the tip, also by the disconnection of the block above
/// (`UpdateTip`), each block that invalidateblock removed (`InvalidChainFound`), and each
/// connection.
class LogLines {
public:
    /// log   called with each line, without time and line end
    explicit LogLines(std::function<void(const std::string&)> log) : log_(std::move(log)) {}

    /// Sets the initial state without a line.
    void begin(const RegtestChain& chain);
    /// The chain has changed. Call this before the lines of the new blocks.
    void on_change(const RegtestChain& chain);
    void on_event(const NodeEvent& event);

private:
    void count_transactions(const RegtestChain& chain);
    void add_disconnections(const RegtestChain& chain);
    void add_tip(const chain::BlockRef& block, std::uint32_t time);

    std::function<void(const std::string&)> log_;
    std::vector<std::uint64_t> transactions_;  ///< up to each height of the active chain
    chain::BlockHash counted_tip_;
    std::size_t records_ = 0;
};

}  // namespace petal::regtest::front
