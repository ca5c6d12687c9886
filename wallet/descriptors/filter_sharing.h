/// Which scripts a Bloom filter can find, and which must not be in one filter together.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

#include "chain/bytes.h"
#include "wallet/descriptors/descriptor.h"

namespace petal::wallet {

/// The element by which a filter finds outputs of this script: chain::watch_element() where there
/// is one, the first key of bare multisig, and else the longest push. Nothing more of the script
/// belongs into the filter. Empty for a script without pushes, which no filter finds.
chain::ByteView filter_element(chain::ByteView script_pubkey);

/// Finds descriptors whose elements would betray each other in one filter: a server that finds both
/// elements of one key, as the key hash of wpkh() and the script hash of sh(wpkh()), knows that
/// neither is a false positive. pkh() and wpkh() of one key have the same element and may share a
/// filter. Not thread-safe.
///
/// Keys and addresses without a wildcard are compared with each other and with the first children
/// of each range: 1,000 of them, and fewer of those behind the twentieth, but at least 50. Nothing
/// tells of a tr() address whose key it is of.
class FilterSharing {
public:
    FilterSharing();
    ~FilterSharing();

    /// Adds a descriptor, which is derivable. Returns the first that was added before and must not
    /// be in one filter with it, counted from 0; empty if there is none. Where ranges meet keys or
    /// addresses, it takes about 30 ms for each range.
    std::optional<std::size_t> add(const Descriptor& descriptor);

private:
    struct Path;

    void add_children(std::size_t path);

    std::size_t added_ = 0;
    std::vector<Path> paths_;
    std::vector<std::size_t> ranges_;   ///< those of paths_ with a wildcard
    std::vector<std::size_t> singles_;  ///< the others
    std::size_t compared_ranges_ = 0;   ///< how many of the ranges have their children below
    /// By what a key or an address is recognised as a child of a path.
    std::multimap<chain::Bytes, std::size_t> children_;
};

}  // namespace petal::wallet
