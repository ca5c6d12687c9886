/// Why connections end, and the consequences of each reason.
#pragma once

#include <cstdint>
#include <string_view>

namespace petal::net {

/// Why a connection ended. Reasons differ if their consequences do.
enum class DisconnectReason : std::uint8_t {
    finished,             ///< the sync or broadcast is done
    unreachable,          ///< no connection could be made
    gone,                 ///< the peer, or the way to it, closed the connection
    wrong_network,        ///< a Bitcoin node of another network
    not_bitcoin,          ///< another service listens on the port
    no_bloom,             ///< does not serve filters (BIP111)
    no_network,           ///< does not serve old blocks
    pruned,               ///< serves only the last blocks (BIP159)
    upload_limit,         ///< closed the connection at the first request for data, as a node does
                          ///< whose upload target is reached
    too_old,              ///< speaks a protocol older than BIP37 or BIP111 allow
    self,                 ///< it is ourselves
    duplicate,            ///< another connection leads to the same node
    timed_out,            ///< did not answer in time
    incomplete,           ///< sends fewer headers than it claims, or withholds announced data
    malformed_message,    ///< bytes that are no valid message
    invalid_header,       ///< broke a consensus rule
    invalid_proof,        ///< a merkle proof that is not valid
    invalid_block,        ///< a block that repeats a transaction, or spends an output again
    unrequested,          ///< blocks, or too many bytes, that it was not asked for
    contradicts_filter,   ///< sent transactions that its filter does not match
    left_out,             ///< left out transactions that its filter matches, as another peer proved
    low_work,             ///< its chain has less work than required: not synced yet, or fabricated
    ahead_of_clock,       ///< its headers are ahead of this machine's clock, which may be wrong
    lighter_chain,        ///< its chain forks off the stored one near the tip, and has no more work
    excluded_branch,      ///< its chain has an invalid block, or one that no peer sends
    lesser_branch,        ///< its chain forks off the stored one, and has far less work; the stored
                          ///< chain may be the wrong one
    other_chain,          ///< it follows another chain for good: another header format, or another
                          ///< genesis block
    invalid_transaction,  ///< sent an unconfirmed transaction that no node relays, with a wrong
                          ///< signature
};

/// A stable kebab-case word for programs; lesser_branch and other_chain have the same, and so have
/// excluded_branch and lighter_chain.
std::string_view code_of(DisconnectReason reason);
/// A sentence's part for people, such as "does not serve Bloom filters".
std::string_view describe(DisconnectReason reason);
/// Whether the reason shows a malicious or broken peer, and not only a slow, disconnected or
/// useless one.
bool is_misbehaviour(DisconnectReason reason);
/// Whether the reason proves that the node sent data that no honest node sends: only then is it
/// banned.
bool is_proof_of_bad_data(DisconnectReason reason);
/// Whether a node that failed for this reason would fail again, because it is not the kind of node
/// that is needed.
bool is_permanent(DisconnectReason reason);

}  // namespace petal::net
