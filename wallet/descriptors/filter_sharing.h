/// Which scripts a Bloom filter can find, and which must not be in one filter together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "chain/bytes.h"
#include "wallet/descriptors/descriptor.h"
#include "wallet/descriptors/script_deriver.h"

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
/// of each range: 1,000 of them, and fewer of those behind the twentieth, but at least 50. A tr()
/// address is not recognised as that of a key, unless the key itself is an element, nor is the
/// address of an uncompressed key.
class FilterSharing {
public:
    /// Adds a descriptor, which is derivable. Returns the first that was added before and must not
    /// be in one filter with it, counted from 0; empty if there is none. Where ranges meet keys or
    /// addresses, it takes about 40 ms for each key with a wildcard.
    std::optional<std::size_t> add(const Descriptor& descriptor);

private:
    /// A path with a wildcard.
    struct Range {
        std::size_t number = 0;  ///< of its descriptor
        ScriptDeriver deriver;
    };
    /// A script by one key whose parent is known.
    struct Child {
        std::size_t number = 0;  ///< of its descriptor
        std::uint32_t index = 0;
        chain::Bytes element;
    };
    struct Owner {
        std::size_t number = 0;  ///< of the descriptor
        chain::Bytes element;    ///< of one of its scripts

        friend bool operator==(const Owner&, const Owner&) = default;
    };

    // Each returns the lowest number of a descriptor that is in the way, or one that is not below
    // that of the descriptor that is added.
    std::size_t add_range(std::size_t number, const Descriptor& path, ScriptDeriver deriver);
    std::size_t add_single(std::size_t number, const Descriptor& path, ScriptDeriver& deriver);
    std::size_t add_children();
    std::size_t compare(Range& range, const Child& child);
    std::size_t put(std::size_t number, const chain::Bytes& script_pubkey,
                    std::span<const DerivedKey> keys);

    std::size_t added_ = 0;
    bool has_singles_ = false;
    std::vector<Range> ranges_;
    std::size_t compared_ranges_ = 0;  ///< how many of them have their children in owners_
    /// By a key of theirs, and what is derived from it.
    std::multimap<chain::Bytes, std::size_t> ranges_by_family_;
    std::multimap<chain::Bytes, Child> children_by_family_;
    /// By what scripts and keys are recognised: whose they are.
    std::map<chain::Bytes, std::vector<Owner>> owners_;
};

}  // namespace petal::wallet
