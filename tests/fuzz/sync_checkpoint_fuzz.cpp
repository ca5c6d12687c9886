// Stored sync checkpoints: a decoded checkpoint does not change when it is encoded and decoded
// again.
#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "net/sync/filters/sync_checkpoint.h"

namespace {

std::vector<petal::chain::Outpoint> sorted(std::vector<petal::chain::Outpoint> outpoints) {
    std::ranges::sort(outpoints);
    return outpoints;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto checkpoint = petal::net::decode_sync_checkpoint({data, size});
    if (!checkpoint) return 0;
    const auto bytes = checkpoint->encode();
    const auto again = petal::net::decode_sync_checkpoint(bytes);
    assert(again);
    assert(again->encode().size() == bytes.size());  // the outpoints have no order
    assert(again->rate == checkpoint->rate && again->locator == checkpoint->locator);
    assert(sorted(again->matched()) == sorted(checkpoint->matched()));
    assert(sorted(again->outpoints.unspent()) == sorted(checkpoint->outpoints.unspent()));
    assert(again->applied == checkpoint->applied && again->covered == checkpoint->covered);
    assert(again->coverage.open() == checkpoint->coverage.open());
    assert(again->watched_elements == checkpoint->watched_elements);
    return 0;
}
