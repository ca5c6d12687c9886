/// Reads the transactions that users have: in hexadecimal, in a file, from a program.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "chain/byte_reader.h"
#include "chain/expected.h"
#include "chain/transaction_rules.h"
#include "cli/terminal/console.h"
#include "cli/text/hex_text.h"

namespace petal::cli {

/// Why the input is not a transaction that a node would accept, apart from the spent outputs.
struct TransactionInputError {
    enum class Kind : std::uint8_t {
        too_long,         ///< for any message
        hex,              ///< see `hex`
        psbt,             ///< BIP174: signatures may be missing
        encoding,         ///< of the transaction. See `encoding`
        coinbase,         ///< which only a block brings
        unsigned_inputs,  ///< no input has a scriptSig or a witness
        flaw,             ///< see `flaw`
    };
    Kind kind = Kind::too_long;
    HexError hex{};
    chain::DecodeError encoding{};
    chain::TransactionFlaw flaw{};
};

/// One line about the transaction: "it is empty".
std::string describe(const TransactionInputError& error);

/// Reads a transaction in wire form, with or without witnesses and without trailing data:
/// hexadecimal if the content is text (see text_of()), else binary.
chain::Expected<chain::Transaction, TransactionInputError> parse_transaction(
    std::string_view content);

/// The transaction that the user named: from standard input for `-`, from the file of this name if
/// the file exists, else from hexadecimal. Throws CommandError:
/// - `bad-transaction`
/// - `unreadable-file` if a file can't be read
/// - `timed-out` if standard input does not end by `deadline`
chain::Transaction transaction_from_argument(
    const std::string& text, Console& console,
    std::optional<std::chrono::steady_clock::time_point> deadline);

}  // namespace petal::cli
