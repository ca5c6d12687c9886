#include "net/peer/random.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <variant>

#include "chain/headers/header_chain.h"
#include "chain/network_params.h"
#include "net/sync/sync_engine.h"
#include "tests/support/list_watcher.h"
#include "tests/support/named_peer.h"

namespace petal::net {
namespace {

/// Returns the z from which `z ^= z >> shift` gave this value.
std::uint64_t undo_shift(std::uint64_t z, unsigned shift) {
    std::uint64_t original = z;
    for (unsigned done = shift; done < 64; done += shift) original = z ^ (original >> shift);
    return original;
}

std::uint64_t inverse(std::uint64_t odd) {
    std::uint64_t x = odd;
    // Newton's method: each step doubles the number of correct bits.
    for (int i = 0; i < 6; ++i) x *= 2 - odd * x;
    return x;
}

/// The state of a SplitMix64, computed from one of its outputs as a peer could do.
std::uint64_t state_behind(std::uint64_t number) {
    std::uint64_t z = undo_shift(number, 31) * inverse(0x94d049bb133111ebU);
    z = undo_shift(z, 27) * inverse(0xbf58476d1ce4e5b9U);
    return undo_shift(z, 30);
}

/// The nonces of the version messages that one engine sends to its first two peers.
std::pair<std::uint64_t, std::uint64_t> version_nonces(SyncOptions options) {
    chain::HeaderChain headers{*chain::find_network("regtest")};
    test::ListWatcher watcher{/*gap=*/20, /*step=*/30};
    SyncEngine engine(headers, watcher, std::move(options));
    const auto nonce = [&](PeerId peer) {
        engine.on_connected(peer, test::named_peer("peer-" + std::to_string(peer)),
                            Now{std::chrono::milliseconds{1'000}, 1'700'000'000});
        for (const Command& command : engine.take_commands()) {
            const auto* send = std::get_if<Send>(&command);
            if (send == nullptr) continue;
            if (const auto* version = std::get_if<Version>(&send->message)) return version->nonce;
        }
        return std::uint64_t{0};
    };
    const std::uint64_t first = nonce(1);
    return {first, nonce(2)};
}

// Computed by hashlib.sha256(struct.pack('<QQ', seed, n)).digest()[:8].
TEST(SecretNumbers, AreHashesOfTheSeedAndTheirIndex) {
    SecretNumbers zero(0);
    EXPECT_EQ(zero.next(), 0xd59d71f7ff084737U);
    EXPECT_EQ(zero.next(), 0x77e71fbd9f14349dU);
    SecretNumbers last(0xffffffffffffffffU);
    EXPECT_EQ(last.next(), 0x4f5cbf873e9ac660U);
}

TEST(SplitMix64, ShowsItsNextNumbersByAnyOfThem) {
    SplitMix64 random(77);
    const std::uint64_t seen = random.next();
    EXPECT_EQ(SplitMix64{state_behind(seen)}.next(), random.next());
}

TEST(SecretNumbers, CannotBePredictedFromANonce) {
    SyncOptions options;
    options.random_seed = 77;
    const auto [seen, other] = version_nonces(options);
    ASSERT_NE(seen, 0U);
    SplitMix64 guess{state_behind(seen)};
    for (int draws = 0; draws < 100; ++draws) EXPECT_NE(guess.next(), other);
}

}  // namespace
}  // namespace petal::net
