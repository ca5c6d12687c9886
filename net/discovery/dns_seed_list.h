/// The DNS seeds of each network.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace petal::net {

/// The names to query, best first: names that list only nodes with these services, then the names
/// that list all nodes of a seed. A seed that filters by services has names with a label in front,
/// `x` and the service bits in hexadecimal. DNS answers have no ports, so the network's default
/// port applies. Empty for regtest.
/// network    as in NetworkParams
/// services   0 for any node
std::vector<std::string> dns_seed_names(std::string_view network, std::uint64_t services);

/// The service bits that the label of the name requests. 0 without such a label.
std::uint64_t services_asked_of(std::string_view seed);

}  // namespace petal::net
