/// Payment links (BIP21).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "chain/expected.h"
#include "chain/transaction.h"

namespace petal::cli {

/// `bitcoin:ADDRESS?amount=0.001&label=…`, with only the given parts. The label is percent-encoded
/// (RFC 3986).
std::string payment_uri(std::string_view address, std::optional<chain::Satoshis> amount,
                        std::string_view label);

/// The contents of a payment link.
struct PaymentUri {
    std::string address;  ///< as written: may be invalid
    std::optional<chain::Satoshis> amount;
    std::string label;    ///< of the recipient
    std::string message;  ///< the purpose of the payment
};

enum class PaymentUriError : std::uint8_t {
    not_a_uri,         ///< a scheme other than bitcoin, or no address
    bad_amount,        ///< not a plain decimal of bitcoin
    bad_encoding,      ///< a percent sign without two hexadecimal digits
    repeated,          ///< a duplicate parameter
    unknown_required,  ///< a parameter that petal does not know and that must not be ignored
                       ///< (req-…)
};

std::string_view describe(PaymentUriError error);

/// Whether a text is a payment link: it begins with `bitcoin:`, in any case, behind blanks or not.
bool is_payment_uri(std::string_view text);

/// Reads a payment link (BIP21), with or without blanks around it. The amount may begin or end with
/// the decimal point. Parameters' names may be in any case and percent-encoded. Unknown parameters
/// are ignored, unless they begin with `req-`.
chain::Expected<PaymentUri, PaymentUriError> parse_payment_uri(std::string_view text);

}  // namespace petal::cli
