/// What a block proves about an untrusted filter of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "chain/block.h"
#include "chain/block_filters/golomb_set.h"

namespace petal::chain {

/// Why a set is not the basic filter of its block.
enum class FilterFault : std::uint8_t {
    lacks_script,  ///< of an output of the block
    wrong_size,    ///< fewer or more elements than the block can have
};

/// A predicate, such as "lacks the script of an output".
std::string_view describe(FilterFault fault);

/// Returns why `filter` is not the basic filter of this block. Empty if the block does not prove
/// it: the block lacks the scripts of earlier blocks' outputs, which it spends. The filter must be
/// decoded by decode_basic_filter() for this block, whose transactions must be checked
/// (check_transactions()). Witnesses are not needed. Never returns a fault of a valid block's own
/// filter.
///
/// An input proves nothing. Some BIP158 clients, such as neutrino, guess the spent script by the
/// form of the signature script or witness. A miner can mine an input of this form that spends a
/// different script.
std::optional<FilterFault> find_filter_fault(const Block& block, const GolombSet& filter);

}  // namespace petal::chain
