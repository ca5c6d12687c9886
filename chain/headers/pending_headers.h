/// The headers that a process could not write to the header file, as another process writes it:
/// they lie beside it, in `PATH.pending`, until a process writes the file that can take them.
#pragma once

#include <cstdint>
#include <filesystem>

#include "chain/headers/header_chain.h"

namespace petal::chain {

/// More than these are not kept: they are those of a first sync, which the other process gets too.
inline constexpr std::size_t kMaxPendingHeaders = 100'000;

/// Writes the headers of the best chain that are above those of the header file (mode 0600), in
/// place of those pending. Writes nothing if there are none or more than kMaxPendingHeaders, if
/// they do not follow a header of the file, or if the pending ones include them or carry more work.
/// header_file   the path of the header file
/// stored        the chain that the header file holds, to which the pending headers are added
/// Throws HeaderFileError.
void write_pending_headers(const std::filesystem::path& header_file, HeaderChain& stored,
                           const HeaderChain& chain);

/// Adds the pending headers to the chain, which checks them as those of a peer: headers of a
/// damaged file are left out. Returns whether there are any, and the chain has all of them.
/// now   Unix seconds, as for HeaderChain::accept
bool read_pending_headers(const std::filesystem::path& header_file, HeaderChain& chain,
                          std::int64_t now);

/// The path of the pending headers.
std::filesystem::path pending_headers_path(std::filesystem::path header_file);

}  // namespace petal::chain
