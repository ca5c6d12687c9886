/// Addresses and descriptors as arguments.
#pragma once

#include <string>

#include "chain/bytes.h"
#include "wallet/descriptors/descriptor.h"

namespace petal::regtest::rpc {

/// The script of a regtest address. Throws `not_found` with this message.
chain::Bytes script_of_address(const std::string& address, const std::string& message);

/// The script of a descriptor without a range, for mining. Throws `not_found` for text that is not
/// a descriptor, and `invalid_parameter` for a descriptor with several scripts or paths.
chain::Bytes script_of_descriptor(const std::string& text);

/// Throws `not_found`.
wallet::Descriptor parse_regtest_descriptor(const std::string& text, bool require_checksum);

}  // namespace petal::regtest::rpc
