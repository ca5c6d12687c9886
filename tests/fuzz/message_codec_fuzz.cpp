/// A decoded payload does not change when it is written and read again, and is written as it was
/// read, except for what the decoder leaves out. The first byte selects the command, and the rest
/// is the payload.
#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <variant>

#include "chain/byte_reader.h"
#include "net/wire/codec.h"

namespace {

using namespace petal::net;

constexpr std::array<std::string_view, 32> kCommands = {
    Version::kCommand,      Verack::kCommand,      SendHeaders::kCommand,  SendAddrV2::kCommand,
    WtxidRelay::kCommand,   Mempool::kCommand,     FilterClear::kCommand,  GetAddr::kCommand,
    Ping::kCommand,         Pong::kCommand,        Inv::kCommand,          GetData::kCommand,
    NotFound::kCommand,     GetHeaders::kCommand,  Headers::kCommand,      FilterLoad::kCommand,
    FilterAdd::kCommand,    MerkleBlock::kCommand, Tx::kCommand,           SendCompact::kCommand,
    FeeFilter::kCommand,    AddrV2::kCommand,      FullBlock::kCommand,    Reject::kCommand,
    Addr::kCommand,         GetBlocks::kCommand,   GetCFilters::kCommand,  CFilter::kCommand,
    GetCFHeaders::kCommand, CFHeaders::kCommand,   GetCFCheckpt::kCommand, CFCheckpt::kCommand};

using petal::chain::ByteView;

/// How the payload that is written relates to the one that was read.
enum class Relation { equal, prefix, prefix_after_version, unrelated };

Relation relation_of(const Message& message, ByteView input) {
    // Addresses of networks that are unknown, or are not in use any more, are left out.
    const auto is_complete = [&](const auto& gossip) {
        petal::chain::ByteReader reader{input};
        return reader.read_compact_size() == gossip.addresses.size();
    };
    if (const auto* addr = std::get_if<Addr>(&message)) {
        return is_complete(*addr) ? Relation::prefix : Relation::unrelated;
    }
    if (const auto* addr = std::get_if<AddrV2>(&message)) {
        return is_complete(*addr) ? Relation::prefix : Relation::unrelated;
    }
    // A version may end early, and its addresses are ignored. In both, text loses what cannot be
    // printed, and a reason is shortened.
    // Of headers in another format, only the number is read.
    const auto* headers = std::get_if<Headers>(&message);
    const bool is_changed = std::holds_alternative<Version>(message) ||
                            std::holds_alternative<Reject>(message) ||
                            (headers && headers->in_other_format > 0);
    if (is_changed) return Relation::unrelated;
    // These begin with a protocol version, which is ignored.
    const bool has_version =
        std::holds_alternative<GetHeaders>(message) || std::holds_alternative<GetBlocks>(message);
    if (has_version) return Relation::prefix_after_version;
    // Only these must end with their last field (decode_message()), which a filterload always does.
    const bool is_exact =
        std::holds_alternative<MerkleBlock>(message) || std::holds_alternative<Tx>(message) ||
        std::holds_alternative<FullBlock>(message) || std::holds_alternative<FilterLoad>(message) ||
        std::holds_alternative<CFilter>(message) || std::holds_alternative<CFHeaders>(message) ||
        std::holds_alternative<CFCheckpt>(message);
    return is_exact ? Relation::equal : Relation::prefix;
}

bool is_prefix(ByteView payload, ByteView input) {
    return payload.size() <= input.size() &&
           std::ranges::equal(payload, input.first(payload.size()));
}

void check_payload(ByteView payload, ByteView input, Relation relation) {
    constexpr std::size_t kVersionBytes = 4;
    switch (relation) {
        case Relation::equal:
            assert(std::ranges::equal(payload, input));
            return;
        case Relation::prefix:
            assert(is_prefix(payload, input));
            return;
        case Relation::prefix_after_version:
            assert(is_prefix(payload.subspan(kVersionBytes), input.subspan(kVersionBytes)));
            return;
        case Relation::unrelated:
            return;
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const std::string_view command = kCommands[data[0] % kCommands.size()];
    const ByteView input{data + 1, size - 1};
    const auto message = decode_message(Frame{command, input});
    if (!message) return 0;

    assert(command_of(*message) == command);
    const auto payload = encode_payload(*message);
    check_payload(payload, input, relation_of(*message, input));
    const auto again = decode_message(Frame{command, payload});
    assert(again.has_value() && *again == *message);
    assert(encode_payload(*again) == payload);
    return 0;
}
