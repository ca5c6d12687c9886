#include "bloom/measures/world.h"

namespace petal::bloom {

std::vector<Universe> effective_universes(const World& world) {
    const double year = world.transactions_per_day() * 365 * world.addresses_per_transaction;
    return {
        {"all", "all addresses ever used", world.addresses},
        {"year", "first seen within a year (a known birthday)", year},
        {"year-type", "the same, of one kind of address", year * world.script_type_share},
        {"funded", "those that hold coins", world.funded_addresses},
        {"day", "active on one day", world.outputs_per_day() / 2},
        {"block", "in one block (a known payment)", world.outputs_per_day() / world.blocks_per_day},
    };
}

}  // namespace petal::bloom
