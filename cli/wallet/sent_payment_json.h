/// Own payments as JSON.
#pragma once

#include "chain/network_params.h"
#include "cli/text/json.h"
#include "client/spending/sent_payment.h"
#include "wallet/wallet.h"

namespace petal::cli {

/// transaction_json() with `recipients`, of which a receipt has none, and `fee_rate_sat_vb`, null
/// if it is not known.
Json sent_payment_json(const client::SentPayments& payments, const wallet::HistoryEntry& entry,
                       const chain::NetworkParams& network);

}  // namespace petal::cli
