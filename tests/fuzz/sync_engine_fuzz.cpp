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

namespace {

using namespace petal;

class OneElementWatcher : public chain::Watcher {
public:
    chain::WatchList watch_list() const override { return {{chain::Bytes(20, 7)}, {}}; }
    chain::FilterPadding filter_padding() const override { return {{}, 1}; }
    chain::Birthday birthday() const override { return {}; }
    chain::SyncState sync_state() const override { return state_; }
    chain::ApplyResult apply(std::span<const chain::ProvenBlock> blocks,
                             const chain::SyncState& state) override {
        for (std::size_t i = 1; i < blocks.size(); ++i) {
            assert(blocks[i].block.height > blocks[i - 1].block.height);
        }
        state_ = state;
        return {blocks.size(), false, 0};
    }
    void undo_to(const chain::BlockRef& fork) override { state_.synced = fork; }
    bool apply_unconfirmed(const chain::Transaction&, std::int64_t) override { return false; }
    std::vector<chain::OwnTransaction> own_unconfirmed() const override {
        return {{chain::Transaction{}, std::nullopt}};
    }

private:
    chain::SyncState state_;
};

constexpr std::array<std::string_view, 12> kCommands{
    "headers", "merkleblock", "tx",     "inv",     "notfound",  "ping",
    "pong",    "version",     "verack", "getdata", "feefilter", "nonsense"};

void complete_handshake(net::SyncEngine& engine, net::PeerId peer, net::Now now) {
    engine.on_connected(peer, "peer", now);
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
    OneElementWatcher watcher;
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
