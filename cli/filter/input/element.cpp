#include "cli/filter/input/element.h"

#include "chain/enum_table.h"
#include "chain/script/script.h"
#include "chain/transaction.h"
#include "cli/text/payment_uri.h"
#include "cli/text/text.h"
#include "cli/text/text_encoding.h"

namespace petal::cli {
namespace {

using Element = chain::Expected<chain::Bytes, ElementError>;

chain::Unexpected<ElementError> failure(ElementError::Kind kind) {
    return chain::Unexpected(ElementError{kind, wallet::AddressError::not_an_address, {}});
}

Element parse_hex(std::string_view hex) {
    auto bytes = chain::from_hex(hex);
    if (!bytes || bytes->empty()) return failure(ElementError::Kind::bad_hex);
    if (bytes->size() > kMaxElementBytes) return failure(ElementError::Kind::too_long);
    return *std::move(bytes);
}

Element parse_txid(std::string_view hex) {
    const auto txid = chain::Txid::from_hex(hex);
    if (!txid) return failure(ElementError::Kind::bad_txid);
    return chain::Bytes(txid->bytes.begin(), txid->bytes.end());
}

Element parse_outpoint(std::string_view text) {
    const auto outpoint = chain::Outpoint::from_string(text);
    if (!outpoint) return failure(ElementError::Kind::bad_outpoint);
    const auto bytes = outpoint->serialize();
    return chain::Bytes(bytes.begin(), bytes.end());
}

Element element_of_script(const chain::Bytes& script) {
    const chain::ByteView element = chain::watch_element(script);
    if (element.empty()) return failure(ElementError::Kind::address_has_no_element);
    return chain::Bytes(element.begin(), element.end());
}

/// The networks of an address, e.g. "testnet3 or testnet4". Empty if the address is of no network.
std::string networks_of(std::string_view text) {
    std::string names;
    for (const chain::NetworkParams& network : chain::all_networks()) {
        if (!wallet::parse_address(text, network)) continue;
        names += (names.empty() ? "" : " or ") + network.name;
    }
    return names;
}

}  // namespace

std::string describe(const ElementError& error) {
    using Kind = ElementError::Kind;
    static constexpr auto kTexts = chain::enum_table<Kind, std::string_view>({
        {Kind::empty, "it is empty"},
        {Kind::bad_hex, "not bytes in hexadecimal (without 0x)"},
        {Kind::too_long,
         "longer than any element, 520 bytes (Bitcoin Core: MAX_SCRIPT_ELEMENT_SIZE)"},
        {Kind::text_too_long, "longer than 4,096 bytes"},
        {Kind::bad_txid, "not a transaction id of 64 hexadecimal digits"},
        {Kind::bad_outpoint, "not an outpoint as TXID:VOUT"},
        {Kind::bad_address, ""},
        {Kind::address_has_no_element, "its script pushes nothing that names it"},
    });
    if (error.kind != Kind::bad_address) return std::string(kTexts[error.kind]);
    if (error.network.empty()) return std::string(wallet::describe(error.address));
    return "it is an address of " + error.network + "; give --network " + error.network;
}

std::string describe(std::string_view text, const ElementError& error) {
    constexpr std::size_t kLongest = 40;
    using Kind = ElementError::Kind;
    const bool may_be_text = error.kind == Kind::bad_outpoint ||
                             (error.kind == Kind::bad_address && error.network.empty() &&
                              error.address == wallet::AddressError::not_an_address);
    const std::string hint =
        "; a text is written text:" + (text.size() > kLongest ? "TEXT" : printable(text, kLongest));
    return (text.empty() ? "ELEMENT" : printable(text, 120)) + ": " + describe(error) +
           (may_be_text ? hint : "");
}

Element text_element(std::string_view given) {
    const std::string_view text = without_outer_blanks(given);
    if (text.empty()) return failure(ElementError::Kind::empty);
    if (text.size() > kMaxTextBytes) return failure(ElementError::Kind::text_too_long);
    const chain::ByteView bytes = chain::as_bytes(text);
    return chain::Bytes(bytes.begin(), bytes.end());
}

Element parse_element(std::string_view given, const chain::NetworkParams& network) {
    std::string_view text = without_outer_blanks(given);
    constexpr std::string_view kText = "text:";
    if (text.starts_with(kText)) return text_element(text.substr(kText.size()));
    const auto uri = parse_payment_uri(text);
    if (uri) text = uri->address;
    constexpr std::string_view kHex = "hex:";
    constexpr std::string_view kTxid = "txid:";
    if (text.empty()) return failure(ElementError::Kind::empty);
    if (text.starts_with(kHex)) return parse_hex(text.substr(kHex.size()));
    if (text.starts_with(kTxid)) return parse_txid(text.substr(kTxid.size()));
    if (text.find(':') != std::string_view::npos) return parse_outpoint(text);

    // An address first: a right checksum shows for certain that the text is an address, although
    // all letters may be hexadecimal.
    const auto script = wallet::parse_address(text, network);
    if (script) return element_of_script(*script);
    Element bytes = parse_hex(text);
    if (bytes || text.starts_with("0x")) return bytes;
    return chain::Unexpected(
        ElementError{ElementError::Kind::bad_address, script.error(), networks_of(text)});
}

}  // namespace petal::cli
