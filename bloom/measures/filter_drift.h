/// How a filter fills up when servers add outpoints (BIP37, UPDATE_ALL).
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

/// The time until the rate of a filter with `elements` in it is `factor` times as high: dn/dt = R
/// f(n), with R outputs a day. Nothing if the rate never gets so high, or not within a hundred
/// years. (The server computes the added outpoints from public data, so they reveal nothing to it.
/// But the filter becomes expensive. First noticed by N. Dorier, NBitcoin.SPVSample.)
/// factor   more than 1
std::optional<Drift> drift_until(const FilterSize& size, double elements, double factor,
                                 const World& world);

}  // namespace petal::bloom
