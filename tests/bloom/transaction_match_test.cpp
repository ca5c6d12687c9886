#include "bloom/transaction_match.h"

#include <gtest/gtest.h>

#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "chain/script/script.h"
#include "tests/support/hex.h"

namespace petal::bloom {
namespace {

using namespace test::literals;
using test::bytes_from_hex;
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
    {"P2pk",            bytes_from_hex("21" + kKey + "ac"),        bytes_from_hex(kKey)},
    {"P2pkLong",        bytes_from_hex("41" + kLongKey + "ac"),    bytes_from_hex(kLongKey)},
    {"P2pkOtherKey",    bytes_from_hex("21" + kKey + "ac"),        bytes_from_hex(kOtherKey),          false},
    {"P2pkWholeScript", bytes_from_hex("21" + kKey + "ac"),        bytes_from_hex("21" + kKey + "ac"), false},
    {"P2pkh",           bytes_from_hex("76a914" + kHash + "88ac"), bytes_from_hex(kHash)},
    {"P2pkhOtherHash",  bytes_from_hex("76a914" + kHash + "88ac"), bytes_of(0x45, 20),                 false},
    {"P2pkhPartOfHash", bytes_from_hex("76a914" + kHash + "88ac"), bytes_of(0x44, 19),                 false},
    {"P2sh",            bytes_from_hex("a914" + kHash + "87"),     bytes_from_hex(kHash)},
    {"P2wpkh",          bytes_from_hex("0014" + kHash),            bytes_from_hex(kHash)},
    {"P2wpkhWhole",     bytes_from_hex("0014" + kHash),            bytes_from_hex("0014" + kHash),     false},
    {"P2wsh",           bytes_from_hex("0020" + kLongHash),        bytes_from_hex(kLongHash)},
    {"P2tr",            bytes_from_hex("5120" + kLongHash),        bytes_from_hex(kLongHash)},
    {"P2trOtherKey",    bytes_from_hex("5120" + kLongHash),        bytes_of(0x56, 32),                 false},
    {"Anchor",          "51024e73"_hex,                            "4e73"_hex},
    {"MultisigFirst",   bytes_from_hex("5121" + kKey + "21" + kOtherKey + "52ae"), bytes_from_hex(kKey)},
    {"MultisigSecond",  bytes_from_hex("5121" + kKey + "21" + kOtherKey + "52ae"), bytes_from_hex(kOtherKey)},
    {"OpReturn",        "6a0401020304"_hex,                        "01020304"_hex},
    {"OpReturnSecond",  "6a04010203040105"_hex,                    "05"_hex},
    {"EmptyScript",     {},                                        {},                                 false},
}), [](const auto& row) { return row.param.name; });

INSTANTIATE_TEST_SUITE_P(Pushes, OutputMatch, testing::ValuesIn(std::initializer_list<OutputCase>{
    {"PushData1",           "4c020102"_hex,         "0102"_hex},
    {"PushData2",           "4d02000102"_hex,       "0102"_hex},
    {"PushData4",           "4e020000000102"_hex,   "0102"_hex},
    {"PushOfOneIsData",     "0101"_hex,             "01"_hex},
    {"Op1IsNoData",         "51"_hex,               "01"_hex,   false},
    {"PushOf16IsData",      "0110"_hex,             "10"_hex},
    {"Op16IsNoData",        "60"_hex,               "10"_hex,   false},
    {"PushOf81IsData",      "0181"_hex,             "81"_hex},
    {"Op1NegateIsNoData",   "4f"_hex,               "81"_hex,   false},
    {"PushOfZeroIsData",    "0100"_hex,             "00"_hex},
    {"Op0IsNoData",         "00"_hex,               "00"_hex,   false},
    {"Op0IsNotTheEmpty",    "00"_hex,               {},         false},
    {"EmptyPushData1",      "4c00"_hex,             {},         false},
    {"EmptyPushData2",      "4d0000"_hex,           {},         false},
    {"EmptyPushData4",      "4e00000000"_hex,       {},         false},
    {"BehindAnEmptyPush",   "4c00020102"_hex,       "0102"_hex},
    {"BeforeMalformed",     "02010205ffff"_hex,     "0102"_hex},
    {"Malformed",           "02010205ffff"_hex,     "ffff"_hex, false},
    {"NotMalformed",        "02010202ffff"_hex,     "ffff"_hex},
    {"BehindMalformed",     "4e7fffffff020102"_hex, "0102"_hex, false},
    {"PushDataWithoutSize", "0201024d05"_hex,       "0102"_hex},
    {"PushDataSizeIsNone",  "0201024d05"_hex,       "05"_hex,   false},
    {"LongerThanSpendable", bytes_from_hex("4d0902" + std::string(1042, '6')), bytes_of(0x66, 521)},
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
    transaction.inputs[0].script_sig = "00020102510403040506"_hex;
    EXPECT_TRUE(matches(filter_of({"0102"_hex}), transaction));
    EXPECT_TRUE(matches(filter_of({"03040506"_hex}), transaction));
    EXPECT_FALSE(matches(filter_of({"01"_hex}), transaction));
    EXPECT_FALSE(matches(filter_of({chain::Bytes{}}), transaction));
    EXPECT_FALSE(matches(filter_of({"00020102510403040506"_hex}), transaction));
}

TEST(InputMatch, CountsPushesBeforeAMalformedOne) {
    chain::Transaction transaction = spending(some_outpoint());
    transaction.inputs[0].script_sig = "02010205ffff"_hex;
    EXPECT_TRUE(matches(filter_of({"0102"_hex}), transaction));
    EXPECT_FALSE(matches(filter_of({"ffff"_hex}), transaction));
}

TEST(InputMatch, LooksAtEveryInput) {
    chain::Transaction transaction = spending(some_outpoint());
    transaction.inputs[0].script_sig =
        "05ff"_hex;  // malformed: this ends the script but not the search
    transaction.inputs.push_back({{some_outpoint().txid, 9}, "020102"_hex, 0, {}});
    EXPECT_TRUE(matches(filter_of({outpoint_bytes({some_outpoint().txid, 9})}), transaction));
    EXPECT_TRUE(matches(filter_of({"0102"_hex}), transaction));
    EXPECT_FALSE(matches(filter_of({"0103"_hex}), transaction));
}

TEST(InputMatch, LooksAtTheCoinbaseToo) {
    chain::Transaction coinbase = spending({{}, 0xffffffff});
    coinbase.inputs[0].script_sig = "0300350c04deadbeef"_hex;
    ASSERT_TRUE(coinbase.is_coinbase());
    EXPECT_TRUE(matches(filter_of({bytes_from_hex(std::string(64, '0') + "ffffffff")}), coinbase));
    EXPECT_TRUE(matches(filter_of({"00350c"_hex}), coinbase));
    EXPECT_TRUE(matches(filter_of({"deadbeef"_hex}), coinbase));
    EXPECT_FALSE(matches(filter_of({bytes_from_hex(std::string(64, '0') + "00000000")}), coinbase));
}

TEST(InputMatch, NeverLooksAtTheWitness) {
    chain::Transaction transaction = spending(some_outpoint());
    transaction.inputs[0].witness = {bytes_of(0x30, 71), bytes_from_hex(kKey)};
    EXPECT_FALSE(matches(filter_of({bytes_of(0x30, 71), bytes_from_hex(kKey)}), transaction));
    transaction.inputs[0].script_sig = chain::push_data(bytes_from_hex(kKey));
    EXPECT_TRUE(matches(filter_of({bytes_from_hex(kKey)}), transaction));
}

TEST(InputMatch, LooksAtNeitherAmountNorSequenceNorLockTime) {
    chain::Transaction transaction = paying({"51"_hex});
    transaction.inputs[0].sequence = 0x01020304;
    transaction.lock_time = 0x05060708;
    transaction.outputs[0].value = 0x0102030405060708;
    const BloomFilter filter = filter_of({"04030201"_hex, "08070605"_hex, "0807060504030201"_hex});
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

bool matches_everywhere(const BloomFilter& filter, const chain::Transaction& transaction) {
    return matches_on_every_server(filter, transaction, transaction.txid());
}

TEST(EveryServer, MatchesByTxidOutpointOrAPushOfAWellFormedScript) {
    chain::Transaction transaction = paying({"51"_hex, "020304"_hex});
    transaction.inputs[0].script_sig = "020102"_hex;
    const chain::Txid txid = transaction.txid();
    for (const auto& element : {chain::Bytes(txid.bytes.begin(), txid.bytes.end()),
                                outpoint_bytes(some_outpoint()), "0102"_hex, "0304"_hex}) {
        EXPECT_TRUE(matches_everywhere(filter_of({element}), transaction));
    }
    EXPECT_FALSE(matches_everywhere(filter_of({"0305"_hex}), transaction));
}

TEST(EveryServer, DoesNotMatchByAMalformedScript) {
    chain::Transaction transaction = paying({"02030405ff"_hex});
    transaction.inputs[0].script_sig = "0201024b"_hex;
    for (const auto& element : {"0102"_hex, "0304"_hex}) {
        EXPECT_TRUE(matches(filter_of({element}), transaction));
        EXPECT_FALSE(matches_everywhere(filter_of({element}), transaction));
    }
    transaction.inputs.push_back({{some_outpoint().txid, 9}, "020102"_hex, 0, {}});
    EXPECT_TRUE(matches_everywhere(filter_of({"0102"_hex}), transaction));
}

TEST(EmptyPush, MatchesWhereTheFilterContainsTheEmptyElement) {
    const BloomFilter filter = filter_of({chain::Bytes{}});
    chain::Transaction transaction = paying({"51"_hex});
    EXPECT_FALSE(matches_by_an_empty_push(filter, transaction));
    transaction.inputs[0].script_sig = "0201024c00"_hex;
    EXPECT_TRUE(matches_by_an_empty_push(filter, transaction));
    EXPECT_FALSE(matches_by_an_empty_push(filter_of({"0102"_hex}), transaction));
    const chain::Transaction pays_a_key = paying({chain::p2wpkh_script(hash_of(1))});
    EXPECT_TRUE(matches_by_an_empty_push(filter, pays_a_key));
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
        paying({chain::p2pkh_script(hash_of(1)), "51"_hex, chain::p2wpkh_script(hash_of(2)),
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
    BloomFilter filter = filter_of({bytes_from_hex(kKey), bytes_from_hex(kOtherKey)});
    const auto script = bytes_from_hex("5121" + kKey + "21" + kOtherKey + "52ae");
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
    // The inserted outputs. All match: one of no template, a P2PK, and a bare multisig output.
    Indexes inserted;
};

void PrintTo(const FlagsCase& c, std::ostream* out) {
    *out << c.name;
}

class FilterFlags : public testing::TestWithParam<FlagsCase> {};

TEST_P(FilterFlags, DecideWhatIsInserted) {
    const auto key = bytes_from_hex(kKey);
    const auto transaction =
        paying({bytes_from_hex("76a821" + kKey + "88ac"), bytes_from_hex("21" + kKey + "ac"),
                bytes_from_hex("5121" + kKey + "51ae")});
    BloomFilter filter = filter_with_flags(key, GetParam().flags);
    EXPECT_EQ(inserted_indexes(filter, transaction), GetParam().inserted);
    EXPECT_TRUE(matches(filter, transaction));
}

// Bitcoin Core: bloom.cpp compares flags & BLOOM_UPDATE_MASK, which is 3, with 1 and 2. How other
// flags are decoded is tested in bloom_filter_test.cpp.
// clang-format off
INSTANTIATE_TEST_SUITE_P(BitcoinCore, FilterFlags, testing::ValuesIn(std::initializer_list<FlagsCase>{
    {"None",             0,    {}},
    {"All",              1,    {0, 1, 2}},
    {"P2PubkeyOnly",     2,    {1, 2}},
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
    const chain::Transaction transaction = paying({bytes_from_hex(c.script)});
    BloomFilter filter = filter_of({bytes_from_hex(c.element)}, UpdateMode::pubkey_only);
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
