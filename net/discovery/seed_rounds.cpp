#include "net/discovery/seed_rounds.h"

#include <algorithm>
#include <utility>

namespace petal::net {

void SeedRounds::replace(std::vector<std::string> seeds) {
    seeds_ = std::move(seeds);
    next_ = 0;
    next_round_.reset();
}

bool SeedRounds::begin_round() {
    if (!std::exchange(next_round_, std::nullopt)) return false;
    next_ = 0;
    pause_ = std::exchange(found_any_, false) ? kFirstPause : std::min(2 * pause_, kLastPause);
    return true;
}

std::vector<std::string> SeedRounds::choose(std::size_t most) {
    std::vector<std::string> names;
    while (names.size() < most && questions_ < kAtOnce && next_ < seeds_.size()) {
        names.push_back(seeds_[next_++]);
        ++questions_;
    }
    return names;
}

void SeedRounds::on_answer(bool has_nodes, Milliseconds now) {
    --questions_;
    found_any_ = found_any_ || has_nodes;
    if (is_over()) next_round_ = now + pause_;
}

}  // namespace petal::net
