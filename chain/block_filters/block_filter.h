/// Compact filters of blocks: the basic filter of BIP158 and the filter headers of BIP157.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "chain/block.h"
#include "chain/block_filters/golomb_set.h"
#include "chain/byte_reader.h"
#include "chain/bytes.h"
#include "chain/expected.h"
#include "chain/hash.h"
#include "chain/transaction.h"

namespace petal::chain {

/// P and M of the basic filter (BIP158).
inline constexpr unsigned kBasicRemainderBits = 19;
inline constexpr std::uint64_t kBasicInverseRate = 784'931;

/// The number of elements for which a block has room. The smallest part of a block that adds an
/// element is an output with a script of one byte: amount, length, script. An input is larger.
inline constexpr std::size_t kMaxBasicFilterElements = kMaxStrippedBytes / (8 + 1 + 1);
/// The size of the largest encoding of a basic filter. Each element takes P + 1 bits. The unary
/// parts of all elements together have one more bit for each 2^P that the last hash contains. The
/// last hash is below M times the number of elements.
inline constexpr std::size_t kMaxBasicFilterBytes =
    5 + (kMaxBasicFilterElements * (kBasicRemainderBits + 1) +
         (kMaxBasicFilterElements * kBasicInverseRate >> kBasicRemainderBits) + 7) /
            8;

/// The hash of a filter's encoding, in internal order.
using FilterHash = TaggedHash<struct FilterHashTag>;
/// A filter header commits to the filters of a block and of all earlier blocks. Zero before the
/// genesis block.
using FilterHeader = TaggedHash<struct FilterHeaderTag>;

/// The parameters of the basic filter of the block with this hash (BIP158).
GolombParameters basic_filter_parameters(const BlockHash& block);

/// The scripts of the block's outputs that are elements of its basic filter: all but empty ones and
/// those that begin with OP_RETURN. Possibly with duplicates.
std::vector<Bytes> output_elements(const Block& block);

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
