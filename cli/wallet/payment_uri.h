/// Payment links (BIP21).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "chain/transaction.h"

namespace petal::cli {

/// `bitcoin:ADDRESS?amount=0.001&label=…`, with only what is given; the label percent-encoded (RFC
/// 3986).
std::string payment_uri(std::string_view address, std::optional<chain::Satoshis> amount,
                        std::string_view label);

}  // namespace petal::cli
