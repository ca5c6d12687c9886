/// Payments that a regtest node makes before it listens.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "chain/transaction.h"
#include "cli/text/json.h"
#include "regtest/chain/regtest_chain.h"

namespace petal::cli {

struct NodePayment {
    std::string address;
    chain::Bytes script;
    chain::Satoshis amount = 0;
    chain::Txid txid;          ///< once the payment is made
    std::uint32_t height = 0;  ///< of the block with the payment
};

/// Reads each word: ADDRESS, for 1 BTC, or ADDRESS=AMOUNT. Throws CommandError.
std::vector<NodePayment> parse_node_payments(const std::vector<std::string>& words);

/// Mines each payment in a block of its own on the tip. Throws CommandError if the chain's own
/// coins do not suffice.
void make_node_payments(std::vector<NodePayment>& payments, regtest::RegtestChain& chain);

/// `[{"address","amount_sat","txid","height"}]`.
Json to_json(const std::vector<NodePayment>& payments);

}  // namespace petal::cli
