/// Addresses and descriptors as arguments.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "chain/bytes.h"
#include "regtest/rpc/rpc_json.h"
#include "wallet/descriptors/descriptor.h"

namespace petal::regtest::rpc {

/// The script of a regtest address. Throws `not_found` with this message.
chain::Bytes script_of_address(const std::string& address, const std::string& message);

/// The scripts of an array of addresses. Throws `not_found`, and `invalid_parameter` for an address
/// that is there twice.
std::set<chain::Bytes> scripts_of(const Json& addresses);

/// The script of a descriptor without a range, for mining. Throws `not_found` for text that is not
/// a descriptor, and `invalid_parameter` for a descriptor with several scripts or paths.
chain::Bytes script_of_descriptor(const std::string& text);

/// Indices of a descriptor, both included.
struct IndexRange {
    std::int64_t first = 0;
    std::int64_t last = 0;
};

/// The maximum number of indices in a range. More would block the node for seconds.
inline constexpr std::int64_t kMaxDerived = 20'000;

/// Parses `END` or `[BEGIN,END]`. Throws `invalid_parameter`.
IndexRange parse_range(const Json& given);

/// Throws `not_found`.
wallet::Descriptor parse_regtest_descriptor(const std::string& text, bool require_checksum);

}  // namespace petal::regtest::rpc
