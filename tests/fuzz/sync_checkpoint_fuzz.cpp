// Stored sync checkpoints: a decoded checkpoint does not change when it is encoded and decoded
// again.
#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "chain/byte_writer.h"
#include "net/sync/filters/sync_checkpoint.h"

namespace {

using petal::net::MatchedOutpoints;

std::vector<petal::chain::Outpoint> sorted(std::vector<petal::chain::Outpoint> outpoints) {
    std::ranges::sort(outpoints);
    return outpoints;
}

petal::chain::Bytes written(const auto& part) {
    petal::chain::ByteWriter writer;
    part.write(writer);
    return writer.take();
}

/// For what is written in no particular order.
petal::chain::Bytes sorted_bytes(petal::chain::ByteView view) {
    petal::chain::Bytes bytes(view.begin(), view.end());
    std::ranges::sort(bytes);
    return bytes;
}

void expect_equal(const MatchedOutpoints& a, const MatchedOutpoints& b) {
    assert(sorted(a.outpoints()) == sorted(b.outpoints()));
    assert(sorted(a.unspent()) == sorted(b.unspent()));
    for (const auto& outpoint : a.outpoints()) {
        assert(a.find_output(outpoint) == b.find_output(outpoint));
        assert(a.is_spent(outpoint) == b.is_spent(outpoint));
    }
    // Also the heights of the spends, and the settled outpoints, which are not listed.
    assert(sorted_bytes(written(a)) == sorted_bytes(written(b)));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto checkpoint = petal::net::decode_sync_checkpoint({data, size});
    if (!checkpoint) return 0;
    const auto bytes = checkpoint->encode();
    // Repeated entries are dropped. Without them, this version is written as it was read.
    if (data[0] == bytes[0] && bytes.size() == size) {
        const petal::chain::ByteView read{data, size};
        assert(sorted_bytes(read) == sorted_bytes(bytes));
    }
    const auto again = petal::net::decode_sync_checkpoint(bytes);
    assert(again);
    assert(again->encode().size() == bytes.size());  // the outpoints have no order
    assert(again->rate == checkpoint->rate && again->locator == checkpoint->locator);
    assert(sorted(again->matched()) == sorted(checkpoint->matched()));
    expect_equal(again->outpoints, checkpoint->outpoints);
    assert(written(again->unconfirmed) == written(checkpoint->unconfirmed));
    assert(again->applied == checkpoint->applied && again->covered == checkpoint->covered);
    assert(again->coverage.open() == checkpoint->coverage.open());
    assert(sorted_bytes(written(again->coverage)) == sorted_bytes(written(checkpoint->coverage)));
    assert(again->watched_elements == checkpoint->watched_elements);
    assert(again->without_false_positives_from == checkpoint->without_false_positives_from);
    assert(again->uncompared == checkpoint->uncompared);
    assert(again->may_have_undone == checkpoint->may_have_undone);
    return 0;
}
