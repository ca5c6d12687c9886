/// The headers that a process could not write to the header file because another process writes it.
/// They are stored beside it, in `PATH.pending`, until a process writes the file that can add them.
#pragma once

#include <cstdint>
#include <filesystem>

#include "chain/headers/header_chain.h"

namespace petal::chain {

/// The maximum number of pending headers. More are those of a first sync, which the other process
/// downloads, too.
inline constexpr std::size_t kMaxPendingHeaders = 100'000;

/// The pending headers of one header file. Not thread-safe.
class PendingHeadersFile {
public:
    /// The path of a header file's pending headers.
    static std::filesystem::path path_of(std::filesystem::path header_file);

    explicit PendingHeadersFile(std::filesystem::path header_file);

    const std::filesystem::path& header_file() const { return header_file_; }

    /// Adds the pending headers to the chain, which checks them like those of a peer: headers of a
    /// damaged file are left out.
    /// now   Unix seconds, as for HeaderChain::accept
    void read(HeaderChain& chain, std::int64_t now);

    /// Whether the chain has headers that it did not have at the last read() or write().
    bool is_due(const HeaderChain& chain) const { return chain.size() != size_; }
    /// Writes the headers of the best chain that are above those of the header file (mode 0600),
    /// replacing the pending ones. Writes nothing if there are none or more than
    /// kMaxPendingHeaders, if they do not follow a header of the file, or if the pending ones
    /// include them or have more work.
    /// stored   the chain that the header file holds, to which the pending headers are added
    /// Throws HeaderFileError; is_due() then stays.
    void write(HeaderChain& stored, const HeaderChain& chain);

    /// Removes the pending headers if the chain had all of them at read(): the header file has them
    /// now.
    void remove();

private:
    std::filesystem::path header_file_;
    bool has_all_ = false;
    std::uint32_t size_ = 0;  // of the chain at the last read() or write()
};

}  // namespace petal::chain
