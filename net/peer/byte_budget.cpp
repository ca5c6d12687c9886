#include "net/peer/byte_budget.h"

#include <algorithm>

#include "net/wire/messages.h"

namespace petal::net {

bool ByteBudget::spend(std::size_t bytes, Milliseconds now) {
    if (now > counted_at_) {
        // An hour restores any budget. The limit keeps the product from overflowing.
        constexpr Milliseconds kLongestPause = std::chrono::hours{1};
        const auto passed = std::min(now - counted_at_, kLongestPause).count();
        spent_ -= std::min(spent_, static_cast<std::uint64_t>(passed) * kPerSecond / 1'000);
        counted_at_ = now;
    }
    spent_ += bytes;
    return spent_ <= kAtOnce;
}

bool carries_answer(std::string_view command) {
    return command == Headers::kCommand || command == MerkleBlock::kCommand ||
           command == FullBlock::kCommand || command == CFilter::kCommand ||
           command == CFHeaders::kCommand || command == Tx::kCommand;
}

}  // namespace petal::net
