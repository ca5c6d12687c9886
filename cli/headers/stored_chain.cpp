#include "cli/headers/stored_chain.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "cli/data_folder.h"

namespace petal::cli {

chain::Anchor highest_anchor(const chain::NetworkParams& network) {
    return chain::anchor_at(network, chain::anchor_count(network) - 1);
}

StoredChain::StoredChain(const GlobalOptions& global, const chain::Anchor& root, bool read_only,
                         std::int64_t now)
    : chain(*global.network, root),
      file(header_file(global), chain, now, {.read_only = read_only}) {}

CommandError headers_locked() {
    return {ExitStatus::failed, "headers-locked",
            "another petal writes this network's headers; try again later"};
}

bool has_stored_headers(const GlobalOptions& global) {
    std::error_code unreadable;
    const auto status = std::filesystem::symlink_status(header_file(global), unreadable);
    return status.type() != std::filesystem::file_type::not_found;
}

std::unique_ptr<const StoredChain> find_stored_chain(const GlobalOptions& global,
                                                     std::int64_t now) {
    if (!has_stored_headers(global)) return nullptr;
    return std::make_unique<const StoredChain>(global, highest_anchor(*global.network),
                                               /*read_only=*/true, now);
}

std::unique_ptr<const StoredChain> examine_stored_chain(const GlobalOptions& global,
                                                        const std::function<void()>& pause) {
    constexpr int kLooks = 10;
    for (int look = 1;; ++look) {
        auto stored = std::make_unique<const StoredChain>(global, highest_anchor(*global.network),
                                                          /*read_only=*/true);
        if (stored->file.damaged_bytes() == 0 || look == kLooks) return stored;
        pause();
    }
}

std::uint32_t first_height_of(const chain::Birthday& birthday, const chain::HeaderChain& headers) {
    return std::max(birthday.height, headers.first_height_since(birthday.time));
}

}  // namespace petal::cli
