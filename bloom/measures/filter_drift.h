/// How a filter fills by itself when servers add outpoints (BIP37, UPDATE_ALL).
#pragma once

#include <optional>

#include "bloom/measures/world.h"
#include "bloom/sizing.h"

namespace petal::bloom {

struct Drift {
    double outpoints = 0;  ///< that servers add for false matches meanwhile
    double days = 0;
    double blocks = 0;
};

/// How long it takes until the rate of a filter with `elements` in it is `factor` times as high:
/// dn/dt = R f(n), with R outputs a day. Nothing where it can't become so high, or not within a
/// hundred years. (A server computes the outpoints from what it knows already, so they tell it
/// nothing; but a filter that was private becomes expensive. N. Dorier, NBitcoin.SPVSample, noticed
/// it first.)
/// factor   more than 1
std::optional<Drift> drift_until(const FilterSize& size, double elements, double factor,
                                 const World& world);

}  // namespace petal::bloom
