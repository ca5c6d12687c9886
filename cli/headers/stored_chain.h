/// The block headers that a network's data folder holds.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "chain/headers/anchors.h"
#include "chain/headers/header_chain.h"
#include "chain/headers/header_file.h"
#include "chain/watcher.h"
#include "cli/options/options.h"
#include "net/io/clocks.h"

namespace petal::cli {

chain::Anchor highest_anchor(const chain::NetworkParams& network);

/// The network's stored headers, from wherever they start. Throws what chain::HeaderFile does.
struct StoredChain {
    /// root   where a file that is not there yet would start; one that starts lower is taken so
    /// now    Unix seconds: headers of a later time than nodes accept by then are refused
    StoredChain(const GlobalOptions& global, const chain::Anchor& root, bool read_only,
                std::int64_t now = net::unix_time_now());
    StoredChain(const StoredChain&) = delete;
    StoredChain& operator=(const StoredChain&) = delete;

    chain::HeaderChain chain;
    chain::HeaderFile file;  // refers to the chain
};

/// Looks at the stored headers, without a lock; null if there are none.
std::unique_ptr<const StoredChain> find_stored_chain(const GlobalOptions& global,
                                                     std::int64_t now = net::unix_time_now());

/// Looks at stored headers that are there, to say whether they are damaged. What another process is
/// writing just now looks damaged for a moment, so damage is looked at again a few times.
/// pause   waits for that moment
std::unique_ptr<const StoredChain> examine_stored_chain(const GlobalOptions& global,
                                                        const std::function<void()>& pause);

/// The first block that can concern a wallet of this birthday, as far as the headers tell; above
/// the tip where none of theirs can.
std::uint32_t first_height_of(const chain::Birthday& birthday, const chain::HeaderChain& headers);

}  // namespace petal::cli
