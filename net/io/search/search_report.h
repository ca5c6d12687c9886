/// The result of a search for peers, for the user.
#pragma once

#include <cstddef>

namespace petal::net {

/// The outcomes of the DNS seed lookups so far.
struct SeedLookups {
    std::size_t answered = 0;    ///< with addresses, usable or not
    std::size_t unknown = 0;     ///< the name does not exist or has no addresses
    std::size_t unanswered = 0;  ///< no name server could be asked, or none answered in time

    /// Whether seeds were looked up, and none had an address.
    bool have_all_failed() const { return answered == 0 && unknown + unanswered > 0; }
};

/// All false and zero if no peers were searched for.
struct SearchReport {
    bool offline = false;               ///< no host could be reached
    bool has_no_known_address = false;  ///< there is no address to try
    bool others_have_nodes = false;     ///< a node has got the filter of another watcher
    SeedLookups seed_lookups{};
};

}  // namespace petal::net
