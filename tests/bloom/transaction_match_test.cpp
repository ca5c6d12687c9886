#include "bloom/transaction_match.h"

#include <gtest/gtest.h>

#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "chain/script/script.h"
#include "tests/bloom/hex.h"

namespace petal::bloom {
namespace {

using Indexes = std::vector<std::uint32_t>;

// So sparse that no test has a false positive.
constexpr FilterSize kSparse{1'000, 12};
constexpr std::uint32_t kTweak = 37;

BloomFilter filter_of(const std::vector<chain::Bytes>& elements,
                      UpdateMode mode = UpdateMode::all) {
    BloomFilter filter(kSparse, kTweak, mode);
    for (const auto& element : elements) filter.insert(element);
    return filter;
}

/// A filter with any flags, as a peer can send them.
BloomFilter filter_with_flags(const chain::Bytes& element, std::uint8_t flags) {
    chain::Bytes payload = filter_of({element}).encode();
    payload.back() = flags;
    return BloomFilter::decode(payload).value();
}

chain::Bytes bytes_of(chain::Byte value, std::size_t count) {
    return chain::Bytes(count, value);
}

chain::Hash160 hash_of(chain::Byte value) {
    chain::Hash160 hash{};
    hash.fill(value);
    return hash;
}

chain::Bytes outpoint_bytes(const chain::Outpoint& outpoint) {
    const auto bytes = outpoint.serialize();
    return {bytes.begin(), bytes.end()};
}

/// A transaction with one input and no output.
chain::Transaction spending(const chain::Outpoint& prevout) {
    chain::Transaction transaction;
    transaction.inputs.push_back({prevout, {}, 0xffffffff, {}});
    return transaction;
}

chain::Outpoint some_outpoint() {
    chain::Outpoint outpoint;
    outpoint.txid.bytes.fill(0x77);
    outpoint.index = 5;
    return outpoint;
}

/// A transaction with one irrelevant input and these outputs.
chain::Transaction paying(const std::vector<chain::Bytes>& scripts) {
    chain::Transaction transaction = spending(some_outpoint());
    for (const auto& script : scripts) transaction.outputs.push_back({1'000, script});
    return transaction;
}

MatchResult match(BloomFilter& filter, const chain::Transaction& transaction) {
    return match_and_update(filter, transaction, transaction.txid());
}

bool matches(BloomFilter filter, const chain::Transaction& transaction) {
    return match(filter, transaction).matched;
}

Indexes inserted_indexes(BloomFilter& filter, const chain::Transaction& transaction) {
    const chain::Txid txid = transaction.txid();
    Indexes indexes;
    for (const auto& outpoint : match_and_update(filter, transaction, txid).inserted) {
        EXPECT_EQ(outpoint.txid, txid);
        EXPECT_TRUE(filter.contains(outpoint.serialize()));
        indexes.push_back(outpoint.index);
    }
    return indexes;
}

TEST(TransactionMatch, FindsTheTxidInInternalOrder) {
    const chain::Transaction transaction = paying({});
    const chain::Txid txid = transaction.txid();
    EXPECT_TRUE(matches(filter_of({{txid.bytes.begin(), txid.bytes.end()}}), transaction));
    EXPECT_FALSE(matches(filter_of({{txid.bytes.rbegin(), txid.bytes.rend()}}), transaction));
}

struct OutputCase {
    std::string name;
    chain::Bytes script;
    chain::Bytes element;
    bool matched = true;
};

void PrintTo(const OutputCase& c, std::ostream* out) {
    *out << c.name;
}

class OutputMatch : public testing::TestWithParam<OutputCase> {};

TEST_P(OutputMatch, IsByTheDataOfAPush) {
    const auto& c = GetParam();
    EXPECT_EQ(matches(filter_of({c.element}), paying({c.script})), c.matched);
}

const std::string kKey = "02" + std::string(64, '1');
const std::string kOtherKey = "03" + std::string(64, '2');
const std::string kLongKey = "04" + std::string(128, '3');
const std::string kHash(40, '4');
const std::string kLongHash(64, '5');

// clang-format off
INSTANTIATE_TEST_SUITE_P(Templates, OutputMatch, testing::ValuesIn(std::initializer_list<OutputCase>{
    {"P2pk",             unhex("21" + kKey + "ac"),           unhex(kKey)},
    {"P2pkLong",         unhex("41" + kLongKey + "ac"),       unhex(kLongKey)},
    {"P2pkOtherKey",     unhex("21" + kKey + "ac"),           unhex(kOtherKey), false},
    {"P2pkWholeScript",  unhex("21" + kKey + "ac"),           unhex("21" + kKey + "ac"), false},
    {"P2pkh",            unhex("76a914" + kHash + "88ac"),    unhex(kHash)},
    {"P2pkhOtherHash",   unhex("76a914" + kHash + "88ac"),    bytes_of(0x45, 20), false},
    {"P2pkhPartOfHash",  unhex("76a914" + kHash + "88ac"),    bytes_of(0x44, 19), false},
    {"P2sh",             unhex("a914" + kHash + "87"),        unhex(kHash)},
    {"P2wpkh",           unhex("0014" + kHash),               unhex(kHash)},
    {"P2wpkhWhole",      unhex("0014" + kHash),               unhex("0014" + kHash), false},
    {"P2wsh",            unhex("0020" + kLongHash),           unhex(kLongHash)},
    {"P2tr",             unhex("5120" + kLongHash),           unhex(kLongHash)},
    {"P2trOtherKey",     unhex("5120" + kLongHash),           bytes_of(0x56, 32), false},
    {"Anchor",           unhex("51024e73"),                   unhex("4e73")},
    {"MultisigFirst",    unhex("5121" + kKey + "21" + kOtherKey + "52ae"), unhex(kKey)},
    {"MultisigSecond",   unhex("5121" + kKey + "21" + kOtherKey + "52ae"), unhex(kOtherKey)},
    {"OpReturn",         unhex("6a0401020304"),               unhex("01020304")},
    {"OpReturnSecond",   unhex("6a04010203040105"),           unhex("05")},
    {"EmptyScript",      {},                                  {}, false},
}), [](const auto& row) { return row.param.name; });

INSTANTIATE_TEST_SUITE_P(Pushes, OutputMatch, testing::ValuesIn(std::initializer_list<OutputCase>{
    {"PushData1",           unhex("4c020102"),         unhex("0102")},
    {"PushData2",           unhex("4d02000102"),       unhex("0102")},
    {"PushData4",           unhex("4e020000000102"),   unhex("0102")},
    {"PushOfOneIsData",     unhex("0101"),             unhex("01")},
    {"Op1IsNoData",         unhex("51"),               unhex("01"), false},
    {"PushOf16IsData",      unhex("0110"),             unhex("10")},
    {"Op16IsNoData",        unhex("60"),               unhex("10"), false},
    {"PushOf81IsData",      unhex("0181"),             unhex("81")},
    {"Op1NegateIsNoData",   unhex("4f"),               unhex("81"), false},
    {"PushOfZeroIsData",    unhex("0100"),             unhex("00")},
    {"Op0IsNoData",         unhex("00"),               unhex("00"), false},
    {"Op0IsNotTheEmpty",    unhex("00"),               {}, false},
    {"EmptyPushData1",      unhex("4c00"),             {}, false},
    {"EmptyPushData2",      unhex("4d0000"),           {}, false},
    {"EmptyPushData4",      unhex("4e00000000"),       {}, false},
    {"BehindAnEmptyPush",   unhex("4c00020102"),       unhex("0102")},
    {"BeforeMalformed",     unhex("02010205ffff"),     unhex("0102")},
    {"Malformed",           unhex("02010205ffff"),     unhex("ffff"), false},
    {"NotMalformed",        unhex("02010202ffff"),     unhex("ffff")},
    {"BehindMalformed",     unhex("4e7fffffff020102"), unhex("0102"), false},
    {"PushDataWithoutSize", unhex("0201024d05"),       unhex("0102")},
    {"PushDataSizeIsNone",  unhex("0201024d05"),       unhex("05"), false},
    {"LongerThanSpendable", unhex("4d0902" + std::string(1042, '6')), bytes_of(0x66, 521)},
}), [](const auto& row) { return row.param.name; });
// clang-format on

TEST(InputMatch, IsByTheOutpoint) {
    const chain::Outpoint prevout = some_outpoint();
    const BloomFilter filter = filter_of({outpoint_bytes(prevout)});
    EXPECT_TRUE(matches(filter, spending(prevout)));
    EXPECT_FALSE(matches(filter, spending({prevout.txid, prevout.index + 1})));
    EXPECT_FALSE(matches(filter_of({bytes_of(0x77, 32)}), spending(prevout)));
}

TEST(InputMatch, IsByTheDataOfAPush) {
    chain::Transaction transaction = spending(some_outpoint());
    transaction.inputs[0].script_sig = unhex("00020102510403040506");
    EXPECT_TRUE(matches(filter_of({unhex("0102")}), transaction));
    EXPECT_TRUE(matches(filter_of({unhex("03040506")}), transaction));
    EXPECT_FALSE(matches(filter_of({unhex("01")}), transaction));
    EXPECT_FALSE(matches(filter_of({chain::Bytes{}}), transaction));
    EXPECT_FALSE(matches(filter_of({unhex("00020102510403040506")}), transaction));
}

TEST(InputMatch, CountsPushesBeforeAMalformedOne) {
    chain::Transaction transaction = spending(some_outpoint());
    transaction.inputs[0].script_sig = unhex("02010205ffff");
    EXPECT_TRUE(matches(filter_of({unhex("0102")}), transaction));
    EXPECT_FALSE(matches(filter_of({unhex("ffff")}), transaction));
}

TEST(InputMatch, LooksAtEveryInput) {
    chain::Transaction transaction = spending(some_outpoint());
    transaction.inputs[0].script_sig =
        unhex("05ff");  // malformed: this ends the script but not the search
    transaction.inputs.push_back({{some_outpoint().txid, 9}, unhex("020102"), 0, {}});
    EXPECT_TRUE(matches(filter_of({outpoint_bytes({some_outpoint().txid, 9})}), transaction));
    EXPECT_TRUE(matches(filter_of({unhex("0102")}), transaction));
    EXPECT_FALSE(matches(filter_of({unhex("0103")}), transaction));
}

TEST(InputMatch, LooksAtTheCoinbaseToo) {
    chain::Transaction coinbase = spending({{}, 0xffffffff});
    coinbase.inputs[0].script_sig = unhex("0300350c04deadbeef");
    ASSERT_TRUE(coinbase.is_coinbase());
    EXPECT_TRUE(matches(filter_of({unhex(std::string(64, '0') + "ffffffff")}), coinbase));
    EXPECT_TRUE(matches(filter_of({unhex("00350c")}), coinbase));
    EXPECT_TRUE(matches(filter_of({unhex("deadbeef")}), coinbase));
    EXPECT_FALSE(matches(filter_of({unhex(std::string(64, '0') + "00000000")}), coinbase));
}

TEST(InputMatch, NeverLooksAtTheWitness) {
    chain::Transaction transaction = spending(some_outpoint());
    transaction.inputs[0].witness = {bytes_of(0x30, 71), unhex(kKey)};
    EXPECT_FALSE(matches(filter_of({bytes_of(0x30, 71), unhex(kKey)}), transaction));
    transaction.inputs[0].script_sig = chain::push_data(unhex(kKey));
    EXPECT_TRUE(matches(filter_of({unhex(kKey)}), transaction));
}

TEST(InputMatch, LooksAtNeitherAmountNorSequenceNorLockTime) {
    chain::Transaction transaction = paying({unhex("51")});
    transaction.inputs[0].sequence = 0x01020304;
    transaction.lock_time = 0x05060708;
    transaction.outputs[0].value = 0x0102030405060708;
    const BloomFilter filter =
        filter_of({unhex("04030201"), unhex("08070605"), unhex("0807060504030201")});
    EXPECT_FALSE(matches(filter, transaction));
}

TEST(InputMatch, InsertsNothing) {
    chain::Transaction transaction = paying({chain::p2pkh_script(hash_of(1))});
    BloomFilter filter = filter_of({outpoint_bytes(some_outpoint())});
    const BloomFilter before = filter;
    const MatchResult result = match(filter, transaction);
    EXPECT_TRUE(result.matched);
    EXPECT_TRUE(result.inserted.empty());
    EXPECT_EQ(filter, before);
}

TEST(FilterUpdate, LeavesTheFilterAloneWithoutAMatch) {
    BloomFilter filter = filter_of({bytes_of(1, 20)});
    const BloomFilter before = filter;
    EXPECT_FALSE(match(filter, paying({chain::p2pkh_script(hash_of(2))})).matched);
    EXPECT_EQ(filter, before);
}

// BIP37 stops at the first match; Bitcoin Core does not.
TEST(FilterUpdate, GoesThroughEveryOutputAfterTheTxidMatched) {
    const chain::Transaction transaction =
        paying({chain::p2pkh_script(hash_of(1)), unhex("51"), chain::p2wpkh_script(hash_of(2)),
                chain::p2wpkh_script(hash_of(3))});
    const chain::Txid txid = transaction.txid();
    BloomFilter filter =
        filter_of({{txid.bytes.begin(), txid.bytes.end()}, bytes_of(1, 20), bytes_of(3, 20)});
    EXPECT_EQ(inserted_indexes(filter, transaction), (Indexes{0, 3}));
    EXPECT_FALSE(filter.contains(chain::Outpoint{txid, 2}.serialize()));
}

TEST(FilterUpdate, InsertsNothingForTheTxidAlone) {
    const chain::Transaction transaction = paying({chain::p2pkh_script(hash_of(1))});
    const chain::Txid txid = transaction.txid();
    BloomFilter filter = filter_of({{txid.bytes.begin(), txid.bytes.end()}});
    EXPECT_EQ(inserted_indexes(filter, transaction), Indexes{});
}

TEST(FilterUpdate, InsertsAnOutputOnceHoweverManyPushesMatch) {
    BloomFilter filter = filter_of({unhex(kKey), unhex(kOtherKey)});
    const auto script = unhex("5121" + kKey + "21" + kOtherKey + "52ae");
    EXPECT_EQ(inserted_indexes(filter, paying({script, script})), (Indexes{0, 1}));
}

TEST(FilterUpdate, NamesOutpointsThatWereInTheFilterBefore) {
    const chain::Transaction transaction = paying({chain::p2wpkh_script(hash_of(1))});
    BloomFilter filter = filter_of({bytes_of(1, 20)});
    EXPECT_EQ(inserted_indexes(filter, transaction), Indexes{0});
    const BloomFilter once = filter;
    EXPECT_EQ(inserted_indexes(filter, transaction), Indexes{0});
    EXPECT_EQ(filter, once);
}

// An outpoint that is inserted for one output is in the filter when the next output is tested.
TEST(FilterUpdate, AppliesToTheFollowingOutputs) {
    chain::Txid txid;
    txid.bytes.fill(0x99);
    const auto first = outpoint_bytes({txid, 0});
    const chain::Transaction transaction =
        paying({chain::p2wpkh_script(hash_of(1)), chain::push_data(first)});
    BloomFilter filter = filter_of({bytes_of(1, 20)});
    EXPECT_EQ(match_and_update(filter, transaction, txid).inserted.size(), 2U);

    const chain::Transaction reversed =
        paying({chain::push_data(outpoint_bytes({txid, 1})), chain::p2wpkh_script(hash_of(1))});
    BloomFilter fresh = filter_of({bytes_of(1, 20)});
    EXPECT_EQ(match_and_update(fresh, reversed, txid).inserted.size(), 1U);
}

TEST(FilterUpdate, MakesTheSpendingTransactionMatch) {
    const chain::Transaction funding = paying({chain::p2wpkh_script(hash_of(1))});
    const chain::Transaction spend = spending({funding.txid(), 0});
    BloomFilter filter = filter_of({bytes_of(1, 20)});
    EXPECT_FALSE(matches(filter, spend));
    match(filter, funding);
    EXPECT_TRUE(matches(filter, spend));
}

struct FlagsCase {
    std::string name;
    std::uint8_t flags;
    Indexes inserted;  // the inserted outputs: of P2PKH, P2PK and bare multisig, which all match
};

void PrintTo(const FlagsCase& c, std::ostream* out) {
    *out << c.name;
}

class FilterFlags : public testing::TestWithParam<FlagsCase> {};

TEST_P(FilterFlags, DecideWhatIsInserted) {
    const auto key = unhex(kKey);
    const auto transaction = paying({unhex("76a821" + kKey + "88ac"), unhex("21" + kKey + "ac"),
                                     unhex("5121" + kKey + "51ae")});
    BloomFilter filter = filter_with_flags(key, GetParam().flags);
    EXPECT_EQ(inserted_indexes(filter, transaction), GetParam().inserted);
    EXPECT_TRUE(matches(filter, transaction));
}

// Bitcoin Core: bloom.cpp compares flags & BLOOM_UPDATE_MASK, which is 3, with 1 and 2.
// clang-format off
INSTANTIATE_TEST_SUITE_P(BitcoinCore, FilterFlags, testing::ValuesIn(std::initializer_list<FlagsCase>{
    {"None",             0,    {}},
    {"All",              1,    {0, 1, 2}},
    {"P2PubkeyOnly",     2,    {1, 2}},
    {"Mask",             3,    {}},
    {"NoneAndMore",      4,    {}},
    {"AllAndMore",       5,    {0, 1, 2}},
    {"P2PubkeyAndMore",  6,    {1, 2}},
    {"MaskAndMore",      7,    {}},
    {"EveryBit",         0xff, {}},
    {"EveryBitButOne",   0xfe, {1, 2}},
    {"EveryBitButTwo",   0xfd, {0, 1, 2}},
}), [](const auto& row) { return row.param.name; });
// clang-format on

struct PubkeyOnlyCase {
    std::string name;
    std::string script;
    std::string element;
    bool inserted;
};

void PrintTo(const PubkeyOnlyCase& c, std::ostream* out) {
    *out << c.name;
}

class PubkeyOnly : public testing::TestWithParam<PubkeyOnlyCase> {};

TEST_P(PubkeyOnly, FollowsTheSolver) {
    const auto& c = GetParam();
    const chain::Transaction transaction = paying({unhex(c.script)});
    BloomFilter filter = filter_of({unhex(c.element)}, UpdateMode::pubkey_only);
    const MatchResult result = match(filter, transaction);
    EXPECT_TRUE(result.matched);
    EXPECT_EQ(result.inserted.size(), c.inserted ? 1U : 0U);
}

// Bitcoin Core: script/solver.cpp, MatchPayToPubkey and MatchMultisig. Each variant breaks one
// rule.
// clang-format off
INSTANTIATE_TEST_SUITE_P(BitcoinCore, PubkeyOnly, testing::ValuesIn(std::initializer_list<PubkeyOnlyCase>{
    {"P2pk",                "21" + kKey + "ac",                            kKey, true},
    {"P2pkLong",            "41" + kLongKey + "ac",                        kLongKey, true},
    {"P2pkVerify",          "21" + kKey + "ad",                            kKey, false},
    {"P2pkPushData1",       "4c21" + kKey + "ac",                          kKey, false},
    {"P2pkUnknownHeader",   "2105" + std::string(64, '1') + "ac",          "05" + std::string(64, '1'), false},
    {"P2pkLongAsShort",     "2104" + std::string(64, '1') + "ac",          "04" + std::string(64, '1'), false},
    {"P2pkAndMore",         "21" + kKey + "ac61",                          kKey, false},
    {"Multisig",            "5121" + kKey + "21" + kOtherKey + "52ae",     kOtherKey, true},
    {"MultisigAll",         "5221" + kKey + "21" + kOtherKey + "52ae",     kOtherKey, true},
    {"MultisigTooMany",     "5321" + kKey + "21" + kOtherKey + "52ae",     kOtherKey, false},
    {"MultisigNone",        "0021" + kKey + "21" + kOtherKey + "52ae",     kOtherKey, false},
    {"MultisigMiscounted",  "5121" + kKey + "21" + kOtherKey + "53ae",     kOtherKey, false},
    {"MultisigVerify",      "5121" + kKey + "21" + kOtherKey + "52af",     kOtherKey, false},
    {"MultisigAndMore",     "5121" + kKey + "21" + kOtherKey + "52ae61",   kOtherKey, false},
    {"MultisigNoKey",       "5121" + kKey + "02abcd52ae",                  kKey, false},
    {"P2pkh",               "76a914" + kHash + "88ac",                     kHash, false},
    {"P2sh",                "a914" + kHash + "87",                         kHash, false},
    {"P2wpkh",              "0014" + kHash,                                kHash, false},
    {"P2wsh",               "0020" + kLongHash,                            kLongHash, false},
    {"P2tr",                "5120" + kLongHash,                            kLongHash, false},
    {"OpReturn",            "6a21" + kKey,                                 kKey, false},
}), [](const auto& row) { return row.param.name; });
// clang-format on

}  // namespace
}  // namespace petal::bloom
