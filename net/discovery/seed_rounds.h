/// Chooses the DNS seeds to query, and when to query them again.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace petal::net {

/// Seeds are queried in rounds: at most kAtOnce at a time, in the given order, until all were
/// queried. After a pause, the next round begins.
class SeedRounds {
public:
    using Milliseconds = std::chrono::milliseconds;

    static constexpr std::size_t kAtOnce = 3;
    /// The pause before the next round. Doubles up to kLastPause while no seed lists a node.
    static constexpr Milliseconds kFirstPause{60'000};
    static constexpr Milliseconds kLastPause{3'600'000};

    explicit SeedRounds(std::vector<std::string> seeds) : seeds_(std::move(seeds)) {}

    /// Queries these seeds from now on. The round goes on with those that it has not queried. If
    /// there are none, the pause goes on. Answers of the earlier seeds are still to be reported.
    void replace(std::vector<std::string> seeds);
    /// Begins the next round, unless a round is in progress. Returns whether a round began. Do not
    /// call this before next_round_at().
    bool begin_round();
    /// The seeds to query now, at most `most`. Report on_answer() for each.
    std::vector<std::string> choose(std::size_t most);
    /// has_nodes   whether the seed listed any node
    void on_answer(bool has_nodes, Milliseconds now);

    bool has_seeds() const { return !seeds_.empty(); }
    /// Whether all seeds of the round have answered or failed.
    bool is_over() const;
    /// When the next round is due. Empty while a round is in progress.
    std::optional<Milliseconds> next_round_at() const;

private:
    std::vector<std::string> seeds_;
    std::set<std::string> queried_;  // in this round
    std::size_t questions_ = 0;      // queries without an answer so far
    bool found_any_ = false;         // in this round
    Milliseconds pause_{kFirstPause};
    std::optional<Milliseconds> answered_at_;  // the last answer of this round
};

}  // namespace petal::net
