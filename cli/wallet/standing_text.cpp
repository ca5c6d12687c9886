#include "cli/wallet/standing_text.h"

#include "chain/headers/header_rules.h"
#include "cli/options/advice.h"
#include "cli/text/text.h"

namespace petal::cli {

Json with_standing(Json json, const client::ChainStanding& standing) {
    json["synced_height"] = standing.synced ? Json(standing.synced->height) : Json(nullptr);
    json["synced_time"] = standing.synced_time;
    json["header_height"] = standing.header_height;
    json["tip_age_s"] = standing.tip_age;
    json["synced"] = standing.is_synced;
    json["reorganised"] = standing.is_reorganised;
    json["minimum_work"] = standing.minimum_work;
    return json;
}

std::string standing_text(const client::ChainStanding& standing, const GlobalOptions& global) {
    const std::string sync = advised("sync", global);
    if (standing.rescans) {
        return "Not synced: all blocks are to be searched again; until " + sync +
               " has done that, payments are missing or unconfirmed here.\n";
    }
    if (!standing.synced && standing.header_height == 0U) {
        return "No block is searched yet: the stored chain has none after its first; " + sync +
               " asks for more.\n";
    }
    if (!standing.synced) return "Not synced: no block is searched yet; " + sync + " searches.\n";
    std::string text = "As of block " + format_count(standing.synced->height);
    if (standing.is_synced) {
        text += ", " + format_time(standing.synced_time.value()) + ".\n";
    } else if (standing.is_reorganised) {
        text +=
            ", which is no longer in the best chain: what it and blocks before it confirmed may "
            "be undone; " +
            sync + " goes on.\n";
    } else if (standing.has_unusable_headers) {
        text += ", but the stored headers can't be used; " + advised("headers verify", global) +
                " says why.\n";
    } else if (standing.header_height.value_or(0) < standing.synced->height) {
        text += ", whose header is not stored; " + sync + " fetches the headers again.\n";
    } else {
        text += " of " + format_count(*standing.header_height) +
                ", not synced: payments in later blocks are missing or unconfirmed here; " + sync +
                " goes on.\n";
    }
    return text + minimum_work_line(standing.minimum_work, standing.synced, global.network->name);
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

void warn_of_old_tip(const client::ChainStanding& standing, const GlobalOptions& global,
                     Console& console) {
    if (!standing.tip_age) return;
    warn_of_old_tip(*standing.header_height, *standing.tip_age, /*was_asked=*/false, global,
                    console);
}

std::string minimum_work_line(bool has_minimum_work, const std::optional<chain::BlockRef>& synced,
                              const std::string& network) {
    if (has_minimum_work || !synced) return "";
    return "Not proven: the stored headers do not show the minimum work of " + network +
           " behind these blocks, so a peer may have made them up.\n";
}

}  // namespace petal::cli
