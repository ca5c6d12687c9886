// Stored sync checkpoints: a decoded checkpoint does not change when it is encoded and decoded
// again.
#include <cassert>
#include <cstddef>
#include <cstdint>

#include "net/sync/filters/sync_checkpoint.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto memory = petal::net::decode_sync_checkpoint({data, size});
    if (!memory) return 0;
    const auto again = petal::net::decode_sync_checkpoint(memory->encode());
    assert(again);
    assert(again->rate == memory->rate && again->locator == memory->locator);
    assert(again->outpoints.size() == memory->outpoints.size());
    assert(again->unconfirmed.outpoints() == memory->unconfirmed.outpoints());
    return 0;
}
