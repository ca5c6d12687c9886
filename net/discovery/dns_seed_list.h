/// The names under which each network's nodes are listed in DNS.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace petal::net {

/// The names to ask, in the order in which they are worth it: first those that list only nodes
/// which serve filters, each seed once before any twice, then all nodes. A seed that filters by
/// services does so by a label in front, `x` and the service bits in hexadecimal. Answers have no
/// ports: it is the network's default one. None for regtest.
/// network   as NetworkParams name it
std::vector<std::string> dns_seed_names(std::string_view network);

/// The service bits that every node in the answer should have, as the name's label asks: 0 where it
/// has none.
std::uint64_t services_asked_of(std::string_view seed);

}  // namespace petal::net
