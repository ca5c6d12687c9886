/// Which peers may belong together, by the names that they were dialled by.
#pragma once

#include <string>
#include <string_view>

namespace petal::net {

/// Whoever runs one node of a group may well run others of it (Bitcoin Core: NetGroupManager): the
/// first half of an IPv4 address, so that all nodes of one machine's loopback are one group; of all
/// else the whole name.
/// address   as HOST:PORT
std::string network_group_of(std::string_view address);

}  // namespace petal::net
