/// How users name transactions.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "chain/transaction.h"
#include "cli/options/options.h"
#include "cli/text/command_error.h"
#include "wallet/wallet.h"

namespace petal::cli {

/// A txid, or digits that name one of the wallet's transactions: at least the first 4 digits, or
/// the first and the last digits with `…` or `...` between, as in petal's tables.
class GivenTxid {
public:
    /// Reads the text, in upper or lower case. Empty for any other text.
    static std::optional<GivenTxid> parse(std::string_view text);

    /// The txid. For a part of a txid, the txid of the one transaction of the wallet that fits.
    /// Throws CommandError if no transaction (`unknown-transaction`) or several transactions
    /// (`ambiguous-txid`) fit.
    chain::Txid find(const wallet::Wallet& wallet, const GlobalOptions& global) const;
    /// As above, for a wallet with these transactions.
    chain::Txid find(const std::vector<chain::Txid>& own, const GlobalOptions& global) const;

    const std::string& text() const { return text_; }
    /// The txid, if the text was a whole txid.
    std::optional<chain::Txid> whole() const;

private:
    std::string text_;
    std::string first_digits_;  ///< the first digits, in lower case
    std::string last_digits_;   ///< the last digits. May be empty
};

/// `TXID:VOUT`, with a txid or a part of it.
struct GivenOutpoint {
    GivenTxid txid;
    std::uint32_t index = 0;

    static std::optional<GivenOutpoint> parse(std::string_view text);
    chain::Outpoint find(const wallet::Wallet& wallet, const GlobalOptions& global) const;
};

/// Accepts the texts of GivenTxid::parse().
CLI::Validator given_txid();

/// Adds the required argument TXID.
void add_txid(CLI::App* app, GivenTxid& txid, const char* description);

/// The error of a transaction that the wallet does not have.
CommandError unknown_transaction(std::string_view txid, const GlobalOptions& global);

}  // namespace petal::cli
