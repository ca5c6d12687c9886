/// Random histories. Whatever the chain, the peers and the restarts do, the watcher misses no
/// transaction in the end.
#pragma once

#include <gtest/gtest.h>

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>

#include "tests/support/history.h"

namespace petal::test {

/// Plays the histories of these seeds. The variable PETAL_HISTORIES=FIRST-LAST replaces the seeds,
/// for a long search or to replay one history.
template <class Owner = ListOwner>
void play_histories(std::uint64_t first, std::uint64_t last) {
    if (const char* range = std::getenv("PETAL_HISTORIES")) {
        ASSERT_EQ(std::sscanf(range, "%" SCNu64 "-%" SCNu64, &first, &last), 2) << range;
    }
    for (std::uint64_t seed = first; seed <= last; ++seed) {
        std::mt19937_64 random(seed);
        const auto pick = [&](std::uint32_t below) {
            return static_cast<std::uint32_t>(random() % below);
        };
        Owner owner;
        History history(pick, {.rounds = 4, .blocks = 40, .high_rate = 0.05}, owner);
        ASSERT_EQ(history.play(), "") << "seed " << seed;
    }
}

}  // namespace petal::test
