/// Limits the unrequested data that a peer sends.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace petal::net {

/// A peer may send some unrequested data, and more as time passes: an honest node announces blocks
/// and transactions, gossips addresses, and sends messages that petal does not know. The longest
/// honest burst is the announcement of all transactions of a full mempool, about 11 MB.
class ByteBudget {
public:
    using Milliseconds = std::chrono::milliseconds;

    static constexpr std::uint64_t kAtOnce = 16'000'000;
    static constexpr std::uint64_t kPerSecond = 32'000;

    /// Counts bytes received at `now`. Returns false if they are too many.
    bool spend(std::size_t bytes, Milliseconds now);

private:
    std::uint64_t spent_ = 0;
    Milliseconds counted_at_{0};
};

/// Whether messages with this command answer requests (headers, blocks and transactions), so that
/// the engines bound them.
bool carries_answer(std::string_view command);

}  // namespace petal::net
