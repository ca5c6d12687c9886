/// Transactions from arbitrary bytes: a decoded transaction is written back byte for byte.
#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>

#include "chain/transaction.h"

using petal::chain::ByteView;
using petal::chain::decode_transaction;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const ByteView input{data, size};
    const auto transaction = decode_transaction(input);
    if (!transaction) return 0;

    const auto whole = transaction->serialize();
    assert(std::ranges::equal(whole, input));
    const auto stripped = transaction->serialize_without_witness();
    assert(transaction->total_size() == whole.size());
    assert(transaction->stripped_size() == stripped.size());
    assert(transaction->weight() == 3 * stripped.size() + whole.size());
    assert(transaction->has_witness() == (stripped != whole));

    // Without inputs, the stripped form would be decoded as something else. Only a forging server
    // sends such a transaction.
    if (transaction->inputs.empty()) return 0;
    const auto again = decode_transaction(stripped);
    assert(again && again->txid() == transaction->txid());
    return 0;
}
