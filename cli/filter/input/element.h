/// Elements of a filter in the notation of users.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "chain/bytes.h"
#include "chain/expected.h"
#include "chain/network_params.h"
#include "wallet/descriptors/address.h"

namespace petal::cli {

/// The maximum size of a pushed element (Bitcoin Core: MAX_SCRIPT_ELEMENT_SIZE).
inline constexpr std::size_t kMaxElementBytes = 520;
/// The maximum size of a text as an element. General filters test texts of this size, peers do not.
inline constexpr std::size_t kMaxTextBytes = 4'096;
/// The longest line with an element: a text with the prefix.
inline constexpr std::size_t kMaxElementLine = kMaxTextBytes + 5;

/// Why a text is no element.
struct ElementError {
    enum class Kind : std::uint8_t {
        empty,
        bad_hex,                ///< after `hex:`
        too_long,               ///< more than kMaxElementBytes
        text_too_long,          ///< after `text:`, more than kMaxTextBytes
        bad_txid,               ///< after `txid:`
        bad_outpoint,           ///< a `:`, but no TXID:VOUT
        bad_address,            ///< and in no other notation. See `address`
        address_has_no_element  ///< the script pushes no data for a filter
    };
    Kind kind = Kind::empty;
    wallet::AddressError address = wallet::AddressError::not_an_address;
    std::string network;  ///< of the address, if the network is wrong
};

std::string describe(const ElementError& error);
/// describe() with the text in front.
std::string describe(std::string_view text, const ElementError& error);

/// The bytes that a BIP37 server tests:
/// - hexadecimal digits, with or without `hex:` in front: these bytes
/// - an address of the network: the key hash, script hash or witness program
/// - `txid:HEX` and `TXID:VOUT`: 32 and 36 bytes in wire order
/// - `text:` and a text, for general filters: the bytes of the text
chain::Expected<chain::Bytes, ElementError> parse_element(std::string_view text,
                                                          const chain::NetworkParams& network);

/// The bytes of a text without outer blanks: 1 to kMaxTextBytes.
chain::Expected<chain::Bytes, ElementError> text_element(std::string_view text);

}  // namespace petal::cli
