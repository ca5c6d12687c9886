#include "cli/minimum_work.h"

#include <filesystem>
#include <limits>
#include <system_error>

#include "chain/anchors.h"
#include "chain/header_file.h"
#include "cli/data_folder.h"

namespace petal::cli {

bool has_minimum_work(const GlobalOptions& global, const std::optional<chain::BlockRef>& synced) {
    const chain::NetworkParams& network = *global.network;
    if (network.minimum_chainwork == 0) return true;
    if (!synced) return false;
    const std::filesystem::path path = header_file(global);
    std::error_code unreadable;
    if (!std::filesystem::exists(path, unreadable)) return false;
    // Later than any block: amounts are shown whatever the clock says.
    constexpr std::int64_t kEndOfTime = std::numeric_limits<std::uint32_t>::max();
    try {
        // A file that starts lower is taken from there.
        chain::HeaderChain chain{network,
                                 chain::anchor_at(network, chain::anchor_count(network) - 1)};
        const chain::HeaderFile file{path, chain, kEndOfTime, {.read_only = true}};
        return chain.has_minimum_chainwork(synced->hash);
    } catch (const chain::HeaderFileError&) {
        return false;  // the next sync says what is wrong with the file, and repairs what it can
    }
}

std::string minimum_work_line(bool has_minimum_work, const std::optional<chain::BlockRef>& synced,
                              const std::string& network) {
    if (has_minimum_work || !synced) return "";
    return "Not proven: the stored headers do not show the minimum work of " + network +
           " behind these blocks, so a peer may have made them up.\n";
}

}  // namespace petal::cli
