#include "net/discovery/seed_rounds.h"

#include <algorithm>
#include <utility>

namespace petal::net {

void SeedRounds::replace(std::vector<std::string> seeds) {
    seeds_ = std::move(seeds);
}

bool SeedRounds::begin_round() {
    if (!next_round_at()) return false;
    answered_at_.reset();
    queried_.clear();
    pause_ = std::exchange(found_any_, false) ? kFirstPause : std::min(2 * pause_, kLastPause);
    return true;
}

std::vector<std::string> SeedRounds::choose(std::size_t most) {
    std::vector<std::string> names;
    for (const std::string& seed : seeds_) {
        if (names.size() >= most || questions_ >= kAtOnce) break;
        if (!queried_.insert(seed).second) continue;
        names.push_back(seed);
        ++questions_;
    }
    return names;
}

void SeedRounds::on_answer(bool has_nodes, Milliseconds now) {
    --questions_;
    found_any_ = found_any_ || has_nodes;
    answered_at_ = now;
}

bool SeedRounds::is_over() const {
    return questions_ == 0 && std::ranges::all_of(seeds_, [this](const std::string& seed) {
               return queried_.contains(seed);
           });
}

std::optional<SeedRounds::Milliseconds> SeedRounds::next_round_at() const {
    if (!answered_at_ || !is_over()) return std::nullopt;
    return *answered_at_ + pause_;
}

}  // namespace petal::net
