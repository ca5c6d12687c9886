#include "net/sync/state/sync_status.h"

#include "chain/enum_table.h"

namespace petal::net {

namespace {

struct StallRow {
    std::string_view code;
    std::string_view text;
};

const StallRow& row_of(StallReason stall_reason) {
    using enum StallReason;
    static constexpr auto kRows = chain::enum_table<StallReason, StallRow>({
        {none, {"none", ""}},
        {no_peer, {"no-peer", "a peer to connect to"}},
        {silent_handshake, {"silent-handshake", "a peer's version message"}},
        {silent_headers, {"silent-headers", "a peer's headers"}},
        {low_work, {"low-work", "a peer whose chain has enough work"}},
        {ahead_of_clock,
         {"ahead-of-clock", "the clock, as a peer's headers are more than two hours ahead of it"}},
        {short_chain, {"short-chain", "a peer with as many blocks as the wallet has seen"}},
        {peers_behind, {"peers-behind", "a peer that has the next blocks"}},
        {silent_blocks, {"silent-blocks", "a peer's blocks"}},
        {slow_blocks, {"slow-blocks", "a peer's blocks, which come very slowly"}},
        {lighter_chain, {"lighter-chain", "a peer that has the stored chain"}},
        {undone_transactions,
         {"undone-transactions", "peers that still have the transactions of replaced blocks"}},
    });
    return kRows[stall_reason];
}

}  // namespace

std::string_view code_of(SyncPhase phase) {
    using enum SyncPhase;
    static constexpr auto kTexts = chain::enum_table<SyncPhase, std::string_view>({
        {no_peer, "no-peer"},
        {handshake, "handshake"},
        {headers, "headers"},
        {blocks, "blocks"},
        {listening, "listening"},
        {done, "done"},
    });
    return kTexts[phase];
}

std::string_view code_of(StallReason stall_reason) {
    return row_of(stall_reason).code;
}

std::string_view describe(StallReason stall_reason) {
    return row_of(stall_reason).text;
}

std::string_view code_of(UnconfirmedMode mode) {
    using enum UnconfirmedMode;
    static constexpr auto kTexts = chain::enum_table<UnconfirmedMode, std::string_view>(
        {{bloom, "bloom"}, {all, "all"}, {none, "none"}});
    return kTexts[mode];
}

}  // namespace petal::net
