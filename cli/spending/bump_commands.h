/// The command that raises the fee of an unconfirmed transaction.
#pragma once

#include <string>
#include <vector>

#include "chain/transaction.h"
#include "cli/options/command_entry.h"
#include "cli/options/fee_terms.h"
#include "cli/options/given_txid.h"
#include "cli/spending/payment_delivery.h"

namespace petal::cli {

struct BumpOptions {
    GivenTxid given;
    chain::Txid txid = {};  ///< the transaction that `given` names
    std::string fee_rate;   ///< in sat/vB. Empty for none
    bool child = false;     ///< pays for the transaction instead of replacing it
    wallet::FeeTerms fee_terms = {};
    DeliveryOptions delivery;
};

std::vector<CommandEntry> add_bump_commands(CLI::App& root);

}  // namespace petal::cli
