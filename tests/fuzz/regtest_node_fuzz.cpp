/// An embedded node gets arbitrary messages while its chain changes. It answers within its bounds,
/// and answers a ping in the end unless it has disconnected.
#include <array>
#include <cassert>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "chain/byte_reader.h"
#include "net/wire/codec.h"
#include "regtest/regtest_node.h"
#include "tests/fuzz/small_limits.h"

namespace {

using namespace petal::net;
namespace regtest = petal::regtest;
using petal::chain::ByteReader;
using petal::chain::Bytes;

constexpr std::size_t kPortion = 20'000;
constexpr std::size_t kMostRequests = 64;  // at once; their answers exceed a portion
constexpr std::uint64_t kLastPing = 0x600d;

constexpr std::array<std::string_view, 23> kCommandsOfNodes = {
    FilterLoad::kCommand, FilterAdd::kCommand,  FilterClear::kCommand, Mempool::kCommand,
    GetData::kCommand,    GetHeaders::kCommand, Headers::kCommand,     Inv::kCommand,
    Ping::kCommand,       Pong::kCommand,       SendHeaders::kCommand, FeeFilter::kCommand,
    WtxidRelay::kCommand, Verack::kCommand,     Version::kCommand,     Tx::kCommand,
    GetBlocks::kCommand,  FullBlock::kCommand,  NotFound::kCommand,    GetAddr::kCommand,
    Addr::kCommand,       SendAddrV2::kCommand, SendCompact::kCommand};

regtest::RegtestChain make_short_chain() {
    regtest::RegtestChain chain;
    const Bytes script = {0x00, 0x02, 0xaa, 0xbb};
    for (int i = 0; i < 3; ++i) {
        chain.pay(script, 1'000 + i);
        chain.pay({}, 2'000);
        chain.mine();
    }
    chain.pay(script, 5'000);
    return chain;
}

/// Always the same chain. Making it takes longer than a run, so it is made again only if a run has
/// changed it.
regtest::RegtestChain& fresh_chain() {
    static std::optional<regtest::RegtestChain> chain{make_short_chain()};
    static const std::uint64_t fresh_revision = chain->history().revision();
    if (chain->history().revision() != fresh_revision) chain.emplace(make_short_chain());
    return *chain;
}

/// Blocks that the node lacks: two that extend the fresh chain, then a branch with more work.
const std::vector<Bytes>& new_blocks() {
    static const std::vector<Bytes> blocks = [] {
        regtest::RegtestChain chain = make_short_chain();
        const std::uint32_t fork = chain.height();
        std::vector<Bytes> result;
        const auto take_above = [&] {
            for (std::uint32_t height = fork + 1; height <= chain.height(); ++height) {
                const regtest::RegtestBlock block = chain.block_at(height);
                result.push_back(encode_payload(
                    FullBlock{chain::BlockView({block.header, block.transactions})}));
            }
        };
        chain.mine();
        chain.mine();
        take_above();
        chain.reorganise(fork, 3);
        take_above();
        return result;
    }();
    return blocks;
}

/// An existing inventory entry by number, since a fuzzer would never find a hash.
Inventory entry_at(const regtest::RegtestChain& chain, std::uint8_t type, std::uint8_t number) {
    const regtest::RegtestBlock& block = chain.block_at(chain.height() - number % 4U);
    const auto& txids = block.txids;
    const auto kind = static_cast<InventoryType>(type % 6U);
    if (kind == InventoryType::tx || kind == InventoryType::wtx) {
        return {kind, {txids[number % txids.size()].bytes}};
    }
    return {kind, {block.header.hash().bytes}};
}

/// One step: a message to the node, or a change of its chain.
class Steps {
public:
    Steps(regtest::RegtestChain& chain, regtest::RegtestNode& node) : chain_(chain), node_(node) {}

    void take_one(ByteReader& reader) {
        const std::uint8_t kind = reader.read_u8();
        now_ += std::chrono::milliseconds{reader.read_u8()};
        if (kind < 0x40) return send(reader, kCommandsOfNodes[kind % kCommandsOfNodes.size()]);
        if (kind < 0x80) return request(reader);
        if (kind < 0x90) return chain_.mine();
        if (kind < 0xa0) return chain_.reorganise(chain_.height() - 1, 2);
        if (kind < 0xa8) return static_cast<void>(chain_.pay({}, 1'000));
        if (kind < 0xb0) return send_block(reader, kind);
        if (kind < 0xb8) return node_.on_time(now_);
        if (kind < 0xc0) return request_filters(reader, kind);
        receive(kPortion);
    }

    /// Takes all of the node's output, and returns whether it answered the last ping.
    bool finish() {
        node_.on_message(Ping{kLastPing}, now_);
        bool answered = false;
        while (node_.has_output()) answered = receive(kPortion) || answered;
        return answered;
    }

private:
    void send(ByteReader& reader, std::string_view command) {
        send(command, reader.read_var_view(1'000));
    }

    /// Sends a block that the node lacks, with a byte changed or none.
    void send_block(ByteReader& reader, std::uint8_t which) {
        Bytes payload = new_blocks()[which % new_blocks().size()];
        const std::size_t at = reader.read_u16() % payload.size();
        payload[at] ^= reader.read_u8();
        send(FullBlock::kCommand, payload);
    }

    void send(std::string_view command, petal::chain::ByteView payload) {
        const auto message = decode_message(Frame{command, payload});
        if (message) {
            node_.on_message(*message, now_);
        } else {
            node_.on_undecodable(command, message.error(), now_);
        }
    }

    void request(ByteReader& reader) {
        GetData message;
        const std::size_t times = reader.read_u8() % (kMostRequests + 1);
        const Inventory first = entry_at(chain_, reader.read_u8(), reader.read_u8());
        const Inventory second = entry_at(chain_, reader.read_u8(), reader.read_u8());
        for (std::size_t i = 0; i < times; ++i) {
            message.entries.push_back(i % 2 == 0 ? first : second);
        }
        node_.on_message(message, now_);
    }

    /// Requests block filters from any height up to a block of the chain.
    void request_filters(ByteReader& reader, std::uint8_t kind) {
        const auto type = static_cast<BlockFilterType>(kind / 4 % 2);
        const std::uint32_t start = reader.read_u8();
        const auto stop = entry_at(chain_, 2, reader.read_u8()).hash;
        switch (kind % 4) {
            case 0:
                return node_.on_message(GetCFCheckpt{type, {stop.bytes}}, now_);
            case 1:
                return node_.on_message(GetCFHeaders{type, start, {stop.bytes}}, now_);
            default:
                return node_.on_message(GetCFilters{type, start, {stop.bytes}}, now_);
        }
    }

    bool receive(std::size_t max_bytes) {
        // The largest single message by which a portion may exceed its size: an inv, or a coinbase
        // with a proof.
        constexpr std::size_t kLargestMessage = 50'000;
        std::size_t bytes = 0;
        bool answered = false;
        for (const auto& message : node_.take_output(max_bytes)) {
            bytes += encode_payload(message).size();
            answered = answered || message == Message(Pong{kLastPing});
        }
        assert(bytes <= max_bytes + kLargestMessage);
        return answered;
    }

    regtest::RegtestChain& chain_;
    regtest::RegtestNode& node_;
    std::chrono::milliseconds now_{0};
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    regtest::RegtestChain& chain = fresh_chain();
    ByteReader reader({data, size});
    regtest::NodeBehaviour behaviour;
    behaviour.limits = petal::fuzz::kNodeLimits;
    behaviour.trickle = std::chrono::milliseconds{reader.read_u8()};
    regtest::RegtestNode node(chain, std::move(behaviour), 1);
    Steps steps(chain, node);
    node.on_message(Version{}, {});
    node.on_message(Verack{}, {});

    for (int i = 0; i < 50 && reader.ok() && reader.remaining() > 0; ++i) steps.take_one(reader);
    const bool answered = steps.finish();
    assert(answered != node.disconnect_reason().has_value());
    return 0;
}
