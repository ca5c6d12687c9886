/// The block filters and filter headers of a regtest chain (BIP157, BIP158).
#pragma once

#include <unordered_map>
#include <vector>

#include "chain/block_filters/block_filter.h"
#include "chain/bytes.h"
#include "regtest/chain/chainstate.h"

namespace petal::regtest {

/// The basic filters of the blocks that were ever on the active chain (Bitcoin Core:
/// index/blockfilterindex.h). Filters are computed when they are first needed, and then kept, so
/// that a chain whose filters are not requested takes neither time nor memory for them.
class BlockFilterIndex {
public:
    struct Record {
        chain::Bytes filter;  ///< encoded
        chain::FilterHeader header;
    };

    /// The filter of a block that was ever on the active chain. Computes the missing filters of its
    /// ancestors first, on which the filter header depends. The record stays valid.
    const Record& record(const Chainstate::Entry& block) const;

    /// The block and those of its ancestors whose filters are not computed yet, highest first.
    std::vector<const Chainstate::Entry*> missing(const Chainstate::Entry& block) const;

private:
    /// A cache. Blocks that were ever on the active chain are never forgotten.
    mutable std::unordered_map<const Chainstate::Entry*, Record> records_;
};

}  // namespace petal::regtest
