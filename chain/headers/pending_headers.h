/// Headers that a process could not write to the header file, because another process writes the
/// file. Pending headers are stored in `PATH.pending`, until the next process that writes the
/// header file adds them.
#pragma once

#include <cstdint>
#include <filesystem>

#include "chain/headers/header_chain.h"

namespace petal::chain {

/// The maximum number of pending headers. A larger number is an initial sync, which the other
/// process downloads as well.
inline constexpr std::size_t kMaxPendingHeaders = 100'000;

/// The pending headers of one header file. Not thread-safe.
class PendingHeadersFile {
public:
    /// The path of a header file's pending headers.
    static std::filesystem::path path_of(std::filesystem::path header_file);

    explicit PendingHeadersFile(std::filesystem::path header_file);

    const std::filesystem::path& header_file() const { return header_file_; }

    /// Adds the pending headers to the chain, which validates them like headers from a peer.
    /// now   Unix seconds, as for HeaderChain::accept()
    void read(HeaderChain& chain, std::int64_t now);

    /// Whether the chain has new headers since the last read() or write().
    bool is_due(const HeaderChain& chain) const { return chain.size() != size_; }
    /// Replaces the pending headers (mode 0600) by the best chain's headers above the header
    /// file's. Throws HeaderFileError. is_due() then stays true. Writes nothing if
    /// - there are no new headers, or more than kMaxPendingHeaders,
    /// - the new headers do not follow a header of the file, or
    /// - the pending headers already include the new headers, or have more work.
    ///
    /// stored   the chain in the header file. The pending headers are added to this chain
    void write(HeaderChain& stored, const HeaderChain& chain);

    /// Removes the pending headers if read() has added all of them to the chain. The header file
    /// must have them now.
    void remove();

private:
    std::filesystem::path header_file_;
    bool has_all_ = false;
    std::uint32_t size_ = 0;  // of the chain at the last read() or write()
};

}  // namespace petal::chain
