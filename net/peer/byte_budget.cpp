#include "net/peer/byte_budget.h"

#include <algorithm>

#include "net/wire/messages.h"

namespace petal::net {

bool ByteBudget::spend(std::size_t bytes, Milliseconds now) {
    if (now > counted_at_) {
        const auto passed = static_cast<std::uint64_t>((now - counted_at_).count());
        spent_ -= std::min(spent_, std::min(passed, kAtOnce) * kPerSecond / 1'000);
        counted_at_ = now;
    }
    spent_ += bytes;
    return spent_ <= kAtOnce;
}

bool carries_answer(std::string_view command) {
    return command == Headers::kCommand || command == MerkleBlock::kCommand ||
           command == FullBlock::kCommand || command == Tx::kCommand;
}

}  // namespace petal::net
