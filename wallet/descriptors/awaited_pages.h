/// The addresses of a descriptor at which payments are awaited.
#pragma once

#include <cstdint>
#include <vector>

#include "wallet/descriptors/key_ring.h"

namespace petal::wallet {

/// The indexes from `begin` to before `end`.
struct IndexRange {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;

    friend bool operator==(const IndexRange&, const IndexRange&) = default;
};

/// Divides a descriptor's indexes into pages, and returns the pages with awaited addresses, by
/// ascending index. Awaited are
/// - the addresses above the highest used one, up to gap_limit above the last handed-out one
/// - the last gap_limit addresses before the next one, of which some may still be unpaid
///
/// A page has about five times gap_limit addresses (100 by default). Pages depend on `look_ahead`
/// alone, so a filter changes only when the addresses in use reach another page. Each page is
/// within the watched range of KeyRing, whose steps end where pages end.
/// used_end     KeyRing::used_end()
/// issued_end   KeyRing::issued_end()
std::vector<IndexRange> awaited_pages(const LookAhead& look_ahead, std::uint32_t used_end,
                                      std::uint32_t issued_end);

}  // namespace petal::wallet
