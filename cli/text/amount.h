/// Amounts of bitcoin as people write them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "chain/expected.h"
#include "chain/transaction.h"

namespace petal::cli {

enum class AmountError : std::uint8_t {
    not_a_number,
    too_many_decimals,  ///< more than eight, or a fraction of a satoshi
    too_large,          ///< more than 21 million bitcoin
};

std::string_view describe(AmountError error);

/// Reads bitcoin as a plain decimal (`0.001`), or satoshi with the suffix `sat` (`100000sat`).
chain::Expected<chain::Satoshis, AmountError> parse_amount(std::string_view text);

/// Bitcoin with all eight decimals, as `-0.00100000`.
std::string format_btc(chain::Satoshis amount);

/// Bitcoin without the zeros at the end, as in BIP21: `0.001`.
std::string format_btc_short(chain::Satoshis amount);

/// "1,410 sat": a fee in running text (not in tables). Negative if a PSBT claims so.
std::string fee_in_sat(chain::Satoshis fee);

/// In satoshi per vB.
double fee_rate_of(chain::Satoshis fee, std::size_t virtual_size);

/// "1.50 sat/vB".
std::string format_fee_rate(double sat_per_vb);

}  // namespace petal::cli
