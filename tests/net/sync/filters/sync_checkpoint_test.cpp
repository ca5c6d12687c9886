// What the engine remembers about the filters that servers held.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <map>

#include "chain/script/script.h"
#include "net/sync/filters/filter_policy.h"
#include "net/sync/filters/mirror.h"
#include "net/sync/filters/sync_checkpoint.h"
#include "tests/net/sync/filters/outpoints.h"

namespace petal::net {
namespace {

using test::block_spending;
using test::holds;
using test::outpoint;

SyncCheckpoint sample_checkpoint() {
    SyncCheckpoint checkpoint;
    checkpoint.rate = 2.5e-4;
    checkpoint.locator.resize(3);
    checkpoint.locator[1].bytes[5] = 9;
    checkpoint.outpoints.add({outpoint(1)});
    checkpoint.outpoints.add({outpoint(2)});
    checkpoint.outpoints.add({outpoint(3)});
    checkpoint.outpoints.on_block(block_spending(6, {outpoint(3)}), 9'000);
    checkpoint.outpoints.on_block(block_spending(7, {outpoint(2)}), 7);
    checkpoint.unconfirmed.add(block_spending(0, {outpoint(8)}).transactions[0].transaction, {}, {},
                               {});
    checkpoint.unconfirmed.mark_shown();
    checkpoint.applied = chain::BlockRef{9, {}};
    checkpoint.covered = chain::BlockRef{6, {}};
    HeightRanges missed;
    missed.add(7, 8);
    checkpoint.coverage.add_found(outpoint(1), 6, missed);
    checkpoint.may_have_undone = false;
    return checkpoint;
}

TEST(SyncCheckpoint, SurvivesSerialization) {
    const SyncCheckpoint checkpoint = sample_checkpoint();
    const auto read = decode_sync_checkpoint(checkpoint.encode());
    ASSERT_TRUE(read);
    EXPECT_EQ(read->rate, checkpoint.rate);
    EXPECT_EQ(read->locator, checkpoint.locator);
    EXPECT_EQ(read->outpoints.size(), 2U);
    EXPECT_TRUE(holds(read->outpoints, outpoint(2)));
    EXPECT_TRUE(read->outpoints.is_settled(outpoint(3)));
    EXPECT_FALSE(read->outpoints.is_settled(outpoint(2)));
    EXPECT_EQ(read->unconfirmed.outpoints(), std::vector{outpoint(8)});
    EXPECT_EQ(read->applied, checkpoint.applied);
    EXPECT_EQ(read->covered, checkpoint.covered);
    EXPECT_EQ(read->coverage.open(), checkpoint.coverage.open());
    EXPECT_FALSE(read->may_have_undone);
    EXPECT_FALSE(read->without_false_positives_from);
    SyncCheckpoint undone = checkpoint;
    undone.may_have_undone = true;
    EXPECT_TRUE(decode_sync_checkpoint(undone.encode())->may_have_undone);
}

TEST(SyncCheckpoint, KnowsWhichBlocksWereNotSearchedForFalsePositives) {
    SyncCheckpoint checkpoint = sample_checkpoint();
    checkpoint.without_false_positives_from = 8;
    EXPECT_EQ(decode_sync_checkpoint(checkpoint.encode())->without_false_positives_from, 8U);
    checkpoint.undo_to(8);
    EXPECT_EQ(checkpoint.without_false_positives_from, 8U);
    checkpoint.undo_to(7);
    EXPECT_FALSE(checkpoint.without_false_positives_from);
}

TEST(SyncCheckpoint, KnowsWhichFiltersWereNotCompared) {
    SyncCheckpoint checkpoint = sample_checkpoint();
    checkpoint.without_false_positives_from = 5;
    checkpoint.uncompared.add(5, 6);
    checkpoint.uncompared.add(8);
    EXPECT_EQ(decode_sync_checkpoint(checkpoint.encode())->uncompared, checkpoint.uncompared);
    checkpoint.undo_to(7);
    HeightRanges left;
    left.add(5, 6);
    EXPECT_EQ(checkpoint.uncompared, left);
}

// Version 11 compared filters in memory alone.
TEST(SyncCheckpoint, TakesNoFilterOfAnEarlierFormatForCompared) {
    SyncCheckpoint checkpoint = sample_checkpoint();
    checkpoint.without_false_positives_from = 5;
    chain::Bytes bytes = checkpoint.encode();
    chain::ByteWriter unconfirmed;
    checkpoint.unconfirmed.write(unconfirmed);
    const auto number_of_ranges = bytes.end() - std::ssize(unconfirmed.view()) - 1;
    ASSERT_EQ(*number_of_ranges, 0);
    bytes.erase(number_of_ranges);
    bytes[0] = 11;
    HeightRanges all;
    all.add(5, 9);
    const auto read = decode_sync_checkpoint(bytes);
    ASSERT_TRUE(read);
    EXPECT_EQ(read->uncompared, all);
}

// A made-up block spends an outpoint whose true spend was never searched for.
TEST(SyncCheckpoint, SearchesForASpendAgainWhoseBlockIsUndone) {
    SyncCheckpoint checkpoint = sample_checkpoint();
    checkpoint.coverage.on_spent(outpoint(1), 9);
    ASSERT_TRUE(checkpoint.coverage.empty());
    checkpoint.undo_to(8);
    EXPECT_EQ(checkpoint.coverage.open(), sample_checkpoint().coverage.open());
    checkpoint.undo_to(7);
    EXPECT_EQ(checkpoint.coverage.open().lowest(), 7U);
    checkpoint.undo_to(6);
    EXPECT_TRUE(checkpoint.coverage.open().empty()) << "the next branch is searched anyhow";
}

/// One outpoint that filters hold, one that is settled, and then `end`, the version's own part.
chain::Bytes older_checkpoint(std::uint8_t version, const chain::Bytes& end) {
    chain::ByteWriter writer;
    writer.u8(version).u64(std::bit_cast<std::uint64_t>(2.5e-4)).compact_size(0);
    for (const std::uint32_t number : {2U, 3U}) {
        writer.compact_size(1).bytes(outpoint(number).serialize()).u32(number - 2);
    }
    writer.u8(1).u32(9).bytes(chain::BlockHash{}.view());
    writer.u8(1).u32(6).bytes(chain::BlockHash{}.view());
    HeightRanges{}.write(writer);
    writer.compact_size(0).u64(77).bytes(end);
    return writer.take();
}

/// One open transaction that spends one outpoint and creates another, in the format of version 5.
chain::Bytes unconfirmed_without_outputs() {
    chain::ByteWriter writer;
    writer.compact_size(1).bytes(chain::Txid{{4}}.view()).u64(1'700'000'000).u64(5);
    writer.compact_size(1).bytes(outpoint(8).serialize());
    writer.compact_size(1).bytes(chain::Outpoint{chain::Txid{{4}}, 0}.serialize());
    writer.u8(0).u32(0);
    return writer.take();
}

// Version 3 stores no unconfirmed transactions, and version 4 stores them in another format. None
// of the versions stores outputs.
TEST(SyncCheckpoint, ReadsEarlierFormats) {
    const chain::Bytes garbage(7, 0xff);
    const std::map<std::uint8_t, chain::Bytes> ends{
        {3, {}}, {4, garbage}, {5, unconfirmed_without_outputs()}};
    for (const auto& [version, end] : ends) {
        const auto read = decode_sync_checkpoint(older_checkpoint(version, end));
        ASSERT_TRUE(read) << int{version};
        EXPECT_EQ(read->rate, 2.5e-4);
        EXPECT_EQ(read->outpoints.outpoints(), std::vector{outpoint(2)});
        EXPECT_TRUE(read->outpoints.is_settled(outpoint(3)));
        EXPECT_FALSE(read->outpoints.find_output(outpoint(2)));
        EXPECT_EQ(read->unconfirmed.size(), version == 5 ? 2U : 0U);
        EXPECT_EQ(read->covered->height, 6U);
        EXPECT_EQ(read->watched_elements, 77U);
        EXPECT_TRUE(read->may_have_undone) << "it is not known";
        EXPECT_TRUE(decode_sync_checkpoint(read->encode())) << "in the current format";
    }
    EXPECT_EQ(decode_sync_checkpoint(older_checkpoint(3, garbage)).error(),
              chain::DecodeError::trailing_bytes);
    EXPECT_EQ(decode_sync_checkpoint(older_checkpoint(2, {})).error(),
              chain::DecodeError::invalid_value);
}

TEST(SyncCheckpoint, RemembersTheOutputsOfOutpoints) {
    const chain::TxOutput paid{7'000, chain::p2wpkh_script({1, 2, 3})};
    SyncCheckpoint checkpoint = sample_checkpoint();
    checkpoint.outpoints.add({outpoint(4), paid});
    chain::Transaction unconfirmed;
    unconfirmed.inputs.emplace_back().prevout = outpoint(9);
    const chain::Outpoint coin{chain::Txid{{7}}, 2};
    checkpoint.unconfirmed.add(unconfirmed, coin.txid, {{coin, paid}}, {});
    checkpoint.unconfirmed.mark_shown();
    const auto read = decode_sync_checkpoint(checkpoint.encode());
    ASSERT_TRUE(read);
    EXPECT_EQ(read->outpoints.find_output(outpoint(4)), paid);
    EXPECT_EQ(read->unconfirmed.find_output(coin), paid);
    EXPECT_FALSE(read->outpoints.find_output(outpoint(2)));
    EXPECT_FALSE(read->unconfirmed.find_output({coin.txid, 1}));
    EXPECT_EQ(read->unconfirmed.find(coin.txid)->bytes, memory_bytes(unconfirmed));
    EXPECT_TRUE(read->outpoints.is_spent(outpoint(2)));
    EXPECT_TRUE(read->outpoints.is_spent(outpoint(3))) << "it was spent long ago";
    EXPECT_FALSE(read->outpoints.is_spent(outpoint(4)));
}

// A bare multisig script with this many keys and one required signature.
chain::Bytes bare_multisig(std::uint8_t keys) {
    chain::Bytes script{0x51};
    for (std::uint8_t i = 0; i < keys; ++i) {
        script.push_back(33);
        script.push_back(2);
        script.insert(script.end(), 32, chain::Byte(i + 1));
    }
    script.push_back(static_cast<chain::Byte>(0x50 + keys));
    script.push_back(0xae);
    return script;
}

TEST(SyncCheckpoint, RemembersOutputsOfEachTemplateThatIsJudged) {
    const chain::Hash160 hash{1, 2, 3};
    const std::array judged{chain::p2wpkh_script(hash),
                            chain::p2pkh_script(hash),
                            chain::p2sh_script(hash),
                            chain::witness_program_script(1, chain::Bytes(32, 4)),
                            chain::witness_program_script(0, chain::Bytes(32, 4)),
                            bare_multisig(3),
                            chain::p2pk_script(chain::Bytes(33, 2)),
                            chain::p2pk_script(chain::Bytes(65, 4))};
    SyncCheckpoint checkpoint = sample_checkpoint();
    for (std::uint8_t i = 0; i < judged.size(); ++i) {
        const chain::TxOutput paid{7'000 + i, judged[i]};
        EXPECT_EQ(remembered_output(paid), paid);
        checkpoint.outpoints.add({outpoint(std::uint8_t(20 + i)), paid});
    }
    EXPECT_FALSE(remembered_output({1, bare_multisig(4)})) << "four keys are not standard";
    EXPECT_FALSE(remembered_output({1, chain::witness_program_script(2, chain::Bytes(32, 4))}));
    EXPECT_TRUE(remembered_output({chain::kMaxMoney, judged[0]}));
    EXPECT_FALSE(remembered_output({chain::kMaxMoney + 1, judged[0]})) << "in an invalid block";
    const auto read = decode_sync_checkpoint(checkpoint.encode());
    ASSERT_TRUE(read);
    for (std::uint8_t i = 0; i < judged.size(); ++i) {
        EXPECT_EQ(read->outpoints.find_output(outpoint(std::uint8_t(20 + i))),
                  (chain::TxOutput{7'000 + i, judged[i]}));
    }
}

TEST(SyncCheckpoint, ReadsNoPublicKeyOfAnotherSizeThanItSays) {
    constexpr std::uint8_t kP2pk = 7;
    const auto read = [](const chain::Bytes& key) {
        chain::ByteWriter writer;
        writer.u8(kP2pk).u64(1).u8(static_cast<std::uint8_t>(key.size())).bytes(key);
        chain::ByteReader reader{writer.view()};
        static_cast<void>(read_output(reader));
        return reader.ok();
    };
    EXPECT_TRUE(read(chain::Bytes(33, 3)));
    EXPECT_FALSE(read(chain::Bytes(33, 4)));
    EXPECT_FALSE(read(chain::Bytes(65, 2)));
    EXPECT_FALSE(read({}));
}

TEST(SyncCheckpoint, ReadsNoOutputOfAnUnknownTemplateOrOfMoreThanAllMoney) {
    const auto read = [](std::uint8_t name, std::uint64_t value) {
        chain::ByteWriter writer;
        writer.u8(name).u64(value).bytes(chain::Bytes(20));
        chain::ByteReader reader{writer.view()};
        static_cast<void>(read_output(reader));
        return reader.ok();
    };
    const auto all = static_cast<std::uint64_t>(chain::kMaxMoney);
    EXPECT_TRUE(read(1, all));
    EXPECT_FALSE(read(1, all + 1));
    EXPECT_FALSE(read(4, all)) << "the bytes end too early";
    EXPECT_FALSE(read(5, all)) << "the bytes end too early";
    EXPECT_FALSE(read(6, all)) << "it is not a multisig script";
    EXPECT_FALSE(read(7, all)) << "it is not a public key";
    EXPECT_FALSE(read(8, all));
}

// Open blocks are above the covered block, so there must be a covered block below them.
TEST(SyncCheckpoint, IsRefusedIfItContradictsItself) {
    SyncCheckpoint checkpoint = sample_checkpoint();
    checkpoint.covered->height = 7;
    EXPECT_FALSE(decode_sync_checkpoint(checkpoint.encode()));
    checkpoint.covered.reset();
    EXPECT_FALSE(decode_sync_checkpoint(checkpoint.encode()));
    checkpoint.coverage = {};
    EXPECT_TRUE(decode_sync_checkpoint(checkpoint.encode()));
}

chain::Bytes checkpoint_with(double rate) {
    SyncCheckpoint checkpoint = sample_checkpoint();
    checkpoint.rate = rate;
    return checkpoint.encode();
}

TEST(SyncCheckpoint, IsRefusedWithARateThatNoFilterIsMadeFor) {
    for (const double rate : {kLowestRate, kHighestRate}) {
        EXPECT_TRUE(decode_sync_checkpoint(checkpoint_with(rate))) << rate;
    }
    for (const double rate : {0.0, std::nextafter(kLowestRate, 0), std::nextafter(kHighestRate, 1),
                              1.0, -1e-5, std::numeric_limits<double>::quiet_NaN()}) {
        EXPECT_FALSE(decode_sync_checkpoint(checkpoint_with(rate))) << rate;
    }
}

TEST(SyncCheckpoint, IsRefusedWhenCutAnywhere) {
    const chain::Bytes bytes = sample_checkpoint().encode();
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        EXPECT_FALSE(decode_sync_checkpoint(chain::ByteView{bytes}.first(size))) << size;
    }
}

TEST(SyncCheckpoint, IsRefusedInAnotherVersionOrWithTrailingBytes) {
    chain::Bytes bytes = sample_checkpoint().encode();
    bytes.push_back(0);
    EXPECT_EQ(decode_sync_checkpoint(bytes).error(), chain::DecodeError::trailing_bytes);
    bytes.pop_back();
    ++bytes[0];
    EXPECT_EQ(decode_sync_checkpoint(bytes).error(), chain::DecodeError::invalid_value);
}

/// A filter that contains these elements.
bloom::BloomFilter filter_with(const std::vector<chain::Bytes>& elements) {
    bloom::BloomFilter filter(bloom::filter_size(1'000, 1e-5), 7, bloom::UpdateMode::all);
    for (const chain::Bytes& element : elements) filter.insert(element);
    return filter;
}

TEST(Mirror, CountsOutpointsThatTheServerAdds) {
    const chain::Bytes element{1, 0, 1};
    Mirror mirror{filter_with({element})};
    const auto before = mirror.snapshot();
    chain::Transaction paid;
    chain::Bytes script = element;
    script.insert(script.begin(), static_cast<chain::Byte>(script.size()));  // pushes the element
    paid.outputs = {{1'000, script}, {2'000, script}, {3'000, chain::Bytes{0x51}}};
    EXPECT_EQ(mirror.replay(paid, paid.txid()).inserted.size(), 2U);
    EXPECT_EQ(mirror.insertions(), 2U);
    EXPECT_TRUE(mirror.snapshot()->contains(chain::Outpoint{paid.txid(), 1}.serialize()));
    EXPECT_FALSE(before->contains(chain::Outpoint{paid.txid(), 1}.serialize()));
    mirror.on_added(outpoint(9));
    EXPECT_EQ(mirror.insertions(), 3U);
    EXPECT_TRUE(mirror.snapshot()->contains(outpoint(9).serialize()));
}

// An honest server is not to blame for matches that announced transactions have caused.
TEST(Mirror, ExplainsAnyMatchWhileAnAnnouncementIsOutstanding) {
    const chain::Bytes element{1, 0, 1};
    Mirror mirror{filter_with({element})};
    chain::Transaction paid;
    paid.outputs = {{1'000, chain::Bytes{3, 1, 0, 1}}};
    chain::Transaction other;
    other.inputs.emplace_back().prevout = outpoint(1);
    const auto is_explained = [&] { return mirror.replay(other, other.txid()).explained; };
    EXPECT_FALSE(is_explained());
    mirror.on_announced(paid.txid(), true, 2);
    EXPECT_TRUE(is_explained());
    mirror.on_unconfirmed(paid, paid.txid());
    EXPECT_TRUE(mirror.filter().contains(chain::Outpoint{paid.txid(), 0}.serialize()));
    EXPECT_FALSE(is_explained());

    for (std::uint32_t i = 2; i < 5; ++i) mirror.on_announced(outpoint(i).txid, true, 2);
    mirror.on_unconfirmed(paid, paid.txid());
    EXPECT_TRUE(is_explained()) << "three announcements are more than are remembered";
}

TEST(Mirror, IgnoresMatchesOfThePreviousFilter) {
    Mirror mirror{filter_with({{1, 0, 1}})};
    chain::Transaction paid;
    paid.outputs = {{1'000, chain::Bytes{3, 1, 0, 1}}};
    mirror.on_announced(paid.txid(), false, 2);
    mirror.on_unconfirmed(paid, paid.txid());
    EXPECT_EQ(mirror.insertions(), 0U);
    chain::Transaction other;
    EXPECT_TRUE(mirror.replay(other, other.txid()).explained) << "the filter may hold it";
    // In a block, the payment is matched by this filter.
    EXPECT_EQ(mirror.replay(paid, paid.txid()).inserted.size(), 1U);
    EXPECT_FALSE(mirror.replay(other, other.txid()).explained);
}

}  // namespace
}  // namespace petal::net
