/// Recorded headers of real networks.
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "chain/headers/header_chain.h"
#include "chain/headers/proof_of_work.h"
#include "tests/support/hex.h"
#include "tests/support/test_chain.h"
#include "tests/support/test_data.h"

namespace petal::chain {
namespace {

using namespace petal::test::literals;
using test::kNow;

std::vector<BlockHeader> read_headers(ByteView bytes) {
    std::vector<BlockHeader> headers;
    ByteReader reader{bytes};
    while (reader.remaining() > 0) headers.push_back(read_block_header(reader));
    EXPECT_TRUE(reader.ok());
    return headers;
}

// The headers in the lines that start with `prefix`, which is removed.
std::vector<BlockHeader> read_lines(const std::string& text, const std::string& prefix) {
    std::vector<BlockHeader> headers;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        if (line.size() != prefix.size() + 2 * kHeaderBytes || !line.starts_with(prefix)) continue;
        const Bytes bytes = test::bytes_from_hex(line.substr(prefix.size()));
        ByteReader reader{bytes};
        headers.push_back(read_block_header(reader));
    }
    return headers;
}

// Mainnet's first three blocks after the genesis block.
const Bytes kMainnet123 =
    "010000006fe28c0ab6f1b372c1a6a246ae63f74f931e8365e15a089c68d6190000000000982051fd1e4ba744bbbe68"
    "0e"
    "1fee14677ba1a3c3540bf7b1cdb606e857233e0e61bc6649ffff001d01e36299"
    "010000004860eb18bf1b1620e37e9490fc8a427514416fd75159ab86688e9a8300000000d5fdcc541e25de1c7a5add"
    "ed"
    "f24858b8bb665c9f36ef744ee42c316022c90f9bb0bc6649ffff001d08d2bd61"
    "01000000bddd99ccfda39da1b108ce1a5d70038d0a967bacb68b6b63065f626a0000000044f672226090d85db9a9f2"
    "fb"
    "fe5f0f9609b387af7be5b7fbb7a1767c831c9e995dbe6649ffff001d05e0ed6d"_hex;

TEST(Mainnet, AcceptsItsFirstBlocks) {
    HeaderChain chain{*find_network("mainnet")};
    EXPECT_EQ(chain.accept(read_headers(kMainnet123), kNow).added, 3U);
    EXPECT_EQ(chain.tip().hash,
              "0000000082b5015589a3fdf2d4baff403e6f0be035a5d9742c1cae6295464449"_block);
    EXPECT_EQ(chain.hash_at(1),
              "00000000839a8e6886ab5951d76f411475428afc90947ee320161bbf18eb6048"_block);
    EXPECT_FALSE(chain.has_minimum_chainwork());
}

TEST(Mainnet, RefusesAnyBitFlipped) {
    const auto headers = read_headers(kMainnet123);
    for (std::size_t bit = 0; bit < kHeaderBytes * 8; ++bit) {
        auto bytes = headers[0].serialize();
        bytes[bit / 8] = static_cast<Byte>(bytes[bit / 8] ^ 1U << bit % 8);
        ByteReader reader{bytes};
        HeaderChain chain{*find_network("mainnet")};
        EXPECT_EQ(chain.accept(std::vector{read_block_header(reader)}, kNow).added, 0U) << bit;
    }
}

// Testnet3's first blocks, those of a branch (Bitcoin Core:
// test/functional/data/blockheader_testnet3.hex), and signet's first blocks.
const Bytes kTestnet3First =
    "0100000043497fd7f826957108f4a30fd9cec3aeba79972084e90ead01ea330900000000bac8b0fa927c0ac8234287"
    "e33c5f74d38d354820e24756ad709d7038fc5f31f020e7494dffff001d03e4b672"
    "0100000006128e87be8b1b4dea47a7247d5528d2702c96826c7a648497e773b800000000e241352e3bec0a95a6217e"
    "10c3abb54adfa05abb12c126695595580fb92e222032e7494dffff001d00d23534"
    "0100000020782a005255b657696ea057d5b98f34defcf75196f64f6eeac8026c0000000041ba5afc532aae03151b8a"
    "a87b65e1594f97504a768e010c98c0add79216247186e7494dffff001d058dc2b6"_hex;
const Bytes kTestnet3Branch =
    "0000002043497fd7f826957108f4a30fd9cec3aeba79972084e90ead01ea3309000000000943e54375082c03172552"
    "ae841bab31ebf2463484574f6ce6fe9c3723e3defb719a485dffff001db8b63209"
    "00000020da2809ab72cf2502ecb29137dbe63e51fb82fb5babe6c9530dd86dea000000005dfcdc47012c19a2708b53"
    "e820c71b529f616a45529d48bad484948c84685d572d9c485dffff001dd3530a08"_hex;
const Bytes kSignetFirst =
    "00000020f61eee3b63a380a477a063af32b2bbc97c9ff9f01f2c4225e973988108000000f575c83235984e7dc4afc1"
    "f30944c170462e84437ab6f2d52e16878a79e4678bd1914d5fae77031eccf40700"
    "00000020533b53ded9bff4adc94101d32400a144c54edc5ed492a3b26c63b2d686000000b38fef50592017cfafbcab"
    "88eb3d9cf50b2c801711cad8299495d26df5e54812e7914d5fae77031ecfdd0b00"
    "000000202960f3752f0bfa8858a3e333294aedc7808025e868c9dc03e71d88bb320000007765fcd3d5b4966beb338b"
    "ba2675dc2cf2ad28d4ad1d83bdb6f286e7e27ac1f807924d5fae77031e81d60b00"_hex;

TEST(Testnet3, AcceptsItsFirstBlocksAndABranch) {
    HeaderChain chain{*find_network("testnet3")};
    EXPECT_EQ(chain.accept(read_headers(kTestnet3First), kNow).added, 3U);
    const auto branch = read_headers(kTestnet3Branch);
    EXPECT_EQ(chain.accept(branch, kNow).added, 2U);
    EXPECT_EQ(chain.tip().hash,
              "000000008b896e272758da5297bcd98fdc6d97c9b765ecec401e286dc1fdbe10"_block);
    EXPECT_EQ(chain.fork_point(branch[1].hash())->height, 0U);
}

TEST(Signet, AcceptsItsFirstBlocks) {
    HeaderChain chain{*find_network("signet")};
    EXPECT_EQ(chain.accept(read_headers(kSignetFirst), kNow).added, 3U);
    EXPECT_EQ(chain.tip().hash,
              "000000e8daac2a2e973ecaab46dc948181c638adecf5ae0fd5d3e13aa14364b0"_block);
}

TEST(FirstBlocks, BelongToOneNetworkOnly) {
    for (const NetworkParams& network : all_networks()) {
        SCOPED_TRACE(network.name);
        for (const auto& [owner, bytes] : {std::pair{"mainnet", &kMainnet123},
                                           {"testnet3", &kTestnet3First},
                                           {"signet", &kSignetFirst}}) {
            HeaderChain chain{network};
            const AcceptResult result = chain.accept(read_headers(*bytes), kNow);
            EXPECT_EQ(result.added, network.name == owner ? 3U : 0U) << owner;
            EXPECT_EQ(result.error.has_value(), network.name != owner) << owner;
        }
    }
}

TEST(RecordedHeaders, OfMainnetAreAccepted) {
    const auto text = test::read_test_data("chains/mainnet_headers_0_10236.bin");
    if (!text) GTEST_SKIP() << test::kNoTestData;
    HeaderChain chain{*find_network("mainnet")};
    const auto result = chain.accept(read_headers(as_bytes(*text)), kNow);
    EXPECT_EQ(result.error, std::nullopt);
    EXPECT_EQ(result.added, 10'236U);
    EXPECT_EQ(chain.tip().height, 10'236U);
}

// headers_every_2016: `height chainwork header`, from the checkpoints of another wallet.
TEST(RecordedHeaders, OfMainnetCarryTheWorkOthersCount) {
    const auto binary = test::read_test_data("chains/mainnet_headers_0_10236.bin");
    const auto text = test::read_test_data("vectors/headers_every_2016_mainnet.txt");
    if (!binary || !text) GTEST_SKIP() << test::kNoTestData;
    const auto headers = read_headers(as_bytes(*binary));
    HeaderChain chain{*find_network("mainnet")};
    std::istringstream lines(*text);
    std::size_t height = 0;
    std::string work;
    std::string hex;
    int compared = 0;
    while (lines >> height >> work >> hex && height < headers.size()) {
        chain.accept(std::span(headers).first(height + 1), kNow);
        EXPECT_EQ(chain.chainwork(), uint256_from_hex(work)) << height;
        EXPECT_EQ(to_hex(chain.tip_header().serialize()), hex);
        ++compared;
    }
    EXPECT_EQ(compared, 5);
}

TEST(RecordedHeaders, OfSignetAreAccepted) {
    const auto text = test::read_test_data("chains/signet_headers_0_2015.bin");
    if (!text) GTEST_SKIP() << test::kNoTestData;
    HeaderChain chain{*find_network("signet")};
    const auto result = chain.accept(read_headers(as_bytes(*text)), kNow);
    EXPECT_EQ(result.error, std::nullopt);
    EXPECT_EQ(chain.tip().height, 2015U);
}

// Bitcoin Core: test/functional/data/mainnet_alt.json.
TEST(RecordedHeaders, OfAnAlternateMainnetRetarget) {
    const auto text = test::read_test_data("vectors/mainnet_alt_headers.hex");
    if (!text) GTEST_SKIP() << test::kNoTestData;
    const auto headers = read_lines(*text, "");
    HeaderChain chain{*find_network("mainnet")};
    ASSERT_EQ(chain.accept(headers, kNow).added, 2016U);
    EXPECT_EQ(chain.hash_at(1),
              "00000000c4b1855527033cd5147128c91538618801fba6b3d08696b6fc732c26"_block);
    EXPECT_EQ(chain.hash_at(2015),
              "00000000cf987b41e708b347f70db7f154022fdaf02f72bdeaa9ed5edfd59416"_block);
    EXPECT_EQ(chain.tip().hash,
              "000000000c806553811fd3e6c40bc9c279db53643da7d3b401a9882c074c24b2"_block);
    EXPECT_EQ(chain.header_at(2015).bits, 0x1d00ffffU);
    EXPECT_EQ(chain.tip_header().bits, 0x1c3fffc0U);
    EXPECT_EQ(to_hex(chain.chainwork()), "7e407e407e4");
}

// The branch with less work arrives first.
TEST(RecordedHeaders, OfMainnetBeatTheAlternateOnlyWithMoreWork) {
    const auto text = test::read_test_data("vectors/mainnet_alt_headers.hex");
    const auto binary = test::read_test_data("chains/mainnet_headers_0_10236.bin");
    if (!text || !binary) GTEST_SKIP() << test::kNoTestData;
    const auto alternate = read_lines(*text, "");
    const auto real = read_headers(as_bytes(*binary));
    HeaderChain chain{*find_network("mainnet")};
    chain.accept(alternate, kNow);

    // The last block of the alternate chain has the work of four. The real chain has less work up
    // to height 2018, and the same at 2019.
    EXPECT_FALSE(chain.accept(std::span(real).first(2020), kNow).move.is_reorganisation());
    const auto result = chain.accept(std::span(real).first(2021), kNow);
    EXPECT_TRUE(result.move.is_reorganisation());
    EXPECT_EQ(result.move.fork, (BlockRef{0, real[0].hash()}));
    EXPECT_EQ(result.move.new_tip.height, 2020U);
}

TEST(RecordedHeaders, OfTestnet3AreAcceptedWithTheirFork) {
    const auto text = test::read_test_data("vectors/testnet3_headers_1_546_and_fork.hex");
    if (!text) GTEST_SKIP() << test::kNoTestData;
    HeaderChain chain{*find_network("testnet3")};
    EXPECT_EQ(chain.accept(read_lines(*text, ""), kNow).added, 546U);
    EXPECT_EQ(chain.tip().hash,
              "000000002a936ca763904c3c35fce2f3556c559c0214345d31b1bcebf76acb70"_block);

    const auto fork = read_lines(*text, "fork:");
    ASSERT_EQ(fork.size(), 2U);
    const auto result = chain.accept(fork, kNow);
    EXPECT_EQ(result.added, 2U);
    EXPECT_FALSE(result.move.is_reorganisation());
    EXPECT_EQ(chain.fork_point(fork[1].hash())->height, 0U);
}

}  // namespace
}  // namespace petal::chain
