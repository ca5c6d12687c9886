/// The DNS seeds of each network.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace petal::net {

/// The names to query, best first: first those that list only nodes with Bloom filters, then each
/// seed's list of all nodes. A seed that filters by services does so by a label in front, `x` and
/// the service bits in hexadecimal. Answers have no ports: it is the network's default one. None
/// for regtest.
/// network   as NetworkParams name it
std::vector<std::string> dns_seed_names(std::string_view network);

/// The service bits that the name's label requests of every node in the answer: 0 without such a
/// label.
std::uint64_t services_asked_of(std::string_view seed);

}  // namespace petal::net
