/// Several peers send any bytes, in any order and at any time, before and after their handshakes.
/// Both engines that dial peers are tested:
/// - Before the handshake is complete, the engine acts on messages of the handshake alone.
/// - No message that may be sent only once is sent twice.
/// - The engine sends nothing to a dropped peer.
/// - The engine drops a peer that does not complete the handshake in time.
#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "chain/byte_reader.h"
#include "chain/network_params.h"
#include "net/broadcast/broadcast_engine.h"
#include "net/discovery/addr_collector.h"
#include "net/peer/received_message.h"
#include "net/sync/sync_engine.h"
#include "net/wire/codec.h"
#include "tests/fuzz/one_element_watcher.h"
#include "tests/fuzz/small_limits.h"

namespace {

using namespace petal::net;
using petal::chain::ByteReader;
using petal::chain::Bytes;
using petal::chain::ByteView;
using std::chrono::milliseconds;

constexpr milliseconds kHandshakeTimeout{10'000};
// The bound of what one event makes the engine send to all peers together: a filter and a few
// requests each.
constexpr std::size_t kMaxCommands = 32;
constexpr std::size_t kMaxSentBytes = 200'000;
constexpr std::size_t kPeersAtOnce = 4;

const Magic& magic() {
    return petal::chain::find_network("regtest")->magic;
}

/// One connection, and the state that its invariants depend on.
struct Link {
    FrameDecoder decoder{magic()};
    AddrCollector collector;
    bool open = true;
    bool has_version = false;
    bool greeted = false;
    milliseconds connected_at{0};
    std::map<std::string, int, std::less<>> sent;
    std::optional<Message> last_sent;
    std::uint64_t last_ping = 0;
    Bytes unread;  // sent by the peer but not delivered yet

    void note(const Message& message) {
        greeted = greeted || (has_version && std::holds_alternative<Verack>(message));
        has_version = has_version || std::holds_alternative<Version>(message);
    }

    void check_said(std::string_view command) const {
        const auto said = [this](std::string_view what) {
            const auto count = sent.find(what);
            return count == sent.end() ? 0 : count->second;
        };
        assert(open);
        assert(greeted || command == Version::kCommand ||
               (has_version && (command == Verack::kCommand || command == SendAddrV2::kCommand)));
        for (const auto once : {Version::kCommand, Verack::kCommand, SendAddrV2::kCommand,
                                SendHeaders::kCommand, GetAddr::kCommand}) {
            assert(said(once) <= 1);
        }
    }
};

/// Drives the engine as io does, one step of the input at a time.
template <typename Engine>
class Rehearsal {
public:
    Rehearsal(Engine& engine, ByteView input) : engine_(engine), input_(input) {}

    void run() {
        for (int i = 0; i < 400 && input_.ok() && input_.remaining() > 0; ++i) step();
        pass(kHandshakeTimeout);
        for (const auto& [id, link] : links_) assert(!link.open || link.greeted);
    }

private:
    void step() {
        const std::uint8_t what = input_.read_u8();
        const PeerId peer = places_[(what >> 5U) % kPeersAtOnce];
        const unsigned kind = what % 32U;
        if (kind == 0) return connect((what >> 5U) % kPeersAtOnce);
        if (kind == 1) return pass(milliseconds{input_.read_u8() * 50});
        if (peer == 0 || !links_.at(peer).open) return;
        if (kind == 2) return close(peer);
        Link& link = links_.at(peer);
        if (kind == 3) return deliver(peer, some_bytes(), 0);
        const Bytes bytes = kind == 4 ? garbled() : encode_message(magic(), message(kind, link));
        deliver(peer, bytes, kind == 5 ? input_.read_u8() : 0);
    }

    void connect(std::size_t place) {
        if (places_[place] != 0 && links_.at(places_[place]).open) return;
        places_[place] = ++last_peer_;
        links_[last_peer_].connected_at = now_.steady;
        engine_.on_connected(last_peer_, {"peer", std::to_string(last_peer_), {}}, now_);
        obey(0);
    }

    void close(PeerId peer) {
        links_.at(peer).open = false;
        engine_.on_closed(peer, now_);
        obey(0);
    }

    void pass(milliseconds time) {
        now_.steady += time;
        engine_.on_time(now_);
        obey(0);
        for (const auto& [id, link] : links_) {
            if (!link.open || link.greeted) continue;
            const auto due = link.connected_at + kHandshakeTimeout;
            assert(now_.steady < due);
            if (engine_.finished()) continue;
            const std::optional<milliseconds> wakes = engine_.next_deadline();
            assert(wakes && *wakes <= due);
        }
    }

    /// The last `late` bytes are delivered with the next ones.
    void deliver(PeerId peer, ByteView bytes, std::size_t late) {
        Link& link = links_.at(peer);
        link.unread.insert(link.unread.end(), bytes.begin(), bytes.end());
        const std::size_t size = link.unread.size() - std::min(late, link.unread.size());
        std::copy_n(link.unread.begin(), size, link.decoder.prepare(size).begin());
        link.decoder.commit(size);
        link.unread.erase(link.unread.begin(),
                          link.unread.begin() + static_cast<std::ptrdiff_t>(size));
        while (link.open && hand_over_next(peer, link)) {
        }
    }

    bool hand_over_next(PeerId peer, Link& link) {
        auto message = received_message(link.decoder.next());
        if (!message) {
            const Violation& why = message.error();
            engine_.on_bad_bytes(peer, why.reason, why.detail, now_);
            obey(0);
            assert(!link.open);
            return false;
        }
        if (!*message) return false;
        link.note(**message);
        link.collector.on_message(**message);
        assert(link.greeted || link.collector.take_gossip().empty());
        assert(link.has_version || !link.collector.take_services());
        const std::size_t size = encode_message(magic(), **message).size();
        engine_.on_message(peer, **std::move(message), now_);
        obey(size);
        return true;
    }

    /// received   how many bytes the engine reacts to
    void obey(std::size_t received) {
        const auto commands = engine_.take_commands();
        std::size_t bytes = 0;
        for (const Command& command : commands) {
            if (const auto* end = std::get_if<Disconnect>(&command)) {
                assert(std::exchange(links_.at(end->peer).open, false));
            } else {
                bytes += carry_out(std::get<Send>(command));
            }
        }
        assert(commands.size() <= kMaxCommands && bytes <= kMaxSentBytes + 2 * received);
    }

    std::size_t carry_out(const Send& send) {
        Link& link = links_.at(send.peer);
        const std::string_view command = command_of(send.message);
        ++link.sent[std::string{command}];
        link.check_said(command);
        link.last_sent = send.message;
        if (const auto* ping = std::get_if<Ping>(&send.message)) link.last_ping = ping->nonce;
        return encode_message(magic(), send.message).size();
    }

    ByteView some_bytes() {
        const std::size_t size = input_.read_u8();
        return input_.read_view(std::min(size, input_.remaining()));
    }

    /// A frame with an arbitrary payload from the input, whose checksum may be wrong.
    Bytes garbled() {
        constexpr std::array<std::string_view, 12> kGarbledCommands{
            "version", "verack", "addr", "addrv2",    "inv",        "getdata",
            "headers", "pong",   "tx",   "feefilter", "sendaddrv2", "nonsense"};
        const std::uint8_t what = input_.read_u8();
        const ByteView payload = some_bytes();
        Bytes frame =
            encode_frame(magic(), kGarbledCommands[what % kGarbledCommands.size()], payload);
        if (what >= 0xf0) frame[kMessageHeaderBytes - 1] ^= 1U;
        return frame;
    }

    Message message(unsigned kind, const Link& link) {
        switch (kind) {
            case 5:
            case 6:
                return version();
            case 7:
                return Verack{};
            case 8:
                return Ping{input_.read_u8()};
            case 9:
                return Pong{link.last_ping};
            case 17:
                return FeeFilter{input_.read_u8()};
            case 18:
                return SendAddrV2{};
            case 21:  // as a connection to this node itself would
                return link.last_sent ? *link.last_sent : Message{Verack{}};
            default:
                return service_message(kind);
        }
    }

    /// Messages that only a served peer or a server sends.
    Message service_message(unsigned kind) {
        switch (kind) {
            case 10:
                return Addr{{node()}};
            case 11:
                return AddrV2{{node(), node()}};
            case 12:
                return Inv{{entry()}};
            case 13:
                return GetData{{entry(), entry()}};
            case 14:
                return NotFound{{entry()}};
            case 15:
                return Headers{};
            case 16:
                return Tx{own_};
            case 19:
                return GetAddr{};
            default:
                return Mempool{};
        }
    }

    Version version() {
        Version theirs;
        const std::uint8_t what = input_.read_u8();
        theirs.services = (what & 1U) != 0 ? 0 : kNodeNetwork | kNodeBloom | kNodeWitness;
        if ((what & 2U) != 0) theirs.protocol = kMinProtocolVersion - 1;
        if ((what & 4U) != 0) theirs.protocol = kAddrV2ProtocolVersion - 1;
        theirs.relay = (what & 8U) == 0;
        theirs.start_height = (what & 16U) != 0 ? -1 : what / 32;
        theirs.nonce = what;
        return theirs;
    }

    GossipedAddress node() {
        const std::uint8_t number = input_.read_u8();
        return {{AddressKind::ipv4, {20, number, 1, 1}, 8333}, kNodeBloom, now_.unix_seconds};
    }

    Inventory entry() {
        const std::uint8_t what = input_.read_u8();
        const auto type = what % 2U == 0 ? InventoryType::tx : InventoryType::block;
        petal::chain::Hash256 hash{own_.txid().bytes};
        if (what >= 0x80) hash.bytes[0] = what;
        return {type, hash};
    }

    Engine& engine_;
    ByteReader input_;
    Now now_{milliseconds{1'000}, 1'700'000'000};
    std::map<PeerId, Link> links_;
    std::array<PeerId, kPeersAtOnce> places_{};
    PeerId last_peer_ = 0;
    petal::chain::Transaction own_;
};

void rehearse_sync(std::uint8_t how, ByteView input) {
    petal::chain::HeaderChain chain(*petal::chain::find_network("regtest"));
    petal::fuzz::OneElementWatcher watcher;
    SyncOptions options;
    options.timeouts.handshake = kHandshakeTimeout;
    options.filter_bytes = petal::fuzz::kFilterBytes;
    options.header_limits = petal::fuzz::kHeaderLimits;
    options.ask_for_addresses = (how & 2U) != 0;
    options.blocks.source =
        (how & 4U) != 0 ? MatchSourceKind::full_blocks : MatchSourceKind::filtered_blocks;
    options.expected_peers = (how & 8U) != 0 ? kPeersAtOnce : 1;
    options.wait_unconfirmed = SyncOptions::kForever;
    options.announce_own_within = milliseconds{100};
    SyncEngine engine(chain, watcher, options);
    Rehearsal{engine, input}.run();
}

void rehearse_broadcast(ByteView input) {
    BroadcastOptions options;
    options.handshake_timeout = kHandshakeTimeout;
    BroadcastEngine engine({petal::chain::Transaction{}, std::nullopt}, options,
                           {milliseconds{1'000}, 1'700'000'000});
    Rehearsal{engine, input}.run();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const ByteView input = ByteView{data, size}.subspan(1);
    if (data[0] % 2 == 0) {
        rehearse_sync(data[0], input);
    } else {
        rehearse_broadcast(input);
    }
    return 0;
}
