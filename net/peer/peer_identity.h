/// The node to which an outbound connection leads, as far as known, and its own claims.
#pragma once

#include <cstdint>
#include <string>

#include "chain/bytes.h"
#include "chain/transaction.h"

namespace petal::net {

struct PeerIdentity {
    std::string address;  ///< HOST:PORT that was dialled, for reports
    /// Equal for connections that lead to one node, even under different names.
    std::string node;
    /// Equal for nodes that may belong to one owner: network_group() of the address, or the name if
    /// no address is known.
    chain::Bytes group;
};

/// The claims of a peer's messages.
struct PeerClaims {
    bool has_greeted = false;  ///< sent its version message, without which most are unknown
    std::string user_agent;    ///< may be empty (BIP14)
    std::uint64_t services = 0;
    std::int32_t height = 0;             ///< of its best chain
    bool takes_transactions = true;      ///< BIP37's relay flag
    chain::Satoshis least_fee_rate = 0;  ///< satoshi per 1,000 vB (BIP133's feefilter)
};

}  // namespace petal::net
