/// The block headers that a network's data folder holds.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "chain/headers/anchors.h"
#include "chain/headers/header_chain.h"
#include "chain/headers/header_file.h"
#include "chain/watcher.h"
#include "client/data/data_folder.h"
#include "net/io/clocks.h"

namespace petal::client {

chain::Anchor highest_anchor(const chain::NetworkParams& network);

/// The network's stored headers, wherever they start. Throws the exceptions of chain::HeaderFile.
struct StoredChain {
    /// root   the start of a new file. An existing file that starts lower is used as it is
    /// now    Unix seconds: headers with a later time than nodes accept are refused
    StoredChain(const DataFolder& data, const chain::Anchor& root, bool read_only,
                std::int64_t now = net::unix_time_now());
    StoredChain(const StoredChain&) = delete;
    StoredChain& operator=(const StoredChain&) = delete;

    DataFolder folder;  // has the network, to which the chain refers
    chain::HeaderChain chain;
    chain::HeaderFile file;  // refers to the chain
};

/// Whether the header file's name is in use, even by a symbolic link to nothing, or the system does
/// not tell: opening the file then says what is wrong.
bool has_stored_headers(const DataFolder& data);

/// Looks at the stored headers, without a lock. Null if there are none.
std::unique_ptr<const StoredChain> find_stored_chain(const DataFolder& data,
                                                     std::int64_t now = net::unix_time_now());

/// Reads stored headers, which exist, to check whether they are damaged. Data that another process
/// is writing looks damaged for a moment, so damage is checked again a few times.
/// pause   waits for that moment
std::unique_ptr<const StoredChain> examine_stored_chain(const DataFolder& data,
                                                        const std::function<void()>& pause);

/// The first block that can concern a wallet of this birthday, as far as the headers show; above
/// the tip if none of them can.
std::uint32_t first_height_of(const chain::Birthday& birthday, const chain::HeaderChain& headers);

}  // namespace petal::client
