/// Gossiped nodes and their behaviour: the address manager keeps its bounds, chooses no node that
/// is banned or paused, and does not change when it is stored and loaded.
#include <cassert>
#include <cstdint>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "chain/byte_reader.h"
#include "net/discovery/addrman.h"

namespace {

using namespace petal::net;
using petal::chain::ByteReader;
using petal::chain::Bytes;

constexpr std::int64_t kStart = 1'700'000'000;

AddrManOptions options() {
    AddrManOptions options;
    options.key[0] = 7;
    options.random_seed = 1;
    options.default_port = 8333;
    return options;
}

class AddrmanSteps {
public:
    explicit AddrmanSteps(ByteReader input) : input_(input) {}

    void run() {
        for (int i = 0; i < 500 && input_.remaining() > 0; ++i) step(input_.read_u8());
        check_stored();
    }

private:
    void step(std::uint8_t what) {
        switch (what % 10) {
            case 0:
            case 1:
                return gossip();
            case 2:
                addrman_.add_by_user(address(), now_);
                return;
            case 3:
                addrman_.on_attempt(address(), now_);
                return;
            case 4:
                addrman_.on_version(address(), input_.read_u8(), now_);
                return;
            case 5:
                addrman_.on_outcome(address(), static_cast<PeerOutcome>(input_.read_u8() % 10),
                                    now_);
                return;
            case 6:
                addrman_.on_contact(now_ - input_.read_u8(), now_);
                return;
            case 7:
                addrman_.bans().ban(address(), {now_ + input_.read_u16(), what >= 128});
                return;
            case 8:
                now_ += std::int64_t{input_.read_u8()} * 300;
                return;
            default:
                return choose(what);
        }
    }

    /// Addresses of few hosts, so that they collide.
    PeerAddress address() {
        const std::uint8_t what = input_.read_u8();
        const auto byte = static_cast<std::uint8_t>(what / 4);
        const std::uint16_t port = what % 4 == 3 ? 22 : 8333;
        if (what % 4 == 1) return {AddressKind::ipv6, Bytes(16, byte), port};
        if (what % 4 == 2) return {AddressKind::onion, Bytes(32, byte), port};
        return {AddressKind::ipv4, {20, byte, input_.read_u8(), 1}, port};
    }

    void gossip() {
        const PeerAddress node = address();
        const std::int64_t seen = now_ - input_.read_i32();
        const bool was_known = addrman_.find(node).has_value();
        const bool is_new = addrman_.add(node, kNodeBloom, seen, Bytes{input_.read_u8()}, now_);
        assert(!is_new || (!was_known && is_public(node)));
        assert(!is_new || !addrman_.bans().is_banned(node, now_));
    }

    void choose(std::uint8_t what) {
        const Reach reach{what < 200, what >= 100};
        std::set<Bytes> groups;
        for (const PeerAddress& node :
             addrman_.choose(1 + what % 8, groups, reach, now_, what % 2 == 0)) {
            assert(reach.allows(node.kind) && !addrman_.bans().is_banned(node, now_));
            assert(!is_left_alone(*addrman_.find(node), now_));
            assert(groups.insert(network_group(node)).second);
            addrman_.on_attempt(node, now_);
        }
        (void)addrman_.choose_newcomer({}, reach, now_);
        (void)addrman_.choose_contested(reach, now_);
        if (what % 3 == 0) addrman_.draw_anchors({address(), address(), address()});
        assert(addrman_.anchors().size() <= AddrMan::kMaxAnchors);
    }

    void check_stored() const {
        AddrMan again{options()};
        for (const KnownPeer& peer : addrman_.peers()) assert(again.restore(peer));
        assert(again.peers() == addrman_.peers());
    }

    ByteReader input_;
    AddrMan addrman_{options()};
    std::int64_t now_ = kStart;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    AddrmanSteps{ByteReader{{data, size}}}.run();
    return 0;
}
