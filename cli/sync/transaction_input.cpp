#include "cli/sync/transaction_input.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iostream>

#include "chain/enum_table.h"
#include "cli/files/timed_input.h"
#include "cli/files/user_file.h"
#include "cli/psbt/psbt_input.h"
#include "cli/text/command_error.h"
#include "cli/text/text.h"
#include "cli/text/text_encoding.h"
#include "net/wire/message_header.h"

namespace petal::cli {
namespace {

/// In hexadecimal, with one space for each digit.
constexpr std::size_t kMostTransactionText = std::size_t{4} * net::kMaxPayloadBytes;
// How a binary PSBT begins (BIP174).
constexpr std::string_view kPsbtMagic = "psbt\xff";
constexpr std::string_view kWhiteSpace = " \t\n\v\f\r";
// No file has a longer name.
constexpr std::size_t kMostName = 4'096;

chain::Unexpected<TransactionInputError> failure(TransactionInputError error) {
    return chain::Unexpected(error);
}

/// A binary transaction is never text: the values of its outputs have zero bytes.
bool is_text(std::string_view content) {
    return std::ranges::all_of(
        content, [](char c) { return (c >= ' ' && c <= '~') || (c >= '\t' && c <= '\r'); });
}

bool starts_as_psbt_text(std::string_view content) {
    const std::size_t start = content.find_first_not_of(kWhiteSpace);
    return start != std::string_view::npos && content.substr(start).starts_with(kPsbtInBase64);
}

bool starts_as_psbt(chain::ByteView bytes) {
    const chain::ByteView magic = chain::as_bytes(kPsbtMagic);
    return bytes.size() >= magic.size() && std::ranges::equal(bytes.first(magic.size()), magic);
}

/// Whether the transaction has any scriptSig or witness.
bool is_signed(const chain::Transaction& transaction) {
    return std::ranges::any_of(transaction.inputs, [](const chain::TxInput& input) {
        return !input.script_sig.empty() || !input.witness.empty();
    });
}

/// The whole content if within the limit, else one byte more than the limit.
std::string read_all(std::istream& stream) {
    return read_at_most(kMostTransactionText + 1, stream);
}

/// The process's own standard input is read until the deadline. The input of a test is available at
/// once.
std::string read_standard_input(Console& console,
                                std::optional<std::chrono::steady_clock::time_point> deadline) {
    if (&console.in() != &std::cin) return read_all(console.in());
    TimedInput input(STDIN_FILENO, deadline);
    std::istream stream(&input);
    std::string content = read_all(stream);
    if (!input.timed_out()) return content;
    throw CommandError(ExitStatus::no_peer, "timed-out",
                       "standard input did not end in time; nothing was announced");
}

chain::Transaction accept(std::string_view content, const std::string& where) {
    auto transaction = parse_transaction(content);
    if (transaction) return *std::move(transaction);
    throw CommandError(
        ExitStatus::failed, "bad-transaction",
        where + "this is no transaction to announce: " + describe(transaction.error()));
}

}  // namespace

std::string describe(const TransactionInputError& error) {
    using Kind = TransactionInputError::Kind;
    static constexpr auto kTexts = chain::enum_table<Kind, std::string_view>({
        {Kind::too_long, "it is longer than any message between nodes, 4,000,000 bytes"},
        {Kind::hex, ""},
        {Kind::psbt,
         "it is a partially signed one (BIP174); petal psbt finalize and petal psbt extract make "
         "a transaction of it"},
        {Kind::encoding, "it can't be decoded, "},
        {Kind::coinbase, "it is a coinbase, which only a block brings"},
        {Kind::unsigned_inputs, "it carries no signatures"},
        {Kind::flaw, ""},
    });
    std::string text(kTexts[error.kind]);
    if (error.kind == Kind::hex) text += describe(error.hex);
    if (error.kind == Kind::encoding) text += chain::describe(error.encoding);
    if (error.kind == Kind::flaw) text += chain::describe(error.flaw);
    return text;
}

chain::Expected<chain::Transaction, TransactionInputError> parse_transaction(
    std::string_view content) {
    using Kind = TransactionInputError::Kind;
    if (content.size() > kMostTransactionText) return failure({.kind = Kind::too_long});
    const auto text = text_of(content);
    if (text && starts_as_psbt_text(*text)) return failure({.kind = Kind::psbt});
    chain::Bytes bytes(chain::as_bytes(content).begin(), chain::as_bytes(content).end());
    if (text && is_text(*text)) {
        auto decoded = parse_hex_text(*text);
        if (!decoded) return failure({.kind = Kind::hex, .hex = decoded.error()});
        bytes = *std::move(decoded);
    }
    if (bytes.size() > net::kMaxPayloadBytes) return failure({.kind = Kind::too_long});
    if (starts_as_psbt(bytes)) return failure({.kind = Kind::psbt});
    auto transaction = chain::decode_transaction(bytes);
    if (!transaction) return failure({.kind = Kind::encoding, .encoding = transaction.error()});
    const auto checked = chain::check_transaction(*transaction);
    if (!checked) return failure({.kind = Kind::flaw, .flaw = checked.error()});
    if (transaction->is_coinbase()) return failure({.kind = Kind::coinbase});
    if (!is_signed(*transaction)) return failure({.kind = Kind::unsigned_inputs});
    return *std::move(transaction);
}

chain::Transaction transaction_from_argument(
    const std::string& text, Console& console,
    std::optional<std::chrono::steady_clock::time_point> deadline) {
    if (text == "-") return accept(read_standard_input(console, deadline), "");
    std::error_code error;
    if (text.size() < kMostName && std::filesystem::exists(text, error)) {
        return accept(read_user_file(text, kMostTransactionText + 1), printable(text) + ": ");
    }
    if (is_hex_text(text)) return accept(text, "");
    throw CommandError(ExitStatus::failed, "bad-transaction",
                       printable(text, 60) + " is neither a file nor hexadecimal");
}

}  // namespace petal::cli
