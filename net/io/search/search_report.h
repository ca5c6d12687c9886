/// The result of a peer search, for the user.
#pragma once

#include <cstddef>

namespace petal::net {

/// The results of DNS seed lookups.
struct SeedLookups {
    std::size_t answered = 0;    ///< with addresses, usable or not
    std::size_t unknown = 0;     ///< no such name, or no addresses
    std::size_t unanswered = 0;  ///< no name server reachable, or no answer in time

    /// Whether seeds were looked up, and none listed an address.
    bool have_all_failed() const { return answered == 0 && unknown + unanswered > 0; }
};

/// All false and zero if peers were not searched for.
struct SearchReport {
    bool offline = false;               ///< no host could be reached
    bool has_no_known_address = false;  ///< no address to dial
    bool others_have_nodes = false;     ///< another watcher's filter was sent to a node
    SeedLookups seed_lookups{};
};

}  // namespace petal::net
