/// The filter elements of scripts, and the descriptors that must not share a Bloom filter.
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

/// The element by which a filter matches outputs of this script: chain::watch_element() if there is
/// one, or else the first key of bare multisig, or else the longest push. A filter should contain
/// no further data of the script. Empty for a script without pushes, which no filter can match.
chain::ByteView filter_element(chain::ByteView script_pubkey);

/// Finds descriptors that must not share a filter, because two of their elements belong to one key.
/// A server that finds both elements in a filter, e.g. the key hash of wpkh() and the script hash
/// of sh(wpkh()), knows that neither is a false positive. pkh() and wpkh() of one key have the same
/// element and may share a filter. Not thread-safe.
///
/// Keys and addresses without a wildcard are compared with each other and with the first children
/// of each range: 1,000 children, but fewer (at least 50) from the twenty-first range on. Not
/// recognised are
/// - a tr() address of a key, unless the key itself is an element
/// - an address of an uncompressed key
class FilterSharing {
public:
    /// Adds a descriptor, which must be derivable. Returns the number, from 0, of the first earlier
    /// descriptor that must not share a filter with the added descriptor. Empty if there is none.
    /// Takes about 40 ms for each key with a wildcard if there are both ranges and single keys or
    /// addresses.
    std::optional<std::size_t> add(const Descriptor& descriptor);

private:
    /// A path with a wildcard.
    struct Range {
        std::size_t number = 0;  ///< of its descriptor
        ScriptDeriver deriver;
    };
    /// A script of one key with a known parent.
    struct Child {
        std::size_t number = 0;  ///< of its descriptor
        std::uint32_t index = 0;
        chain::Bytes element;
    };
    struct Owner {
        std::size_t number = 0;  ///< of the descriptor
        chain::Bytes element;    ///< of a script of the descriptor

        friend bool operator==(const Owner&, const Owner&) = default;
    };

    // Each returns the lowest number of a conflicting descriptor. Without a conflict, returns a
    // number that is at least the number of the added descriptor.
    std::size_t add_range(std::size_t number, const Descriptor& path, ScriptDeriver deriver);
    std::size_t add_single(std::size_t number, const Descriptor& path, ScriptDeriver& deriver);
    std::size_t add_children();
    std::size_t compare(Range& range, const Child& child);
    std::size_t put(std::size_t number, const chain::Bytes& script_pubkey,
                    std::span<const DerivedKey> keys);

    std::size_t added_ = 0;
    bool has_singles_ = false;
    std::vector<Range> ranges_;
    std::size_t compared_ranges_ = 0;  ///< the number of ranges whose children are in owners_
    /// The ranges by each of their keys, and the scripts of single keys by the key's parent.
    std::multimap<chain::Bytes, std::size_t> ranges_by_family_;
    std::multimap<chain::Bytes, Child> children_by_family_;
    /// The owners of scripts and keys, by their traces (traces_of()).
    std::map<chain::Bytes, std::vector<Owner>> owners_;
};

}  // namespace petal::wallet
