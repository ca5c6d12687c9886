#include "client/data/stored_chain.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace petal::client {

chain::Anchor highest_anchor(const chain::NetworkParams& network) {
    return chain::anchor_at(network, chain::anchor_count(network) - 1);
}

StoredChain::StoredChain(const DataFolder& data, const chain::Anchor& root, bool read_only,
                         std::int64_t now)
    : folder(data),
      chain(data.network(), root),
      file(data.header_file(), chain, now, {.read_only = read_only}) {}

bool has_stored_headers(const DataFolder& data) {
    std::error_code unreadable;
    const auto status = std::filesystem::symlink_status(data.header_file(), unreadable);
    return status.type() != std::filesystem::file_type::not_found;
}

std::unique_ptr<const StoredChain> find_stored_chain(const DataFolder& data, std::int64_t now) {
    if (!has_stored_headers(data)) return nullptr;
    return std::make_unique<const StoredChain>(data, highest_anchor(data.network()),
                                               /*read_only=*/true, now);
}

std::unique_ptr<const StoredChain> examine_stored_chain(const DataFolder& data,
                                                        const std::function<void()>& pause) {
    constexpr int kLooks = 10;
    for (int look = 1;; ++look) {
        auto stored = std::make_unique<const StoredChain>(data, highest_anchor(data.network()),
                                                          /*read_only=*/true);
        if (stored->file.damaged_bytes() == 0 || look == kLooks) return stored;
        pause();
    }
}

std::uint32_t first_height_of(const chain::Birthday& birthday, const chain::HeaderChain& headers) {
    return std::max(birthday.height, headers.first_height_since(birthday.time));
}

}  // namespace petal::client
