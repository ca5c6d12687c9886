#include "cli/wallet/sync_status_text.h"

#include "chain/headers/header_rules.h"
#include "cli/options/advice.h"
#include "cli/text/text.h"

namespace petal::cli {

Json with_sync_status(Json json, const client::WalletSyncStatus& sync_status) {
    json["synced_height"] = sync_status.synced ? Json(sync_status.synced->height) : Json(nullptr);
    json["synced_time"] = sync_status.synced_time;
    json["header_height"] = sync_status.header_height;
    json["tip_age_s"] = sync_status.tip_age;
    json["synced"] = sync_status.is_synced;
    json["reorganised"] = sync_status.is_reorganised;
    json["minimum_work"] = sync_status.minimum_work;
    return json;
}

std::string sync_status_text(const client::WalletSyncStatus& sync_status,
                             const GlobalOptions& global) {
    const std::string sync = advised("sync", global);
    if (sync_status.rescans) {
        return "Not synced: all blocks are to be searched again; until " + sync +
               " has done that, payments are missing or unconfirmed here.\n";
    }
    if (!sync_status.synced && sync_status.header_height == 0U) {
        return "No block is searched yet: the stored chain has none after its first; " + sync +
               " asks for more.\n";
    }
    if (!sync_status.synced)
        return "Not synced: no block is searched yet; " + sync + " searches.\n";
    std::string text = "As of block " + format_count(sync_status.synced->height);
    if (sync_status.is_synced) {
        text += ", " + format_time(sync_status.synced_time.value()) + ".\n";
    } else if (sync_status.is_reorganised) {
        text +=
            ", which is no longer in the best chain: what it and blocks before it confirmed may "
            "be undone; " +
            sync + " goes on.\n";
    } else if (sync_status.has_unusable_headers) {
        text += ", but the stored headers can't be used; " + advised("headers verify", global) +
                " says why.\n";
    } else if (sync_status.header_height.value_or(0) < sync_status.synced->height) {
        text += ", whose header is not stored; " + sync + " fetches the headers again.\n";
    } else {
        text += " of " + format_count(*sync_status.header_height) +
                ", not synced: payments in later blocks are missing or unconfirmed here; " + sync +
                " goes on.\n";
    }
    return text +
           minimum_work_line(sync_status.minimum_work, sync_status.synced, global.network->name);
}

std::string tip_age_text(std::uint32_t height, std::int64_t age) {
    return "the last block, " + format_count(height) + ", is " +
           format_duration(static_cast<double>(age)) + " old";
}

void warn_of_old_tip(std::uint32_t height, std::int64_t age, bool was_asked,
                     const GlobalOptions& global, Console& console) {
    if (!chain::is_old_tip(*global.network, age)) return;
    const std::string text = tip_age_text(height, age);
    const std::string causes(kOldTipCauses);
    console.warn(was_asked ? "stale tip: " + text + "; " + causes + "; " +
                                 advised("sync --connect HOST:PORT", global) + " asks another node"
                           : text + ", so newer payments are missing; " + advised("sync", global) +
                                 " asks for newer blocks; if it finds none, " + causes);
}

void warn_of_old_tip(const client::WalletSyncStatus& sync_status, const GlobalOptions& global,
                     Console& console) {
    if (!sync_status.tip_age) return;
    warn_of_old_tip(*sync_status.header_height, *sync_status.tip_age, /*was_asked=*/false, global,
                    console);
}

std::string minimum_work_line(bool has_minimum_work, const std::optional<chain::BlockRef>& synced,
                              const std::string& network) {
    if (has_minimum_work || !synced) return "";
    return "Not proven: the stored headers do not show the minimum work of " + network +
           " behind these blocks, so a peer may have made them up.\n";
}

}  // namespace petal::cli
