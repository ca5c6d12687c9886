#include "chain/script/signature_hash.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <initializer_list>
#include <ostream>
#include <string>

#include "chain/script/script.h"
#include "tests/support/hex.h"
#include "tests/support/test_data.h"

namespace petal::chain {
namespace {

using namespace petal::test::literals;

Hash256 legacy_hash_of(const std::string& transaction_hex, const std::string& script_hex,
                       std::size_t input_index, std::uint32_t hash_type) {
    const auto transaction = decode_transaction(test::bytes_from_hex(transaction_hex)).value();
    const Bytes script = test::bytes_from_hex(script_hex);
    return SighashCache{transaction}.legacy_hash(input_index, script, hash_type);
}

struct LegacyHashCase {
    std::string name;
    std::string transaction;
    std::string script;
    std::size_t input_index;
    std::int64_t hash_type;
    std::string hash;
};

void PrintTo(const LegacyHashCase& row, std::ostream* out) {
    *out << row.name;
}

class LegacyHashes : public testing::TestWithParam<LegacyHashCase> {};

TEST_P(LegacyHashes, AreThoseOfBitcoinCore) {
    const LegacyHashCase& row = GetParam();
    EXPECT_EQ(legacy_hash_of(row.transaction, row.script, row.input_index,
                             static_cast<std::uint32_t>(row.hash_type))
                  .to_hex(),
              row.hash);
}

// The shortest row of each kind in Bitcoin Core's sighash.json.
// clang-format off
INSTANTIATE_TEST_SUITE_P(SighashJson, LegacyHashes, testing::ValuesIn(std::initializer_list<LegacyHashCase>{
    {"All", "24f24cd90132b2162f938f1c22d3ca5e7daa83515883f31a61a5177aebf99d7db6bdfc398c010000000163ffffffff01d5562d0100000000016300000000",
     "5265ac5165ac5252ab", 0, 1055129103, "5eeb03e03806cd7bfd44bbba69c30f84c2c5120df9e68cd8facc605fcfbc9693"},
    {"AllAnyoneCanPay", "b240517501334021240427adb0b413433641555424f6d24647211e3e6bfbb22a8045cbda2f000000000071bac8630112717802000000000000000000",
     "6a5165abac52656551", 0, 1790414254, "2c8be597620d95abd88f9c1cf4967c1ae3ca2309f3afec8928058c9598660e9e"},
    {"None", "2f7353dd02e395b0a4d16da0f7472db618857cd3de5b9e2789232952a9b154d249102245fd030000000151617fd88f103280b85b0a198198e438e7cab1a4c92ba58409709997cc7a65a619eb9eec3c0200000003636aabffffffff0397481c0200000000045300636a0dc97803000000000009d389030000000003ac6a53134007bb",
     "0000536552526a", 0, -1912746174, "30c4cd4bd6b291f7e9489cc4b4440a083f93a7664ea1f93e77a9597dab8ded9c"},
    {"NoneOfTheSecondInput", "d5c1b16f0248c60a3ddccf7ebd1b3f260360bbdf2230577d1c236891a1993725e262e1b6cb000000000363636affffffff0a32362cfe68d25b243a015fc9aa172ea9c6b087c9e231474bb01824fd6bd8bc0300000005ab52ab516affffffff0420d9a70200000000045152656a45765d0000000000055252536a5277bad100000000000252ab3f3f3803000000000463acac5200000000",
     "52636a52ab65", 1, 1305123906, "978dc178ecd03d403b048213d904653979d11c51730381c96c4208e3ea24243a"},
    {"NoneAnyoneCanPay", "32fa0b0804e6ea101e137665a041cc2350b794e59bf42d9b09088b01cde806ec1bbea077df0200000008515153650000006506a11c55904258fa418e57b88b12724b81153260d3f4c9f080439789a391ab147aabb0fa0000000007000052ac51ab510986f2a15c0d5e05d20dc876dd2dafa435276d53da7b47c393f20900e55f163b97ce0b800000000008ab526a520065636a8087df7d4d9c985fb42308fb09dce704650719140aa6050e8955fa5d2ea46b464a333f870000000009636300636a6565006affffffff01994a0d040000000002536500000000",
     "516563530065", 2, -163068286, "f58637277d2bc42e18358dc55f7e87e7043f5e33f4ce1fc974e715ef0d3d1c2a"},
    {"Single", "5c45d09801bb4d8e7679d857b86b97697472d514f8b76d862460e7421e8617b15a2df217c6010000000863acacab6565006affffffff01156dbc03000000000952ac63516551ac6aac00000000",
     "6aabac", 0, 1310125891, "270445ab77258ced2e5e22a6d0d8c36ac7c30fff9beefa4b3e981867b03fa0ad"},
    {"SingleAnyoneCanPay", "009046a1023f266d0113556d604931374d7932b4d6a7952d08fbd9c9b87cbd83f4f4c178b4030000000452ac526346e73b438c4516c60edd5488023131f07acb5f9ea1540b3e84de92f4e3c432289781ea4900000000046500655357dfd6da02baef910100000000026a007d101703000000000800516500abacac5100000000",
     "6aab6553ac", 0, -802456605, "f8757fbb4448ca34e0cd41b997685b37238d331e70316659a9cc9087d116169d"},
}), [](const auto& row) { return row.param.name; });
// clang-format on

TEST(LegacyHash, IsOneForSighashSingleWithoutAMatchingOutput) {
    Transaction transaction;
    transaction.inputs.resize(2);
    transaction.outputs.resize(1);
    const SighashCache cache{transaction};
    const std::string one = std::string(63, '0') + "1";
    EXPECT_EQ(cache.legacy_hash(1, {}, kSighashSingle).to_hex(), one);
    EXPECT_EQ(cache.legacy_hash(1, {}, kSighashSingle | kSighashAnyoneCanPay).to_hex(), one);
    EXPECT_NE(cache.legacy_hash(0, {}, kSighashSingle).to_hex(), one);
    EXPECT_NE(cache.legacy_hash(1, {}, kSighashAll).to_hex(), one);
}

TEST(LegacyHash, DoesNotDependOnWhatWasHashedBefore) {
    Transaction transaction;
    for (std::uint32_t i = 0; i < 300; ++i) transaction.inputs.push_back({{{}, i}, {}, i, {}});
    transaction.outputs.resize(1);
    const SighashCache cache{transaction};
    for (const std::size_t input : {7U, 7U, 8U, 299U, 0U, 150U, 149U, 150U}) {
        EXPECT_EQ(cache.legacy_hash(input, "51"_hex, kSighashAll),
                  SighashCache{transaction}.legacy_hash(input, "51"_hex, kSighashAll))
            << input;
    }
}

TEST(LegacyHash, KeepsTheCodeSeparatorsThatArePushed) {
    Transaction transaction;
    transaction.inputs.resize(1);
    transaction.outputs.resize(1);
    const SighashCache cache{transaction};
    const auto hash = [&](const Bytes& script) { return cache.legacy_hash(0, script, 1); };
    EXPECT_EQ(hash("ab51ab52ab"_hex), hash("5152"_hex));
    EXPECT_NE(hash("01ab"_hex), hash("01"_hex));
    EXPECT_EQ(hash("ab01ab"_hex), hash("01ab"_hex));
    EXPECT_NE(hash("ab02ab"_hex), hash("02"_hex));  // the push runs past the end
}

TEST(LegacyHash, IsThatOfEveryRowInSighashJson) {
    const auto rows = test::read_test_json("vectors/sighash.json");
    if (!rows) GTEST_SKIP() << test::kNoTestData;
    std::size_t count = 0;
    for (const auto& row : *rows) {
        if (row.size() < 5) continue;  // the first row names the columns
        const auto type = static_cast<std::uint32_t>(row[3].get<std::int64_t>());
        ASSERT_EQ(legacy_hash_of(row[0], row[1], row[2], type).to_hex(), row[4].get<std::string>())
            << row[0];
        ++count;
    }
    EXPECT_EQ(count, 500U);
}

// BIP143's examples: native P2WPKH and P2SH-P2WPKH, unsigned.
const Bytes kNativeExample =
    "0100000002fff7f7881a8099afa6940d42d1e7f6362bec38171ea3edf433541db4e4ad969f0000000000eeffffffef"
    "51e1b804cc89d182d279655c3aa89e815b1b309fe287d9b2b55d57b90ec68a0100000000ffffffff02202cb2060000"
    "00001976a9148280b37df378db99f66f85c95a783a76ac7a6d5988ac9093510d000000001976a9143bde42dbee7e4d"
    "be6a21b2d50ce2f0167faa815988ac11000000"_hex;
const Bytes kNestedExample =
    "0100000001db6b1b20aa0fd7b23880be2ecbd4a98130974cf4748fb66092ac4d3ceb1a54770100000000feffffff02"
    "b8b4eb0b000000001976a914a457b684d7f0d539a46a45bbc043f35b59d0d96388ac0008af2f000000001976a914fd"
    "270b1ee6abcaea97fea7ad0402e8bd8ad6d77c88ac92040000"_hex;

TEST(SegwitHash, IsThatOfBip143) {
    const auto native = decode_transaction(kNativeExample).value();
    EXPECT_EQ(to_hex(SighashCache{native}
                         .segwit_hash(1, "76a9141d0f172a0ecb48aee1be1f2687d2963ae33f71a188ac"_hex,
                                      600'000'000, kSighashAll)
                         .bytes),
              "c37af31116d1b27caf68aae9e3ac82f1477929014d5b917657d0eb49478cb670");
    const auto nested = decode_transaction(kNestedExample).value();
    EXPECT_EQ(to_hex(SighashCache{nested}
                         .segwit_hash(0, "76a91479091972186c449eb1ded22b78e40d009bdf008988ac"_hex,
                                      1'000'000'000, kSighashAll)
                         .bytes),
              "64f3b0f4dd2bb3aa1ce8566d220cc74dda9df97d8490cc81d89d735c92e59fb6");
}

TEST(SegwitHash, OfSighashSingleWithoutAMatchingOutputCoversNone) {
    Transaction transaction;
    transaction.inputs.resize(2);
    transaction.outputs.resize(1);
    const Hash256 before = SighashCache{transaction}.segwit_hash(1, {}, 7, kSighashSingle);
    transaction.outputs[0].value = 8;
    EXPECT_EQ((SighashCache{transaction}.segwit_hash(1, {}, 7, kSighashSingle)), before);
    transaction.outputs.resize(2);
    EXPECT_NE((SighashCache{transaction}.segwit_hash(1, {}, 7, kSighashSingle)), before);
}

// Otherwise, the time to hash all inputs would grow with the square of their number. A change that
// comes after the cache shows that the parts that all inputs share are not read again.
TEST(SegwitHash, HashesWhatInputsShareOnce) {
    Transaction transaction;
    transaction.inputs.resize(2);
    transaction.outputs.resize(1);
    const SighashCache cache{transaction};
    const Hash256 before = cache.segwit_hash(0, {}, 1, kSighashAll);
    transaction.inputs[1].prevout.index = 7;
    transaction.inputs[1].sequence = 8;
    transaction.outputs[0].value = 9;
    EXPECT_EQ(cache.segwit_hash(0, {}, 1, kSighashAll), before);
    EXPECT_NE((SighashCache{transaction}.segwit_hash(0, {}, 1, kSighashAll)), before);
}

TEST(HashType, HasSixThatAreDefined) {
    for (std::uint32_t type = 0; type < 0x200; ++type) {
        const bool defined = type == 0x01 || type == 0x02 || type == 0x03 || type == 0x81 ||
                             type == 0x82 || type == 0x83;
        EXPECT_EQ(is_defined_hash_type(type), defined) << type;
    }
}

}  // namespace
}  // namespace petal::chain
