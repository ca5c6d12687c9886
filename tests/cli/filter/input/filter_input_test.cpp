#include "cli/filter/input/filter_input.h"

#include <gtest/gtest.h>

#include "chain/hash.h"
#include "chain/network_params.h"

namespace petal::cli {
namespace {

// Bitcoin Core: bloom_tests.cpp, bloom_create_insert_serialize.
constexpr const char* kPayload = "03614e9b050000000000000001";

chain::Bytes message(const chain::NetworkParams& network, std::string command,
                     const chain::Bytes& payload) {
    chain::Bytes bytes(network.magic.begin(), network.magic.end());
    command.resize(12, '\0');
    bytes.insert(bytes.end(), command.begin(), command.end());
    const auto size = static_cast<std::uint32_t>(payload.size());
    for (unsigned i = 0; i < 4; ++i) bytes.push_back(static_cast<chain::Byte>(size >> (8 * i)));
    const auto checksum = chain::sha256d(payload);
    bytes.insert(bytes.end(), checksum.bytes.begin(), checksum.bytes.begin() + 4);
    bytes.insert(bytes.end(), payload.begin(), payload.end());
    return bytes;
}

chain::Bytes payload() {
    return *chain::from_hex(kPayload);
}

TEST(FilterInput, ReadsPayloadsInHexadecimal) {
    for (const std::string text : {"03614e9b050000000000000001", "03614E9B050000000000000001\r\n",
                                   " 03 61 4e 9b\n05 00 00 00\n00 00 00 00 01 "}) {
        const auto filter = parse_filter_hex(text);
        ASSERT_TRUE(filter) << text;
        EXPECT_EQ(chain::to_hex(filter->encode()), kPayload);
        EXPECT_TRUE(parse_filter_file(text));
    }
}

TEST(FilterInput, ReadsMessagesOfEveryNetwork) {
    for (const auto& network : chain::all_networks()) {
        const auto bytes = message(network, "filterload", payload());
        const auto filter = parse_filter_bytes(bytes);
        ASSERT_TRUE(filter) << network.name;
        EXPECT_EQ(chain::to_hex(filter->encode()), kPayload);
        EXPECT_TRUE(parse_filter_hex(chain::to_hex(bytes)));
        EXPECT_TRUE(parse_filter_file(std::string(bytes.begin(), bytes.end())));
        for (std::size_t size = 1; size < bytes.size(); ++size) {
            EXPECT_FALSE(parse_filter_bytes(chain::ByteView(bytes).first(size))) << size;
        }
    }
}

TEST(FilterInput, SaysWhatIsWrongWithAMessage) {
    using Kind = FilterInputError::Kind;
    const auto& network = chain::all_networks()[0];
    const auto kind_of = [](const chain::Bytes& bytes) {
        return parse_filter_bytes(bytes).error().kind;
    };
    const auto whole = message(network, "filterload", payload());
    EXPECT_EQ(kind_of(message(network, "filteradd", payload())), Kind::other_message);
    EXPECT_EQ(kind_of({whole.begin(), whole.end() - 1}), Kind::unfinished);
    auto longer = whole;
    longer.push_back(0);
    EXPECT_EQ(kind_of(longer), Kind::bytes_behind);
    auto damaged = whole;
    damaged.back() ^= 2;
    EXPECT_EQ(kind_of(damaged), Kind::envelope);
    EXPECT_EQ(parse_filter_bytes(damaged).error().frame, net::FrameError::wrong_checksum);
    EXPECT_EQ(kind_of(message(network, "filterload", {})), Kind::filter);
}

TEST(FilterInput, TakesAPayloadThatBeginsLikeAMessage) {
    // With 249 bytes, the size of the filter looks like the first byte of mainnet's magic.
    chain::Bytes bytes(1 + 249 + 9);
    bytes[0] = 0xf9;
    bytes[1] = 0xbe;
    bytes[2] = 0xb4;
    bytes[3] = 0xd9;
    bytes[250] = 7;
    const auto filter = parse_filter_bytes(bytes);
    ASSERT_TRUE(filter);
    EXPECT_EQ(filter->bytes().size(), 249U);
}

struct BadFilterInput {
    const char* name;
    std::string hex;
    const char* says;
};

TEST(FilterInput, NamesLimitsAndTheirSource) {
    const auto sized = [](std::size_t bytes) {
        return "fd" +
               chain::to_hex(chain::Bytes{static_cast<chain::Byte>(bytes & 255),
                                          static_cast<chain::Byte>(bytes >> 8)}) +
               std::string(2 * bytes, '0') + "050000000000000000";
    };
    EXPECT_TRUE(parse_filter_hex(sized(36'000)));
    const std::vector<BadFilterInput> inputs{
        {"nothing", " \n", "empty"},
        {"odd", "03614e9b05000000000000000", "odd number"},
        {"word", "hello", "not hexadecimal"},
        {"no bytes", "00050000000000000001", "CVE-2013-5700"},
        {"no functions", "03614e9b000000000000000001", "CBloomFilter"},
        {"all bits", "03ffffff050000000000000001", "every bit"},
        {"51 functions", "03614e9b330000000000000001", "MAX_HASH_FUNCS"},
        {"36,001 bytes", sized(36'001), "MAX_BLOOM_FILTER_SIZE"},
        {"a byte too much", "03614e9b05000000000000000100", "BIP37"},
        {"a byte too few", "03614e9b0500000000000000", "BIP37"},
        {"far too long", std::string(200'000, '0'), "36,000 bytes"},
    };
    for (const BadFilterInput& input : inputs) {
        const auto filter = parse_filter_hex(input.hex);
        ASSERT_FALSE(filter) << input.name;
        EXPECT_NE(describe(filter.error()).find(input.says), std::string_view::npos)
            << input.name << ": " << describe(filter.error());
        EXPECT_EQ(describe(filter.error()).find('\n'), std::string_view::npos);
    }
    EXPECT_TRUE(parse_filter_hex("03614e9b320000000000000001")) << "50 functions are allowed";
}

}  // namespace
}  // namespace petal::cli
