/// Valid descriptors of all forms that petal reads.
#pragma once

#include <random>
#include <string>

#include "chain/network_params.h"

namespace petal::test {

/// A descriptor without checksum, in the form that petal writes. Some keys are private.
std::string random_descriptor(std::mt19937_64& random, const chain::NetworkParams& network);

}  // namespace petal::test
