/// Which node an outbound connection leads to, and what the node claims about itself.
#pragma once

#include <cstdint>
#include <string>

#include "chain/bytes.h"
#include "chain/transaction.h"

namespace petal::net {

struct PeerIdentity {
    std::string address;  ///< HOST:PORT as dialled, for reports
    /// Equal for connections to the same node, even under different names.
    std::string node;
    /// Equal for nodes that may have the same operator: network_group() of the address, or the name
    /// if no address is known.
    chain::Bytes group;
};

/// What a peer claims in its messages.
struct PeerClaims {
    bool has_version = false;  ///< version message received (most fields are unknown before)
    std::string user_agent;    ///< may be empty (BIP14)
    std::uint64_t services = 0;
    std::int32_t height = 0;             ///< height of its best chain
    bool takes_transactions = true;      ///< BIP37's relay flag
    chain::Satoshis least_fee_rate = 0;  ///< satoshi per 1,000 vB (BIP133's feefilter)
};

}  // namespace petal::net
