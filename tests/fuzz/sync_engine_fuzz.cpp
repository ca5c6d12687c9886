// A hostile peer behind a completed handshake: whatever it sends, the engine keeps its invariants.
#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "chain/byte_reader.h"
#include "chain/network_params.h"
#include "net/sync/sync_engine.h"
#include "net/wire/codec.h"
#include "tests/fuzz/one_element_watcher.h"

namespace {

using namespace petal;

constexpr std::array<std::string_view, 12> kCommands{
    "headers", "merkleblock", "tx",     "inv",     "notfound",  "ping",
    "pong",    "version",     "verack", "getdata", "feefilter", "nonsense"};

void complete_handshake(net::SyncEngine& engine, net::PeerId peer, net::Now now) {
    engine.on_connected(peer, {"peer", "peer", {}}, now);
    net::Version version;
    version.services = net::kNodeNetwork | net::kNodeBloom;
    version.nonce = 1;
    version.start_height = 1;
    engine.on_message(peer, version, now);
    engine.on_message(peer, net::Verack{}, now);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    chain::HeaderChain chain(*chain::find_network("regtest"));
    fuzz::OneElementWatcher watcher;
    net::SyncOptions options;
    options.wait_unconfirmed = std::chrono::milliseconds{1'000};
    net::SyncEngine engine(chain, watcher, options);
    net::Now now{std::chrono::milliseconds{0}, 1'700'000'000};
    net::PeerId peer = 1;
    complete_handshake(engine, peer, now);

    chain::ByteReader input{{data, size}};
    while (input.remaining() > 0) {
        const std::uint8_t kind = input.read_u8();
        const chain::ByteView payload =
            input.read_view(std::min<std::size_t>(input.read_u16(), input.remaining()));
        if (kind % 16 < kCommands.size()) {
            const auto message = net::decode_message({kCommands[kind % 16], payload});
            if (message) engine.on_message(peer, *message, now);
        } else if (kind % 16 == 12) {
            now.steady += std::chrono::milliseconds{kind * 10};
            engine.on_time(now);
        } else {
            engine.on_closed(peer, now);
            complete_handshake(engine, ++peer, now);
        }
        (void)engine.take_commands();
        assert(engine.status().synced_height <= chain.tip().height);
    }
    engine.flush(now);
    return 0;
}
