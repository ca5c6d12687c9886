#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "chain/byte_writer.h"
#include "chain/network_params.h"
#include "net/wire/codec.h"
#include "net/wire/message_header.h"
#include "tests/net/wire/samples.h"
#include "tests/support/hex.h"

namespace petal::net {
namespace {

using namespace petal::test::literals;
using chain::Bytes;
using chain::ByteView;

constexpr Magic kRegtest = {0xfa, 0xbf, 0xb5, 0xda};
constexpr Magic kMainnet = {0xf9, 0xbe, 0xb4, 0xd9};

// Bitcoin Core's regtest verack, byte for byte.
const Bytes kVerack = "fabfb5da76657261636b000000000000000000005df6e0e2"_hex;

void feed(FrameDecoder& decoder, ByteView bytes) {
    std::ranges::copy(bytes, decoder.prepare(bytes.size()).begin());
    decoder.commit(bytes.size());
}

/// All frames that the decoder returns, as command and payload in hexadecimal.
std::vector<std::string> drain(FrameDecoder& decoder) {
    std::vector<std::string> frames;
    for (;;) {
        const auto frame = decoder.next();
        if (!frame || !*frame) return frames;
        frames.push_back(std::string((*frame)->command) + " " + chain::to_hex((*frame)->payload));
    }
}

TEST(EncodeFrame, WritesCoresVerack) {
    EXPECT_EQ(encode_frame(kRegtest, "verack", {}), kVerack);
}

TEST(EncodeFrame, WritesLengthAndChecksum) {
    const Bytes ping = "f9beb4d970696e670000000000000000080000008d9a66f28877665544332211"_hex;
    EXPECT_EQ(encode_frame(kMainnet, "ping", "8877665544332211"_hex), ping);
}

TEST(EncodeFrame, HasRoomForTwelveCharacters) {
    FrameDecoder decoder(kRegtest);
    feed(decoder, encode_frame(kRegtest, "abcdefghijkl", {}));
    EXPECT_EQ(drain(decoder), std::vector<std::string>{"abcdefghijkl "});
}

TEST(FrameDecoder, HasNoFrameAtFirst) {
    FrameDecoder decoder(kRegtest);
    const auto frame = decoder.next();
    ASSERT_TRUE(frame);
    EXPECT_FALSE(frame->has_value());
}

TEST(FrameDecoder, FindsTheSameFramesHoweverTheStreamIsCut) {
    Bytes stream;
    for (const auto& message : sample_messages()) {
        const Bytes bytes = encode_message(kRegtest, message);
        stream.insert(stream.end(), bytes.begin(), bytes.end());
    }
    FrameDecoder whole(kRegtest);
    feed(whole, stream);
    const auto expected = drain(whole);
    ASSERT_EQ(expected.size(), sample_messages().size());

    for (const std::size_t chunk : {1U, 2U, 23U, 24U, 25U, 100U}) {
        FrameDecoder decoder(kRegtest);
        std::vector<std::string> frames;
        for (std::size_t at = 0; at < stream.size(); at += chunk) {
            feed(decoder, ByteView(stream).subspan(at, std::min(chunk, stream.size() - at)));
            std::ranges::copy(drain(decoder), std::back_inserter(frames));
        }
        EXPECT_EQ(frames, expected) << chunk;
        feed(decoder, kVerack);
        EXPECT_EQ(drain(decoder), std::vector<std::string>{"verack "})
            << "nothing of an earlier frame is left";
    }
}

TEST(FrameDecoder, ReturnsPayloadsWithoutACopy) {
    FrameDecoder decoder(kRegtest);
    const Bytes frame = encode_frame(kRegtest, "ping", "0102030405060708"_hex);
    const auto room = decoder.prepare(frame.size());
    std::ranges::copy(frame, room.begin());
    decoder.commit(frame.size());

    const auto found = decoder.next();
    ASSERT_TRUE(found && *found);
    EXPECT_EQ((*found)->payload.data(), room.data() + kMessageHeaderBytes);
}

TEST(FrameDecoder, WaitsForEveryByteOfAMessage) {
    const Bytes frame = encode_frame(kRegtest, "ping", "0102030405060708"_hex);
    for (std::size_t size = 0; size < frame.size(); ++size) {
        FrameDecoder decoder(kRegtest);
        feed(decoder, ByteView(frame).first(size));
        const auto nothing = decoder.next();
        ASSERT_TRUE(nothing) << size;
        EXPECT_FALSE(nothing->has_value()) << size;
        feed(decoder, ByteView(frame).subspan(size));
        EXPECT_EQ(drain(decoder), std::vector<std::string>{"ping 0102030405060708"}) << size;
    }
}

struct FaultCase {
    std::string name;
    Bytes stream;
    std::optional<FrameError> error;  // none: the decoder waits for more bytes
};

void PrintTo(const FaultCase& row, std::ostream* out) {
    *out << row.name;
}

class FrameFault : public testing::TestWithParam<FaultCase> {};

TEST_P(FrameFault, IsFoundAndPersists) {
    const auto& row = GetParam();
    FrameDecoder decoder(kRegtest);
    feed(decoder, row.stream);
    const auto first = decoder.next();
    ASSERT_EQ(first.has_value(), !row.error.has_value());
    if (!row.error) return;
    EXPECT_EQ(first.error(), *row.error);

    feed(decoder, kVerack);
    const auto second = decoder.next();
    ASSERT_FALSE(second.has_value());
    EXPECT_EQ(second.error(), *row.error);
}

Bytes text(std::string_view characters) {
    return {characters.begin(), characters.end()};
}

Bytes header(Bytes command, std::uint32_t payload_bytes) {
    command.resize(12);
    return chain::ByteWriter().bytes(kRegtest).bytes(command).u32(payload_bytes).u32(0).take();
}

Bytes with_last_byte(Bytes bytes, chain::Byte last) {
    bytes.back() = last;
    return bytes;
}

// clang-format off
INSTANTIATE_TEST_SUITE_P(Wire, FrameFault, testing::ValuesIn(std::initializer_list<FaultCase>{
    {"Mainnet",               "f9beb4d9"_hex,                   FrameError::wrong_magic},
    {"Testnet4",              "1c163f28"_hex,                   FrameError::wrong_magic},
    {"Signet",                "0a03cf40"_hex,                   FrameError::wrong_magic},
    {"Http",                  text("HTTP/1.1 400 Bad Request"), FrameError::http},
    {"Tls",                   "1503010002"_hex,                 FrameError::tls},
    {"Ssh",                   text("SSH-"),                     FrameError::ssh},
    {"TlsHello",              "16030300"_hex,                   FrameError::tls},
    {"Electrum",              text("{\"jsonrpc\""),              FrameError::json},
    {"Socks5",                "05ff0000"_hex,                   FrameError::socks},
    {"Socks4Refusal",         "005b0000"_hex,                   FrameError::socks},
    {"ZeroMq",                "ff00000000000000"_hex,           FrameError::zeromq},
    {"NotQuiteTls",           "15020100"_hex,                   FrameError::not_bitcoin},
    {"NotQuiteHttp",          text("HTTQ"),                     FrameError::not_bitcoin},
    {"ThreeBytesOfNoise",     text("HTT"),                      {}},
    {"OwnMagic",              "fabfb5da"_hex,                   {}},
    {"UnprintableCommand",    header({0x76, 0x1f}, 0),          FrameError::malformed_command},
    {"DeleteInCommand",       header({0x76, 0x7f}, 0),          FrameError::malformed_command},
    {"TildeInCommand",        header({0x76, 0x7e}, 1),          {}},
    {"TextBehindThePadding",  header({0x76, 0x00, 0x76}, 0),    FrameError::malformed_command},
    {"LargestPayload",        header(text("tx"), 4'000'000),    {}},
    {"TooLargePayload",       header(text("tx"), 4'000'001),    FrameError::oversized_payload},
    {"LargestLength",         header(text("tx"), 0xffffffff),   FrameError::oversized_payload},
    {"WrongChecksum",         with_last_byte(kVerack, 0xe3),    FrameError::wrong_checksum},
}), [](const auto& row) { return row.param.name; });
// clang-format on

TEST(FrameDecoder, TakesABlockWithAnyChecksum) {
    Bytes block = encode_frame(kRegtest, "block", "0102"_hex);
    block[kMessageHeaderBytes - 1] ^= 1U;
    FrameDecoder decoder(kRegtest);
    feed(decoder, block);
    EXPECT_EQ(drain(decoder), std::vector<std::string>{"block 0102"});
}

TEST(FrameDecoder, FindsNoiseBetweenMessages) {
    FrameDecoder decoder(kRegtest);
    feed(decoder, kVerack);
    feed(decoder, text("noise"));
    const auto verack = decoder.next();
    ASSERT_TRUE(verack && *verack);
    EXPECT_EQ((*verack)->command, "verack");
    const auto noise = decoder.next();
    ASSERT_FALSE(noise);
    EXPECT_EQ(noise.error(), FrameError::not_bitcoin);
}

TEST(FrameDecoder, KnowsTheMagicOfEveryNetwork) {
    for (const auto& network : chain::all_networks()) {
        FrameDecoder decoder(Magic{0, 0, 0, 0});
        feed(decoder, network.magic);
        const auto frame = decoder.next();
        ASSERT_FALSE(frame);
        EXPECT_EQ(frame.error(), FrameError::wrong_magic) << network.name;
    }
}

TEST(FrameDecoder, TakesTheLargestMessage) {
    const Bytes payload(kMaxPayloadBytes, 0x5a);
    const Bytes frame = encode_frame(kRegtest, "tx", payload);
    FrameDecoder decoder(kRegtest);
    for (std::size_t at = 0; at < frame.size(); at += 65'536) {
        const std::size_t size = std::min<std::size_t>(65'536, frame.size() - at);
        ASSERT_TRUE(decoder.next());
        const std::size_t room = decoder.prepare(65'536).size();
        EXPECT_LE(at + room, frame.size() + 65'536);
        feed(decoder, ByteView(frame).subspan(at, size));
    }
    const auto found = decoder.next();
    ASSERT_TRUE(found && *found);
    EXPECT_TRUE(std::ranges::equal((*found)->payload, payload));

    EXPECT_LE(decoder.prepare(1).size(), 1U << 20)
        << "the large buffer should have been given back";
}

TEST(FrameDecoder, AllocatesOnlyForBytesThatWereReceived) {
    FrameDecoder decoder(kRegtest);
    feed(decoder, header(text("tx"), kMaxPayloadBytes));
    ASSERT_TRUE(decoder.next());
    EXPECT_LE(decoder.prepare(4'096).size(), 8'192U);
}

TEST(FrameDecoder, UsesItsBufferAgain) {
    FrameDecoder decoder(kRegtest);
    std::size_t largest = 0;
    for (int i = 0; i < 10'000; ++i) {
        feed(decoder, encode_frame(kRegtest, "ping", Bytes(8)));
        feed(decoder, ByteView(kVerack).first(10));
        ASSERT_EQ(drain(decoder).size(), i == 0 ? 1U : 2U);
        feed(decoder, ByteView(kVerack).subspan(10));
        largest = std::max(largest, decoder.prepare(1).size());
    }
    EXPECT_LE(largest, 512U);
}

TEST(FrameError, IsDescribedInDifferentSentences) {
    const std::array errors = {FrameError::wrong_magic,
                               FrameError::http,
                               FrameError::tls,
                               FrameError::ssh,
                               FrameError::json,
                               FrameError::socks,
                               FrameError::zeromq,
                               FrameError::not_bitcoin,
                               FrameError::malformed_command,
                               FrameError::oversized_payload,
                               FrameError::wrong_checksum};
    std::vector<std::string_view> sentences;
    for (const auto error : errors) sentences.push_back(describe(error));
    std::ranges::sort(sentences);
    EXPECT_EQ(std::ranges::adjacent_find(sentences), sentences.end());
}

}  // namespace
}  // namespace petal::net
