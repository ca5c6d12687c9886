#include "net/wire/codec.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <string_view>

#include "chain/byte_writer.h"
#include "tests/net/wire/samples.h"
#include "tests/support/hex.h"

namespace petal::net {
namespace {

using namespace petal::test::literals;
using chain::Bytes;
using chain::ByteView;
using chain::ByteWriter;
using chain::DecodeError;

auto decode(std::string_view command, ByteView payload) {
    return decode_message(Frame{command, payload});
}

/// Decodes a message, which must be of type T.
template <typename T>
T decode_as(ByteView payload) {
    const auto message = decode(T::kCommand, payload);
    return std::get<T>(message.value());
}

std::optional<DecodeError> error_of(std::string_view command, ByteView payload) {
    const auto message = decode(command, payload);
    if (message) return std::nullopt;
    return message.error();
}

// A light client's first message: version 70016, no services, no relay (BIP37).
const Bytes kVersion =
    "80110100000000000000000000f1536500000000010000000000000000000000000000000000ffff7f000001208d00"
    "0000000000000000000000000000000000ffff000000000000efcdab89674523010f2f737076746573743a302e312e"
    "302f0000000000"_hex;

TEST(DecodeVersion, ReadsEveryField) {
    const auto version = decode_as<Version>(kVersion);
    EXPECT_EQ(version.protocol, 70'016);
    EXPECT_EQ(version.services, 0U);
    EXPECT_EQ(version.time, 1'700'000'000);
    EXPECT_EQ(version.nonce, 0x0123456789abcdefU);
    EXPECT_EQ(version.user_agent, "/spvtest:0.1.0/");
    EXPECT_EQ(version.start_height, 0);
    EXPECT_FALSE(version.relay);
}

// Offsets at which a version message may end, and the message that is decoded then.
struct VersionCut {
    std::string name;
    std::size_t bytes;
    Version expected;
};

void PrintTo(const VersionCut& row, std::ostream* out) {
    *out << row.name;
}

class ShortVersion : public testing::TestWithParam<VersionCut> {};

TEST_P(ShortVersion, GetsDefaults) {
    const auto& row = GetParam();
    EXPECT_EQ(decode_as<Version>(ByteView(kVersion).first(row.bytes)), row.expected);
}

constexpr std::uint64_t kVersionNonce = 0x0123456789abcdef;
constexpr std::int64_t kTime = 1'700'000'000;

// clang-format off
INSTANTIATE_TEST_SUITE_P(Wire, ShortVersion, testing::ValuesIn(std::initializer_list<VersionCut>{
    {"EndsBehindTheReceiver",  46, {70'016, 0, kTime, 0, "", 0, true}},
    {"EndsBehindTheNonce",     80, {70'016, 0, kTime, kVersionNonce, "", 0, true}},
    {"EndsBehindTheUserAgent", 96, {70'016, 0, kTime, kVersionNonce, "/spvtest:0.1.0/", 0, true}},
    {"EndsBehindTheHeight",   100, {70'016, 0, kTime, kVersionNonce, "/spvtest:0.1.0/", 0, true}},
    {"EndsBehindRelay",       101, {70'016, 0, kTime, kVersionNonce, "/spvtest:0.1.0/", 0, false}},
}), [](const auto& row) { return row.param.name; });
// clang-format on

TEST(DecodeVersion, FailsAtEveryOtherLength) {
    const std::set<std::size_t> may_end = {46, 80, 96, 100, 101};
    for (std::size_t size = 0; size < kVersion.size(); ++size) {
        const auto error = error_of("version", ByteView(kVersion).first(size));
        if (may_end.contains(size)) {
            EXPECT_FALSE(error) << size;
        } else {
            EXPECT_EQ(error, DecodeError::truncated) << size;
        }
    }
}

TEST(DecodeVersion, TreatsANegativeTimeAsZero) {
    Bytes payload = kVersion;
    payload[19] = 0x80;
    EXPECT_EQ(decode_as<Version>(payload).time, 0);
}

TEST(DecodeVersion, DropsTerminalControlCharacters) {
    Version version = sample_version();
    version.user_agent = "/\x1b[2J\nevil\x7f:1/";
    EXPECT_EQ(decode_as<Version>(encode_payload(version)).user_agent, "/[2Jevil:1/");
}

TEST(DecodeVersion, BoundsTheUserAgent) {
    Version version = sample_version();
    version.user_agent.assign(256, 'a');
    EXPECT_EQ(decode_as<Version>(encode_payload(version)).user_agent.size(), 256U);

    Bytes payload(ByteView(kVersion).first(80).begin(), ByteView(kVersion).first(80).end());
    const Bytes long_agent = ByteWriter().var_bytes(Bytes(257, 'a')).take();
    payload.insert(payload.end(), long_agent.begin(), long_agent.end());
    EXPECT_EQ(error_of("version", payload), DecodeError::too_large);
}

struct PayloadCase {
    std::string name;
    Message message;
    Bytes payload;
};

void PrintTo(const PayloadCase& row, std::ostream* out) {
    *out << row.name;
}

class Payload : public testing::TestWithParam<PayloadCase> {};

TEST_P(Payload, IsWrittenAndReadBack) {
    const auto& row = GetParam();
    EXPECT_EQ(chain::to_hex(encode_payload(row.message)), chain::to_hex(row.payload));
    const auto decoded = decode(command_of(row.message), row.payload);
    ASSERT_TRUE(decoded);
    EXPECT_EQ(*decoded, row.message);
}

const auto kMainnetGenesis =
    "000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f"_block;
const auto kMainnetBlock1 =
    "00000000839a8e6886ab5951d76f411475428afc90947ee320161bbf18eb6048"_hash256;
const auto kMerkleRoot1 =
    "0e3e2357e806b6cdb1f70b54c3a3a17b6714ee1f0e68bebb44a74b1efd512098"_hash256;

// Of mainnet's genesis block.
const auto kFilterHeader = chain::FilterHeader::from_hex(
                               "02c2392180d0ce2b5b6f8b08d39a11ffe831c673311a3ecf77b97fc3f0303c9f")
                               .value();
const auto kFilterHash = chain::hash_filter("017fa880"_hex);

// Layouts: Bitcoin Core's protocol documentation, BIP37 and BIP157; the blocks are mainnet's first.
// clang-format off
INSTANTIATE_TEST_SUITE_P(Wire, Payload, testing::ValuesIn(std::initializer_list<PayloadCase>{
    {"Verack",      Verack{},      {}},
    {"SendHeaders", SendHeaders{}, {}},
    {"SendAddrV2",  SendAddrV2{},  {}},
    {"WtxidRelay",  WtxidRelay{},  {}},
    {"Mempool",     Mempool{},     {}},
    {"FilterClear", FilterClear{}, {}},
    {"GetAddr",     GetAddr{},     {}},
    {"Ping",        Ping{0x1122334455667788}, "8877665544332211"_hex},
    {"Pong",        Pong{0x1122334455667788}, "8877665544332211"_hex},
    {"FeeFilter",   FeeFilter{1'000},         "e803000000000000"_hex},
    {"Reject",      Reject{"tx", 0x42, "min relay fee", kMerkleRoot1},
     "027478420d6d696e2072656c617920666565"
     "982051fd1e4ba744bbbe680e1fee14677ba1a3c3540bf7b1cdb606e857233e0e"_hex},
    {"RejectOfAVersion", Reject{"version", 0x11, "old", {}}, "0776657273696f6e11036f6c64"_hex},
    {"SendCompact", SendCompact{false, 2},    "000200000000000000"_hex},
    {"FilterLoad",  FilterLoad{"00010000000000000000"_hex}, "00010000000000000000"_hex},
    {"FilterAdd",   FilterAdd{Bytes(20, 0xff)},
     "14ffffffffffffffffffffffffffffffffffffffff"_hex},
    {"GetHeaders",  GetHeaders{{kMainnetGenesis}, {}},
     "80110100016fe28c0ab6f1b372c1a6a246ae63f74f931e8365e15a089c68d619000000000000000000000000000000"
     "00000000000000000000000000000000000000000000"_hex},
    {"GetBlocks",   GetBlocks{{kMainnetGenesis}, {}},
     "80110100016fe28c0ab6f1b372c1a6a246ae63f74f931e8365e15a089c68d619000000000000000000000000000000"
     "00000000000000000000000000000000000000000000"_hex},
    {"GetData",     GetData{{{InventoryType::filtered_block, kMainnetBlock1}}},
     "01030000004860eb18bf1b1620e37e9490fc8a427514416fd75159ab86688e9a8300000000"_hex},
    {"Inv",         Inv{{{InventoryType::block, kMainnetBlock1}}},
     "01020000004860eb18bf1b1620e37e9490fc8a427514416fd75159ab86688e9a8300000000"_hex},
    {"NotFound",    NotFound{{{InventoryType::tx, kMainnetBlock1}}},
     "01010000004860eb18bf1b1620e37e9490fc8a427514416fd75159ab86688e9a8300000000"_hex},
    {"NoHeaders",   Headers{}, "00"_hex},
    {"Headers",     Headers{{{1, kMainnetGenesis, kMerkleRoot1, 1231469665, 0x1d00ffff, 2573394689}}},
     "01010000006fe28c0ab6f1b372c1a6a246ae63f74f931e8365e15a089c68d6190000000000982051fd1e4ba744bbbe"
     "680e1fee14677ba1a3c3540bf7b1cdb606e857233e0e61bc6649ffff001d01e3629900"_hex},
    {"GetCFilters", GetCFilters{BlockFilterType::basic, 0x01020304, kMainnetGenesis},
     "00040302016fe28c0ab6f1b372c1a6a246ae63f74f931e8365e15a089c68d6190000000000"_hex},
    {"GetCFHeaders", GetCFHeaders{BlockFilterType::basic, 0x01020304, kMainnetGenesis},
     "00040302016fe28c0ab6f1b372c1a6a246ae63f74f931e8365e15a089c68d6190000000000"_hex},
    {"GetCFCheckpt", GetCFCheckpt{BlockFilterType::basic, kMainnetGenesis},
     "006fe28c0ab6f1b372c1a6a246ae63f74f931e8365e15a089c68d6190000000000"_hex},
    {"CFilter",     CFilter{BlockFilterType::basic, kMainnetGenesis, "017fa880"_hex},
     "006fe28c0ab6f1b372c1a6a246ae63f74f931e8365e15a089c68d619000000000004017fa880"_hex},
    {"CFHeaders",   CFHeaders{BlockFilterType::basic, kMainnetGenesis, {}, {kFilterHash}},
     "006fe28c0ab6f1b372c1a6a246ae63f74f931e8365e15a089c68d61900000000000000000000000000000000000000"
     "0000000000000000000000000000000000000112bf28623a34db4d5deb0f11b5c78f39d34175731158e21ac923e019"
     "ad3eb868"_hex},
    {"CFCheckpt",   CFCheckpt{BlockFilterType::basic, kMainnetGenesis, {kFilterHeader}},
     "006fe28c0ab6f1b372c1a6a246ae63f74f931e8365e15a089c68d6190000000000019f3c30f0c37fb977cf3e1a3173"
     "c631e8ff119ad3088b6f5b2bced0802139c202"_hex},
}), [](const auto& row) { return row.param.name; });
// clang-format on

// The only transaction of mainnet block
// 000000000000dab0130bbcc991d3d7ae6b81aa6f50a798888dfe62337458dc45, matched (Bitcoin Core:
// bloom_tests.cpp, merkle_block_1).
TEST(DecodeMerkleBlock, ReadsCoresVector) {
    const Bytes payload =
        "0100000079cda856b143d9db2c1caff01d1aecc8630d30625d10e8b4b8b0000000000000b50cc069d6a3e33e3f"
        "f84a5c41d9d3febe7c770fdcc96b2c3ff60abe184f196367291b4d4c86041b8fa45d630100000001b50cc069d6"
        "a3e33e3ff84a5c41d9d3febe7c770fdcc96b2c3ff60abe184f19630101"_hex;
    const auto message = decode_as<MerkleBlock>(payload);
    EXPECT_EQ(message.header.hash(),
              "000000000000dab0130bbcc991d3d7ae6b81aa6f50a798888dfe62337458dc45"_block);
    EXPECT_EQ(message.tree.transaction_count, 1U);
    EXPECT_EQ(
        message.tree.hashes,
        std::vector{"63194f18be0af63f2c6bc9dc0f777cbefed3d9415c4af83f3ee3a3d669c00cb5"_hash256});
    EXPECT_EQ(message.tree.flags, "01"_hex);
    EXPECT_EQ(encode_payload(message), payload);
}

TEST(Codec, ReadsBackEveryMessage) {
    for (const auto& message : sample_messages()) {
        const Bytes payload = encode_payload(message);
        const auto decoded = decode(command_of(message), payload);
        ASSERT_TRUE(decoded) << command_of(message);
        EXPECT_EQ(*decoded, message) << command_of(message);
    }
}

TEST(Codec, RefusesEveryPayloadThatEndsEarly) {
    for (const auto& message : sample_messages()) {
        const auto command = command_of(message);
        // A version may end early. A filterload of any size is decoded; the server judges it.
        if (command == "version" || command == "filterload") continue;
        if (command == "reject") continue;  // the hash may be missing
        const Bytes payload = encode_payload(message);
        for (std::size_t size = 0; size < payload.size(); ++size) {
            EXPECT_EQ(error_of(command, ByteView(payload).first(size)), DecodeError::truncated)
                << command << " cut at " << size;
        }
    }
}

TEST(Codec, TellsTheCommandOfEveryMessage) {
    std::set<std::string> commands;
    for (const auto& message : sample_messages()) commands.emplace(command_of(message));
    const std::set<std::string> expected = {
        "version",   "verack",      "sendheaders", "sendtxrcncl", "sendaddrv2",   "wtxidrelay",
        "mempool",   "filterclear", "getaddr",     "ping",        "pong",         "inv",
        "getdata",   "notfound",    "getheaders",  "getblocks",   "headers",      "filterload",
        "filteradd", "merkleblock", "block",       "tx",          "sendcmpct",    "feefilter",
        "reject",    "addr",        "addrv2",      "getcfilters", "getcfheaders", "getcfcheckpt",
        "cfilter",   "cfheaders",   "cfcheckpt"};
    EXPECT_EQ(commands, expected);
}

TEST(Codec, CutsAndCleansTheReasonOfARejectInsteadOfRefusingIt) {
    Reject message{"tx", 0x10, std::string(kMaxRejectReasonBytes, 'x'), {}};
    EXPECT_EQ(decode_as<Reject>(encode_payload(message)), message);
    Reject longer = message;
    longer.reason += 'x';
    EXPECT_EQ(decode_as<Reject>(encode_payload(longer)), message);
    EXPECT_EQ(decode_as<Reject>("02747810041b5b326d"_hex).reason, "[2m");
}

TEST(Codec, RefusesARejectThatEndsInsideAField) {
    const Bytes payload = "02747810026e6f"_hex;
    for (std::size_t size = 0; size < payload.size(); ++size) {
        EXPECT_EQ(error_of("reject", ByteView(payload).first(size)), DecodeError::truncated)
            << size;
    }
    EXPECT_EQ(error_of("reject", "02747810026e6f00"_hex), DecodeError::truncated);
    EXPECT_EQ(error_of("reject", "0d6161616161616161616161616161"_hex), DecodeError::too_large);
}

TEST(Codec, PassesUnknownCommandsByName) {
    const auto message = decode("sendtxrcncl", "0100"_hex);
    ASSERT_TRUE(message);
    EXPECT_EQ(*message, Message(Unknown{"sendtxrcncl"}));
    EXPECT_TRUE(encode_payload(*message).empty());
}

TEST(Codec, IgnoresBytesAfterTheLastField) {
    EXPECT_EQ(decode_as<Ping>("887766554433221100"_hex), Ping{0x1122334455667788});
    EXPECT_EQ(decode_as<Verack>("00"_hex), Verack{});
}

TEST(Codec, RefusesBytesAfterATransactionABlockAProofOrBlockFilters) {
    for (const Message& message :
         {Message(Tx{sample_transaction(true)}), Message(MerkleBlock{sample_header(1), {}}),
          Message(FullBlock{chain::BlockView({sample_header(1), {sample_transaction(true)}})}), Message(CFilter{}),
          Message(CFHeaders{}), Message(CFCheckpt{})}) {
        Bytes payload = encode_payload(message);
        payload.push_back(0);
        EXPECT_EQ(error_of(command_of(message), payload), DecodeError::trailing_bytes);
    }
}

// A frame cannot be larger, but other callers of the decoder are refused, too.
TEST(Codec, RefusesABlockThatIsTooLarge) {
    chain::Block block{sample_header(1), {sample_transaction(false)}};
    chain::Witness& witness = block.transactions[0].inputs[0].witness;
    Bytes item(65'536);  // its length takes five bytes, as a larger one does
    witness = {item};
    const std::size_t around = block.serialize().size() - item.size();
    item.resize(4'000'000 - around);
    witness = {item};
    EXPECT_EQ(error_of("block", block.serialize()), std::nullopt);
    item.push_back(0);
    witness = {item};
    EXPECT_EQ(error_of("block", block.serialize()), DecodeError::too_large);
}

TEST(Codec, RefusesAnUnknownSendCmpctMode) {
    EXPECT_EQ(error_of("sendcmpct", "010200000000000000"_hex), std::nullopt);
    EXPECT_EQ(error_of("sendcmpct", "020200000000000000"_hex), DecodeError::invalid_value);
}

TEST(Codec, RefusesHeadersWithTransactions) {
    Bytes payload = encode_payload(Headers{{sample_header(1), sample_header(2)}});
    EXPECT_EQ(error_of("headers", payload), std::nullopt);
    payload.back() = 1;
    EXPECT_EQ(error_of("headers", payload), DecodeError::invalid_value);
    payload.back() = 0;
    payload[81] = 1;  // of the first header
    EXPECT_EQ(error_of("headers", payload), DecodeError::invalid_value);
}

/// The payload of ordinary headers and then headers of 164 bytes, whose first byte after the 80 is
/// `next`.
Bytes with_other_headers(std::size_t ordinary, std::size_t others, chain::Byte next) {
    ByteWriter writer;
    writer.compact_size(ordinary + others);
    for (std::size_t i = 0; i < ordinary; ++i) writer.bytes(sample_header(1).serialize()).u8(0);
    Bytes other(164, 0xab);
    other[80] = next;
    for (std::size_t i = 0; i < others; ++i) writer.bytes(other).u8(0);
    return writer.take();
}

TEST(Codec, ReadsTheHeadersBeforeThoseOfAFork) {
    for (const std::size_t ordinary : {0U, 1U, 1'999U}) {
        for (const std::size_t others : {1U, 2'000U - static_cast<unsigned>(ordinary)}) {
            // 0 is the number of transactions after an ordinary header, 0xfd begins a longer one.
            for (const chain::Byte next : {chain::Byte{0}, chain::Byte{1}, chain::Byte{0xfd}}) {
                const auto message = decode_as<Headers>(with_other_headers(ordinary, others, next));
                EXPECT_EQ(message.headers.size(), ordinary);
                EXPECT_EQ(message.in_other_format, others);
                EXPECT_EQ(decode_as<Headers>(encode_payload(message)), message);
            }
        }
    }
    EXPECT_EQ(error_of("headers", with_other_headers(1, 2'000, 0)), DecodeError::too_large);
}

// Bit 31 of the version is set in both, and old blocks may have such a version.
TEST(Codec, ReadsOrdinaryHeadersWithANegativeVersion) {
    Headers message{{sample_header(1), sample_header(2), sample_header(3)}};
    message.headers[1].version = -2;
    message.headers[2].version = -1;
    const Bytes payload = encode_payload(message);
    EXPECT_EQ(decode_as<Headers>(payload), message);
    for (std::size_t size = 0; size < payload.size(); ++size) {
        EXPECT_EQ(error_of("headers", ByteView(payload).first(size)), DecodeError::truncated);
    }
}

struct LimitCase {
    std::string name;
    std::string_view command;
    Bytes before;  // the bytes before the counted list
    std::size_t most;
    std::size_t bytes_each;
    std::size_t bytes_after = 0;
};

void PrintTo(const LimitCase& row, std::ostream* out) {
    *out << row.name;
}

class Limit : public testing::TestWithParam<LimitCase> {
protected:
    static Bytes payload(const LimitCase& row, std::size_t count) {
        ByteWriter writer;
        writer.bytes(row.before).compact_size(count).bytes(Bytes(count * row.bytes_each));
        return writer.bytes(Bytes(row.bytes_after)).take();
    }
};

TEST_P(Limit, IsAcceptedAtTheMaximumAndRefusedAboveIt) {
    const auto& row = GetParam();
    EXPECT_EQ(error_of(row.command, payload(row, row.most)), std::nullopt);
    EXPECT_EQ(error_of(row.command, payload(row, row.most + 1)), DecodeError::too_large);
}

const Bytes kHeaderAndCount(84);
const Bytes kHeaderCountAndNoHashes(85);

// clang-format off
INSTANTIATE_TEST_SUITE_P(Wire, Limit, testing::ValuesIn(std::initializer_list<LimitCase>{
    {"InvEntries",        "inv",         {},                      50'000, 36},
    {"GetDataEntries",    "getdata",     {},                      50'000, 36},
    {"NotFoundEntries",   "notfound",    {},                      50'000, 36},
    {"LocatorEntries",    "getheaders",  Bytes(4),                   101, 32, 32},
    {"Headers",           "headers",     {},                       2'000, 81},
    {"CFilterBytes",      "cfilter",     Bytes(33),              268'720,  1},
    {"FilterHashes",      "cfheaders",   Bytes(65),                2'000, 32},
    {"FilterCheckpoints", "cfcheckpt",   Bytes(33),              100'000, 32},
    {"MerkleBlockHashes", "merkleblock", kHeaderAndCount,         16'666, 32, 1},
    {"MerkleBlockFlags",  "merkleblock", kHeaderCountAndNoHashes,  4'169,  1},
}), [](const auto& row) { return row.param.name; });
// clang-format on

// BIP37's limit of 520 bytes is a rule for the server and not part of the format: the server
// punishes an element that is too long.
TEST(DecodeFilterAdd, LeavesTheElementsLengthToTheServer) {
    const Bytes payload = ByteWriter().var_bytes(Bytes(521, 0xaa)).take();
    EXPECT_EQ(decode_as<FilterAdd>(payload).element.size(), 521U);
}

TEST(EncodeMessage, PutsTheMessageInAFrame) {
    EXPECT_EQ(encode_message({0xf9, 0xbe, 0xb4, 0xd9}, Ping{0x1122334455667788}),
              "f9beb4d970696e670000000000000000080000008d9a66f28877665544332211"_hex);
}

}  // namespace
}  // namespace petal::net
