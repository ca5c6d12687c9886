#include "net/peer/disconnect_reason.h"

#include "chain/enum_table.h"

namespace petal::net {

namespace {

/// What a reason says about the peer: nothing bad, suspected malice or defect, or behaviour of no
/// honest node.
enum class Blame : std::uint8_t { none, suspected, proven };

struct ReasonRow {
    std::string_view code;
    std::string_view text;
    Blame blame;
    bool is_permanent;
};

const ReasonRow& row_of(DisconnectReason reason) {
    using enum DisconnectReason;
    static constexpr auto kRows = chain::enum_table<DisconnectReason, ReasonRow>({
        {finished, {"finished", "is no longer needed", Blame::none, false}},
        {unreachable, {"unreachable", "can't be reached", Blame::none, false}},
        {gone, {"gone", "closed the connection", Blame::none, false}},
        {wrong_network, {"wrong-network", "is on another Bitcoin network", Blame::none, true}},
        {not_bitcoin, {"not-bitcoin", "is not a Bitcoin node", Blame::none, true}},
        {no_bloom, {"no-bloom", "does not serve Bloom filters (BIP37)", Blame::none, true}},
        {no_compact_filters,
         {"no-compact-filters", "does not serve compact filters (BIP157)", Blame::none, true}},
        {no_network, {"no-network", "does not serve the whole block chain", Blame::none, true}},
        {pruned, {"pruned", "is a pruned node, and lacks the old blocks", Blame::none, true}},
        {upload_limit,
         {"upload-limit",
          "closed the connection when data were requested, as Bitcoin Core does once its "
          "-maxuploadtarget is reached",
          Blame::none, false}},
        {too_old, {"too-old", "speaks a protocol older than BIP111", Blame::none, true}},
        {self, {"self", "is this very program", Blame::none, true}},
        {duplicate,
         {"duplicate", "is a node that is known by another name too", Blame::none, true}},
        {timed_out, {"timed-out", "did not answer in time", Blame::none, false}},
        {incomplete,
         {"incomplete", "withholds blocks, headers or transactions", Blame::suspected, false}},
        {lacks_filters,
         {"lacks-filters", "does not send the compact filters of blocks that it has", Blame::none,
          false}},
        {malformed_message,
         {"malformed-message", "sent a malformed message", Blame::suspected, false}},
        {invalid_header,
         {"invalid-header", "sent a header that breaks a consensus rule", Blame::proven, false}},
        {invalid_proof,
         {"invalid-proof", "sent a merkle proof that proves nothing", Blame::proven, false}},
        {invalid_block,
         {"invalid-block", "served a block that breaks a consensus rule", Blame::proven, false}},
        {unrequested,
         {"unrequested", "sent data that were not requested", Blame::suspected, false}},
        {contradicts_filter,
         {"contradicts-filter", "sent transactions that its filter does not match", Blame::proven,
          false}},
        {left_out,
         {"left-out", "left out transactions that concern the wallet's filter", Blame::proven,
          true}},
        {false_filter, {"false-filter", "sent a false compact filter", Blame::proven, true}},
        {unproven_filters,
         {"unproven-filters", "has compact filters that other nodes dispute, without proof",
          Blame::none, true}},
        {low_work, {"low-work", "has a chain with too little work", Blame::none, true}},
        {ahead_of_clock,
         {"ahead-of-clock", "has headers more than two hours ahead of this machine's clock",
          Blame::none, true}},
        {lighter_chain, {"lighter-chain", "does not have the stored chain", Blame::none, true}},
        {excluded_branch,
         {"lighter-chain", "is on a branch that does not count", Blame::none, true}},
        {lesser_branch, {"other-chain", "is on another chain", Blame::none, true}},
        {other_chain, {"other-chain", "is on another chain", Blame::none, true}},
        {invalid_transaction,
         {"invalid-transaction", "sent an invalid transaction", Blame::proven, false}},
    });
    return kRows[reason];
}

}  // namespace

std::string_view code_of(DisconnectReason reason) {
    return row_of(reason).code;
}

std::string_view describe(DisconnectReason reason) {
    return row_of(reason).text;
}

bool is_misbehaviour(DisconnectReason reason) {
    return row_of(reason).blame != Blame::none;
}

bool is_proof_of_bad_data(DisconnectReason reason) {
    return row_of(reason).blame == Blame::proven;
}

bool is_permanent(DisconnectReason reason) {
    return row_of(reason).is_permanent;
}

}  // namespace petal::net
