/// What DNS said of the names of seeds.
#pragma once

#include <cstddef>

namespace petal::net {

/// What became of the DNS lookups of seeds so far.
struct SeedLookups {
    std::size_t answered = 0;    ///< with addresses, of use or not
    std::size_t unknown = 0;     ///< DNS has no such name, or no address of it
    std::size_t unanswered = 0;  ///< no name server could be asked, or none answered in time

    /// Some seed was looked up, and none had an address.
    bool have_all_failed() const { return answered == 0 && unknown + unanswered > 0; }
};

}  // namespace petal::net
