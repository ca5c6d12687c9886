#include "cli/sync/peer_census.h"

#include <ostream>
#include <string>

#include "cli/options/access_check.h"
#include "cli/options/data_folder.h"
#include "cli/sync/text/peer_file_text.h"
#include "cli/sync/text/service_text.h"
#include "cli/terminal/table.h"
#include "cli/text/command_error.h"
#include "cli/text/json.h"
#include "cli/text/text.h"
#include "net/io/census.h"

namespace petal::cli {
namespace {

std::string seeds_text(const net::SeedLookups& lookups) {
    return lookups.have_all_failed() ? ", and DNS lookup failed for the DNS seeds" : "";
}

CommandError census_error(const net::CensusResult& census) {
    CommandError error =
        census.interrupted
            ? CommandError(ExitStatus::interrupted, "interrupted",
                           "interrupted; what " + count_of(census.services.size(), "node") +
                               " answered is saved")
        : census.known == 0 ? CommandError(ExitStatus::no_peer, "no-usable-peer",
                                           "no node is known that may be dialled now" +
                                               seeds_text(census.seed_lookups))
                            : CommandError(ExitStatus::no_peer, "no-usable-peer",
                                           "none of " + count_of(census.known, "node") +
                                               " answered" + seeds_text(census.seed_lookups));
    error.set_details({{"census", census_json(census)}});
    return error;
}

std::string census_text(const net::CensusResult& census, const GlobalOptions& global,
                        const Console& console) {
    std::string text = fitted(census_table(census), global.full, console);
    text += format_count(census.services.size()) + " of " +
            count_of(census.greeted, "greeted node") + " answered, of " +
            format_count(census.known) + " that may be dialled";
    text += census.is_complete ? ".\n" : "; the time was up.\n";
    return text;
}

}  // namespace

void run_census(const client::ConnectionOptions& connection, const GlobalOptions& global,
                Console& console) {
    refuse_unsafe_folders(global);
    client::PeerSource peers(connection, data_of(global), /*services=*/0,
                             peer_file_warnings(console));
    const net::CensusResult census = peers.take_census();
    peers.save();
    if (census.interrupted || census.services.empty()) throw census_error(census);
    if (global.json) return console.print_json({{"census", census_json(census)}});
    console.prose() << census_text(census, global, console);
}

}  // namespace petal::cli
