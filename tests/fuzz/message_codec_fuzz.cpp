/// A decoded payload does not change when it is written and read again. The first byte selects the
/// command, and the rest is the payload.
#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "net/wire/codec.h"

namespace {

using namespace petal::net;

constexpr std::array<std::string_view, 26> kCommands = {
    Version::kCommand,    Verack::kCommand,      SendHeaders::kCommand, SendAddrV2::kCommand,
    WtxidRelay::kCommand, Mempool::kCommand,     FilterClear::kCommand, GetAddr::kCommand,
    Ping::kCommand,       Pong::kCommand,        Inv::kCommand,         GetData::kCommand,
    NotFound::kCommand,   GetHeaders::kCommand,  Headers::kCommand,     FilterLoad::kCommand,
    FilterAdd::kCommand,  MerkleBlock::kCommand, Tx::kCommand,          SendCompact::kCommand,
    FeeFilter::kCommand,  AddrV2::kCommand,      FullBlock::kCommand,   Reject::kCommand,
    Addr::kCommand,       GetBlocks::kCommand};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const std::string_view command = kCommands[data[0] % kCommands.size()];
    const auto message = decode_message(Frame{command, {data + 1, size - 1}});
    if (!message) return 0;

    assert(command_of(*message) == command);
    const auto payload = encode_payload(*message);
    const auto again = decode_message(Frame{command, payload});
    assert(again.has_value() && *again == *message);
    assert(encode_payload(*again) == payload);
    return 0;
}
