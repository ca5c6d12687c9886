/// A stream cut at arbitrary places gives the same frames and the same error as in one piece. The
/// frames, written again, are the start of the stream, and no frame follows them.
#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "net/wire/message_header.h"

namespace {

using petal::chain::Bytes;
using petal::chain::ByteView;
using petal::net::FrameDecoder;

constexpr petal::net::Magic kMagic = {0xfa, 0xbf, 0xb5, 0xda};

struct Outcome {
    std::vector<Bytes> frames;  // the frames written again
    std::optional<petal::net::FrameError> error;

    friend bool operator==(const Outcome&, const Outcome&) = default;
};

void feed(FrameDecoder& decoder, ByteView bytes) {
    std::ranges::copy(bytes, decoder.prepare(bytes.size()).begin());
    decoder.commit(bytes.size());
}

void drain(FrameDecoder& decoder, Outcome& outcome) {
    for (;;) {
        const auto frame = decoder.next();
        if (!frame) outcome.error = frame.error();
        if (!frame || !*frame) break;
        outcome.frames.push_back(
            petal::net::encode_frame(kMagic, (*frame)->command, (*frame)->payload));
    }
}

Outcome decode(ByteView stream, ByteView cuts) {
    FrameDecoder decoder(kMagic);
    Outcome outcome;
    for (const std::uint8_t cut : cuts) {
        const std::size_t size = std::min<std::size_t>(cut, stream.size());
        feed(decoder, stream.first(size));
        stream = stream.subspan(size);
        drain(decoder, outcome);
    }
    feed(decoder, stream);
    drain(decoder, outcome);
    return outcome;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const ByteView input{data, size};
    const std::size_t cuts = std::min<std::size_t>(size, 16);
    const ByteView stream = input.subspan(cuts);
    const Outcome whole = decode(stream, {});
    const Outcome pieces = decode(stream, input.first(cuts));

    assert(whole == pieces);
    std::size_t consumed = 0;
    for (const Bytes& frame : whole.frames) {
        assert(std::ranges::equal(frame, stream.subspan(consumed, frame.size())));
        consumed += frame.size();
    }
    assert((decode(stream.subspan(consumed), {}) == Outcome{{}, whole.error}));
    return 0;
}
