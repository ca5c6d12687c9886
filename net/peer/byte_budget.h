/// Limits the unrequested data that a peer may send.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace petal::net {

/// A peer may send kAtOnce bytes of unrequested data at once, and kPerSecond more for each second.
/// Honest nodes announce blocks and transactions, gossip addresses, and send messages that petal
/// does not know. Their longest burst announces all transactions of a full mempool (about 11 MB).
class ByteBudget {
public:
    using Milliseconds = std::chrono::milliseconds;

    static constexpr std::uint64_t kAtOnce = 16'000'000;
    static constexpr std::uint64_t kPerSecond = 32'000;

    /// Counts bytes received at `now`. Returns false if the budget is exceeded.
    bool spend(std::size_t bytes, Milliseconds now);

private:
    std::uint64_t spent_ = 0;
    Milliseconds counted_at_{0};
};

/// Whether messages with this command answer a request (headers, blocks, transactions). The engines
/// limit answers themselves.
bool carries_answer(std::string_view command);

}  // namespace petal::net
