#include "bloom/measures/world.h"

#include "chain/enum_table.h"

namespace petal::bloom {

std::string_view key_of(AddressSet set) {
    using enum AddressSet;
    static constexpr auto kKeys = chain::enum_table<AddressSet, std::string_view>({
        {all, "all"},
        {year, "year"},
        {year_type, "year-type"},
        {funded, "funded"},
        {day, "day"},
        {block, "block"},
    });
    return kKeys[set];
}

std::vector<Universe> effective_universes(const World& world) {
    using enum AddressSet;
    const double in_a_year = world.transactions_per_day() * 365 * world.addresses_per_transaction;
    return {{all, world.addresses},
            {year, in_a_year},
            {year_type, in_a_year * world.script_type_share},
            {funded, world.funded_addresses},
            {day, world.outputs_per_day() / 2},
            {block, world.outputs_per_day() / world.blocks_per_day}};
}

}  // namespace petal::bloom
