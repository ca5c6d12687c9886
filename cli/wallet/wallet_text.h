/// A wallet's contents, for people.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "chain/network_params.h"
#include "cli/options/options.h"
#include "cli/terminal/console.h"
#include "cli/wallet/explanations.h"
#include "client/spending/sent_payment.h"
#include "wallet/wallet.h"

namespace petal::cli {

/// One indented line for each kind of money, and for the total. Further lines for the frozen part
/// of the total, and for confirmed coins that unconfirmed transactions spend. Amounts of zero are
/// left out, except a total of zero.
std::string balance_text(const wallet::Balance& balance, const Console& console);
/// Explains the amounts that balance_text() shows.
std::string balance_notes(const wallet::Balance& balance, Explanations& explanations,
                          const GlobalOptions& global);

/// The result of `petal abandon`. The transaction comes first, followed by its descendants.
/// abandoned   the transaction that the user named, then its descendants
/// before      the history entry of the named transaction, from before the change
/// revived     payments that count again, because the abandoned transaction had replaced them
std::string abandoned_text(const std::vector<chain::Txid>& abandoned,
                           const wallet::HistoryEntry& before,
                           const std::vector<chain::Txid>& revived, const GlobalOptions& global);

/// The tables of the listing commands, fitted to the terminal.
std::string coins_text(const std::vector<wallet::Coin>& coins, const GlobalOptions& global,
                       const Console& console);
/// payments   names the recipients of payments without a label. Null to leave them out
std::string history_text(const std::vector<wallet::HistoryEntry>& history,
                         const client::SentPayments* payments, const GlobalOptions& global,
                         const Console& console);
std::string addresses_text(const std::vector<wallet::AddressEntry>& addresses,
                           const GlobalOptions& global, const Console& console);
/// RFC 4180: a line of titles, then a line for each transaction:
/// - times in UTC (ISO 8601)
/// - amounts in bitcoin
/// - txids and labels in full
/// - recipients as ADDRESS=AMOUNT, separated by spaces
std::string history_csv(const std::vector<wallet::HistoryEntry>& history,
                        const client::SentPayments& payments, const chain::NetworkParams& network);

/// `block 120`, `2024-05-31` or `the first block`.
std::string birthday_text(const chain::Birthday& birthday);

/// Warns if the wallet's seed is not encrypted.
void warn_of_clear_seed(const wallet::WalletInfo& info, const GlobalOptions& global,
                        Console& console);

}  // namespace petal::cli
