/// Compact filters of blocks: the basic filter of BIP158 and the filter headers of BIP157.
#pragma once

#include <cstdint>
#include <span>

#include "chain/block.h"
#include "chain/block_filters/golomb_set.h"
#include "chain/byte_reader.h"
#include "chain/bytes.h"
#include "chain/expected.h"
#include "chain/hash.h"

namespace petal::chain {

/// The hash of a filter's encoding, in internal order.
using FilterHash = TaggedHash<struct FilterHashTag>;
/// A filter header commits to the filters of a block and of all earlier blocks. Zero before the
/// genesis block.
using FilterHeader = TaggedHash<struct FilterHeaderTag>;

/// The parameters of the basic filter of the block with this hash (BIP158).
GolombParameters basic_filter_parameters(const BlockHash& block);

/// The basic filter of a block: the output scripts that the block creates or spends.
///
/// spent_scripts   the scriptPubKey of each output that the block spends, in any order
GolombSet make_basic_filter(const Block& block, std::span<const Bytes> spent_scripts);

/// Decodes the untrusted basic filter of the block with this hash. Fails like GolombSet::decode(),
/// and with `too_large` if a block has no room for as many created and spent outputs as the filter
/// has elements.
Expected<GolombSet, DecodeError> decode_basic_filter(const BlockHash& block, ByteView filter);

/// The hash of an encoded filter.
FilterHash hash_filter(ByteView filter);

/// The filter header of a block, from the filter's hash and the previous filter header (BIP157).
FilterHeader next_filter_header(const FilterHash& filter, const FilterHeader& previous);

}  // namespace petal::chain
