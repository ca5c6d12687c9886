/// Files of known nodes with changed bytes: the rest of a file is used, or the file is put aside.
/// In both cases, nodes can be stored again.
#include <cassert>
#include <chrono>
#include <cstdint>
#include <filesystem>

#include "net/io/search/peer_store.h"
#include "tests/fuzz/changed_file.h"
#include "tests/support/temporary_folder.h"

namespace {

using namespace petal::net;

constexpr std::int64_t kNow = 1'700'000'000;

PeerAddress address(std::uint8_t number) {
    return {AddressKind::ipv4, {20, number, 1, 1}, 8333};
}

/// A file with records in each table.
void make_store(const std::filesystem::path& file) {
    PeerStore store(file);
    AddrMan addrman = store.load({});
    for (std::uint8_t i = 1; i <= 4; ++i) addrman.add(address(i), kNodeBloom, kNow, {i}, kNow);
    addrman.on_contact(kNow, kNow);
    addrman.on_outcome(address(1), PeerOutcome::served, kNow);
    addrman.on_outcome(address(2), PeerOutcome::too_slow, kNow);
    addrman.add_by_user(address(5), kNow);
    addrman.draw_anchors({address(1)});
    addrman.bans().ban(address(9), {kNow + 1'000, true});
    store.save(addrman);
}

void use_store(const std::filesystem::path& file) {
    PeerStore store(file, std::chrono::milliseconds{0});
    AddrMan addrman = store.load({});
    assert(addrman.size() <= 20'000 && addrman.anchors().size() <= AddrMan::kMaxAnchors);
    for (const KnownPeer& peer : addrman.peers()) {
        assert(peer.address.host.size() == address_bytes(peer.address.kind));
    }
    (void)addrman.choose(8, {}, {}, kNow, true);
    addrman.add_by_user(address(77), kNow);
    store.save(addrman);
    assert(PeerStore(file).load({}).find(address(77)));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const petal::test::TemporaryFolder folder;
    static const std::filesystem::path file = folder.path() / "peers.db";
    static const petal::fuzz::ChangedFile original(file, make_store);
    const bool is_changed = original.write(petal::chain::ByteReader{{data, size}});
    try {
        use_store(file);
    } catch (const PeerStoreError&) {  // the file claims to be of a later version
        assert(is_changed);
    }
    return 0;
}
