#include "regtest/node_behaviour.h"

#include "chain/enum_table.h"

namespace petal::regtest {

std::string_view describe(FaultKind kind) {
    using enum FaultKind;
    static constexpr auto kTexts = chain::enum_table<FaultKind, std::string_view>({
        {withhold_transaction, "withholds matched transactions"},
        {omit_match, "omits matches"},
        {add_match, "adds matches"},
        {swap_transactions, "sends transactions in the wrong place"},
        {send_unmatched, "sends a transaction that it did not prove"},
        {corrupt_proof, "sends a corrupt proof"},
        {foreign_proof, "proves by another chain's block"},
        {garbage, "sends garbage"},
        {pause, "pauses"},
        {stall, "stalls"},
        {hang_up, "hangs up"},
        {wrong_filter, "from height N on, sends empty block filters"},
        {wrong_filter_header, "from height N on, has filter headers of empty block filters"},
        {withhold_filter, "from height N on, sends no block filters"},
        {wrong_filter_checkpoint, "from height N on, sends wrong filter checkpoints"},
    });
    return kTexts[kind];
}

}  // namespace petal::regtest
