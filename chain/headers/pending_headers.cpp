#include "chain/headers/pending_headers.h"

#include <algorithm>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "chain/byte_reader.h"
#include "chain/byte_writer.h"
#include "chain/files/regular_file.h"
#include "chain/headers/header_file_error.h"
#include "chain/headers/header_rules.h"
#include "chain/headers/locked_file.h"

namespace petal::chain {

namespace {

// The lowest height at which `stored` does not have the best chain's block. Empty if no blocks or
// too many blocks are missing, or if the missing blocks do not follow a block of `stored`.
std::optional<std::uint32_t> first_missing_height(const HeaderChain& stored,
                                                  const HeaderChain& chain) {
    const std::uint32_t tip = chain.tip().height;
    const std::uint32_t root = std::max(stored.root().height, chain.root().height);
    for (std::uint32_t height = tip; height >= root; --height) {
        if (stored.height_of(chain.hash_at(height))) {
            return height == tip ? std::nullopt : std::optional(height + 1);
        }
        if (height == 0 || tip - height >= kMaxPendingHeaders) break;
    }
    return std::nullopt;
}

// Reads up to the first header that does not follow the previous header. The headers of an
// undamaged file are one chain.
std::vector<BlockHeader> read_headers(const std::filesystem::path& path) {
    std::vector<BlockHeader> headers;
    std::string bytes;
    try {
        bytes = read_regular_file(path, kMaxPendingHeaders * kHeaderBytes);
    } catch (const std::system_error&) {
        return headers;
    }
    ByteReader reader{as_bytes(bytes)};
    while (reader.remaining() >= kHeaderBytes) {
        const BlockHeader header = read_block_header(reader);
        if (!headers.empty() && header.previous != headers.back().hash()) break;
        headers.push_back(header);
    }
    return headers;
}

void write_headers(const std::filesystem::path& path, const HeaderChain& chain,
                   std::uint32_t first) {
    LockedFile draft{LockedFile::draft_path(path)};
    if (draft.is_read_only()) return;  // another process is writing a replacement
    ByteWriter writer{(chain.tip().height - first + 1) * kHeaderBytes};
    for (std::uint32_t height = first; height <= chain.tip().height; ++height) {
        writer.bytes(chain.header_at(height).serialize());
    }
    draft.replace(path, [&writer](LockedFile& file) { file.write(0, writer.view()); });
}

// Returns true if there are pending headers and all are in the chain now.
bool add_pending(const std::filesystem::path& path, HeaderChain& chain, std::int64_t now) {
    const std::vector<BlockHeader> headers = read_headers(path);
    // The first pending headers may be below the root.
    const auto start = std::ranges::find_if(headers, [&chain](const BlockHeader& header) {
        return chain.height_of(header.previous).has_value();
    });
    if (start == headers.end()) return false;
    const std::span known(start, headers.end());
    return chain.accept(known, now).accepted == known.size();
}

}  // namespace

std::filesystem::path PendingHeadersFile::path_of(std::filesystem::path header_file) {
    return header_file += ".pending";
}

PendingHeadersFile::PendingHeadersFile(std::filesystem::path header_file)
    : header_file_(std::move(header_file)) {}

void PendingHeadersFile::read(HeaderChain& chain, std::int64_t now) {
    has_all_ = add_pending(path_of(header_file_), chain, now);
    size_ = chain.size();
}

void PendingHeadersFile::write(HeaderChain& stored, const HeaderChain& chain) {
    if (const auto first = first_missing_height(stored, chain)) {
        add_pending(path_of(header_file_), stored, kMaxBlockTime);
        const bool are_known = stored.height_of(chain.tip().hash).has_value();
        if (!are_known && stored.chainwork() <= chain.chainwork()) {
            write_headers(path_of(header_file_), chain, *first);
        }
    }
    size_ = chain.size();
}

void PendingHeadersFile::remove() {
    if (!std::exchange(has_all_, false)) return;
    std::error_code not_there;
    std::filesystem::remove(path_of(header_file_), not_there);
}

}  // namespace petal::chain
