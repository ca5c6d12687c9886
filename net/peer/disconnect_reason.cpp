#include "net/peer/disconnect_reason.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>

namespace petal::net {

namespace {

/// What a reason says of the peer: nothing bad, bad faith or a broken peer, or proof that no honest
/// node does this.
enum class Blame : std::uint8_t { none, suspected, proven };

struct ReasonRow {
    DisconnectReason reason;
    std::string_view code;
    std::string_view text;
    Blame blame;
    bool is_hopeless;
};

constexpr auto kReasons = std::to_array<ReasonRow>({
    {DisconnectReason::finished, "finished", "is no longer needed", Blame::none, false},
    {DisconnectReason::unreachable, "unreachable", "can't be reached", Blame::none, false},
    {DisconnectReason::gone, "gone", "closed the connection", Blame::none, false},
    {DisconnectReason::wrong_network, "wrong-network", "is on another Bitcoin network", Blame::none,
     true},
    {DisconnectReason::not_bitcoin, "not-bitcoin", "is not a Bitcoin node", Blame::none, true},
    {DisconnectReason::no_bloom, "no-bloom", "does not serve Bloom filters (BIP37)", Blame::none,
     true},
    {DisconnectReason::no_network, "no-network", "does not serve the whole block chain",
     Blame::none, true},
    {DisconnectReason::too_old, "too-old", "speaks a protocol older than BIP111", Blame::none,
     true},
    {DisconnectReason::self, "self", "is this very program", Blame::none, true},
    {DisconnectReason::duplicate, "duplicate", "is a node that is known by another name too",
     Blame::none, true},
    {DisconnectReason::timed_out, "timed-out", "did not answer in time", Blame::none, false},
    {DisconnectReason::incomplete, "incomplete", "withholds blocks, headers or transactions",
     Blame::suspected, false},
    {DisconnectReason::malformed_message, "malformed-message", "sent a malformed message",
     Blame::suspected, false},
    {DisconnectReason::invalid_header, "invalid-header",
     "sent a header that breaks a consensus rule", Blame::proven, false},
    {DisconnectReason::invalid_proof, "invalid-proof", "sent a merkle proof that proves nothing",
     Blame::proven, false},
    {DisconnectReason::unrequested, "unrequested", "sent a block that was not asked for",
     Blame::suspected, false},
    {DisconnectReason::contradicts_filter, "contradicts-filter",
     "sent transactions that its filter does not match", Blame::proven, false},
    {DisconnectReason::left_out, "left-out",
     "left out transactions that concern the wallet's filter", Blame::proven, true},
    {DisconnectReason::low_work, "low-work", "has a chain with too little work", Blame::none, true},
    {DisconnectReason::invalid_transaction, "invalid-transaction", "sent an invalid transaction",
     Blame::proven, false},
});

static_assert(kReasons.size() == static_cast<std::size_t>(DisconnectReason::count_));
static_assert(std::ranges::adjacent_find(kReasons, std::ranges::greater_equal{},
                                         &ReasonRow::reason) == kReasons.end(),
              "each reason has a row, in the order of the enumerators");

const ReasonRow& row_of(DisconnectReason reason) {
    return kReasons.at(static_cast<std::size_t>(reason));
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

bool is_hopeless(DisconnectReason reason) {
    return row_of(reason).is_hopeless;
}

}  // namespace petal::net
