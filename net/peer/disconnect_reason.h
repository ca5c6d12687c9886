/// Why connections end, and the consequences of each reason.
#pragma once

#include <cstdint>
#include <string_view>

namespace petal::net {

/// Why a connection ended. Two causes share a reason if they have the same consequences.
enum class DisconnectReason : std::uint8_t {
    finished,             ///< the sync or broadcast is done
    unreachable,          ///< no connection could be made
    gone,                 ///< the peer or the network closed the connection
    wrong_network,        ///< a Bitcoin node of another network
    not_bitcoin,          ///< another service listens on the port
    no_bloom,             ///< no NODE_BLOOM: serves no filters (BIP111)
    no_compact_filters,   ///< no NODE_COMPACT_FILTERS: serves no compact filters (BIP157)
    no_network,           ///< no NODE_NETWORK: does not serve old blocks
    pruned,               ///< serves only the last blocks (BIP159)
    upload_limit,         ///< closed the connection at the first request for data, like a node that
                          ///< reached its upload target
    too_old,              ///< protocol version below BIP111's
    self,                 ///< connected to ourselves
    duplicate,            ///< another connection leads to the same node
    timed_out,            ///< did not answer in time
    incomplete,           ///< sent fewer headers than claimed, or withheld announced data
    lacks_filters,        ///< did not send compact filters, or their hashes, of blocks that it has
    malformed_message,    ///< bytes that are not a valid message
    invalid_header,       ///< a header that breaks a consensus rule
    invalid_proof,        ///< an invalid merkle proof
    invalid_block,        ///< a block with a repeated transaction or a double spend
    unrequested,          ///< unrequested blocks, or too many unrequested bytes
    contradicts_filter,   ///< sent transactions that its filter does not match
    left_out,             ///< left out transactions that its filter matches, as another peer proved
    false_filter,         ///< sent a compact filter that its block disproves, or another one than
                          ///< it stated
    unproven_filters,     ///< its dispute about compact filters has cost too many blocks, or it has
                          ///< left such disputes
    low_work,             ///< chain with less work than required: not synced yet, or fabricated
    ahead_of_clock,       ///< headers ahead of this machine's clock, which may be wrong
    lighter_chain,        ///< chain forks from the stored chain near the tip, without more work
    excluded_branch,      ///< chain has an invalid block, or a block that no peer sends
    lesser_branch,        ///< chain forks from the stored chain, with far less work. The stored
                          ///< chain may be the wrong one
    other_chain,          ///< follows another chain for good (other header format or genesis block)
    invalid_transaction,  ///< unconfirmed transaction with a wrong signature, which no node relays
};

/// A stable kebab-case word for programs. lesser_branch and other_chain share a word, and so do
/// excluded_branch and lighter_chain.
std::string_view code_of(DisconnectReason reason);
/// A predicate for users, such as "does not serve Bloom filters".
std::string_view describe(DisconnectReason reason);
/// Whether the peer is malicious or broken, not only slow, unreachable or unsuitable.
bool is_misbehaviour(DisconnectReason reason);
/// Whether the reason proves that the peer sent data that no honest node sends. Only then is the
/// peer banned.
bool is_proof_of_bad_data(DisconnectReason reason);
/// Whether the node would fail again for this reason, because it is not a node of the required
/// kind.
bool is_permanent(DisconnectReason reason);

}  // namespace petal::net
