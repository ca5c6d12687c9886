/// Matching any transaction with any filter: a node's filter and a client's mirror of it stay
/// equal, and a transaction that matched matches again.
///
/// The input is a filterload payload with its size, an element to insert with its size, and a
/// transaction.
#include <cassert>
#include <cstddef>
#include <cstdint>

#include "bloom/transaction_match.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using petal::bloom::BloomFilter;
    using petal::bloom::match_and_update;
    petal::chain::ByteReader reader{{data, size}};
    const auto payload = reader.read_var_view(size);
    const auto element = reader.read_var_view(size);
    if (!reader.ok()) return 0;
    auto filter = BloomFilter::decode(payload);
    const auto transaction = petal::chain::decode_transaction(reader.rest());
    if (!filter || !transaction) return 0;

    filter->insert(element);
    const BloomFilter before = *filter;
    BloomFilter mirror = *filter;
    const auto txid = transaction->txid();
    const auto result = match_and_update(*filter, *transaction, txid);

    assert(match_and_update(mirror, *transaction, txid).inserted == result.inserted);
    assert(mirror == *filter);
    assert(result.matched || result.inserted.empty());
    if (result.inserted.empty()) assert(*filter == before);
    if (filter->update_mode() == petal::bloom::UpdateMode::none) assert(result.inserted.empty());
    for (const auto& outpoint : result.inserted) assert(filter->contains(outpoint.serialize()));
    if (result.matched) assert(match_and_update(mirror, *transaction, txid).matched);
    return 0;
}
