#include "net/sync/headers/tip_tracker.h"

#include <cassert>

namespace petal::net {

std::optional<chain::ChainMove> TipTracker::take_move() {
    if (is_current()) return std::nullopt;
    const auto fork = chain_.fork_point(tip_.hash);
    assert(fork);
    const chain::ChainMove move{tip_, *fork, chain_.tip()};
    tip_ = move.new_tip;
    return move;
}

}  // namespace petal::net
