// The filters that servers get: their elements, what their bits reveal, and what they hide.
#include "net/sync/filters/filter_policy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <span>

#include "bloom/measures/filter_estimate.h"
#include "bloom/measures/known_clients.h"
#include "chain/hash.h"
#include "chain/script/script.h"
#include "net/sync/filters/mirror.h"
#include "net/sync/filters/privacy.h"
#include "tests/net/sync/filters/filter_bits.h"

namespace petal::net {
namespace {

using test::holds_all_bits_of;
using Elements = std::vector<chain::Bytes>;

constexpr double kRates[] = {kLowestRate, 1e-5, 5e-5, 2.5e-4, 0.05, kHighestRate};

Elements elements_of(std::size_t count, std::size_t from = 0) {
    Elements elements;
    for (std::size_t i = from; i < from + count; ++i) {
        const auto hash = chain::hash160(chain::as_bytes("element " + std::to_string(i)));
        elements.emplace_back(hash.begin(), hash.end());
    }
    return elements;
}

chain::FilterPadding padding_beside(std::size_t elements, chain::Byte secret = 1) {
    chain::FilterPadding padding;
    padding.secret.fill(secret);
    padding.first_elements = elements;
    return padding;
}

FilterBase base_of(std::size_t elements, double rate, chain::Byte secret = 1) {
    return {elements_of(elements), padding_beside(elements, secret), rate};
}

chain::Outpoint hashed_outpoint(std::uint32_t number) {
    const auto hash = chain::sha256d(chain::as_bytes("transaction " + std::to_string(number)));
    return {chain::Txid{hash.bytes}, number};
}

SyncCheckpoint checkpoint_of(std::initializer_list<std::uint32_t> numbers) {
    SyncCheckpoint checkpoint;
    for (const std::uint32_t number : numbers) checkpoint.outpoints.add({hashed_outpoint(number)});
    return checkpoint;
}

SyncCheckpoint checkpoint_of_first(std::uint32_t count) {
    SyncCheckpoint checkpoint;
    for (std::uint32_t i = 0; i < count; ++i) checkpoint.outpoints.add({hashed_outpoint(i)});
    return checkpoint;
}

/// A block with a transaction that spends this outpoint.
chain::ProvenBlock block_spending(const chain::Outpoint& prevout) {
    chain::ProvenBlock block;
    block.transactions.emplace_back().transaction.inputs.emplace_back().prevout = prevout;
    return block;
}

TEST(FilterPolicy, InsertsElementsAndAllOutpoints) {
    const Elements elements = elements_of(100);
    const FilterBase base(elements, padding_beside(100), 1e-5);
    const auto filter = make_filter(base, std::vector{hashed_outpoint(1), hashed_outpoint(2)},
                                    checkpoint_of({2, 3}));
    for (const auto& element : elements) EXPECT_TRUE(filter.contains(element));
    for (std::uint32_t i = 1; i <= 3; ++i) {
        EXPECT_TRUE(filter.contains(hashed_outpoint(i).serialize()));
    }
    EXPECT_FALSE(filter.contains(hashed_outpoint(4).serialize()));
    EXPECT_EQ(filter.update_mode(), bloom::UpdateMode::all);
}

TEST(FilterPolicy, DoesNotDependOnTheOrderOfInsertion) {
    const FilterBase base = base_of(50, 1e-5);
    const auto one_way = make_filter(base, {}, checkpoint_of({1, 2}));
    EXPECT_EQ(make_filter(base, {}, checkpoint_of({2, 1})), one_way);
    EXPECT_NE(make_filter(base, {}, checkpoint_of({1})), one_way);
}

TEST(FilterPolicy, OmitsSettledOutpointsOfTheWatcherAndOthers) {
    const FilterBase base = base_of(50, 1e-5);
    SyncCheckpoint memory = checkpoint_of({1, 2, 3});
    memory.outpoints.on_block(block_spending(hashed_outpoint(1)), 1'000);
    memory.outpoints.on_block(block_spending(hashed_outpoint(2)), 1'000);
    EXPECT_EQ(make_filter(base, std::vector{hashed_outpoint(1), hashed_outpoint(3)}, memory),
              make_filter(base, {}, checkpoint_of({3})));
}

TEST(FilterPolicy, InsertsAllMatchesBesideTheWatchers) {
    SyncCheckpoint memory = checkpoint_of({1, 2});
    chain::Transaction pending;
    pending.inputs.emplace_back().prevout = hashed_outpoint(3);
    memory.unconfirmed.add(pending, {}, {{hashed_outpoint(4)}}, {});
    const auto filter = make_filter(base_of(50, 1e-5), std::vector{hashed_outpoint(5)}, memory);
    for (std::uint32_t i = 1; i <= 5; ++i) {
        EXPECT_TRUE(filter.contains(hashed_outpoint(i).serialize())) << i;
    }
    EXPECT_FALSE(filter.contains(hashed_outpoint(6).serialize()));
}

TEST(FilterPolicy, HasOneSizeWhateverIsInIt) {
    for (const double rate : kRates) {
        for (const std::size_t elements : {1U, 2'000U, 20'000U}) {
            const FilterBase base = base_of(elements, rate);
            EXPECT_EQ(base.filter().bytes().size(), kFilterBytes);
            EXPECT_EQ(base.filter().hash_functions(), kFilterFunctions);
        }
    }
}

TEST(FilterPolicy, FillsExactlyUpToTheRateWhateverIsInIt) {
    for (const double rate : kRates) {
        const auto wanted = static_cast<std::size_t>(
            std::ceil(8 * kFilterBytes * std::pow(rate, 1.0 / kFilterFunctions)));
        for (const std::size_t elements : {0U, 1U, 30U, 2'000U, 4'000U}) {
            const FilterBase base = base_of(elements, rate);
            EXPECT_EQ(base.filter().bits_set(), wanted) << elements << " at " << rate;
            EXPECT_GE(base.filter().false_positive_rate(), rate);
            EXPECT_LT(base.filter().false_positive_rate(), 1.001 * rate);
            EXPECT_GT(base.decoys(), 0U);
        }
    }
}

TEST(FilterPolicy, HasNoDecoysIfTheElementsFillIt) {
    const FilterBase base = base_of(10'000, 1e-5);
    EXPECT_EQ(base.decoys(), 0U);
    EXPECT_GT(base.filter().false_positive_rate(), 1e-5);
}

TEST(FilterPolicy, IsStableForAWallet) {
    EXPECT_EQ(base_of(2'000, 1e-5).filter(), base_of(2'000, 1e-5).filter());
    // Another program computed these values from the same secret. Later versions of petal must
    // compute the same.
    const FilterBase base = base_of(40, 1e-5);
    EXPECT_EQ(base.filter().tweak(), 4178985140U);
    EXPECT_EQ(base.decoys(), 7'553U);
    EXPECT_EQ(chain::to_hex(chain::sha256(base.filter().bytes())),
              "15f6b9566f2ea4829f18da0446c06a787046ada49307ae27bef8a2a89bee4f44");
}

TEST(FilterPolicy, SharesBitsWithAnotherWalletOnlyByChance) {
    const auto one = base_of(0, 1e-5, 1).filter();
    const auto other = base_of(0, 1e-5, 2).filter();
    EXPECT_NE(one.tweak(), other.tweak());
    std::size_t common = 0;
    for (std::size_t i = 0; i < kFilterBytes; ++i) {
        common += static_cast<std::size_t>(
            std::popcount(static_cast<chain::Byte>(one.bytes()[i] & other.bytes()[i])));
    }
    const auto set = static_cast<double>(one.bits_set());
    EXPECT_NEAR(static_cast<double>(common), set * set / (8.0 * kFilterBytes), 0.05 * set);
}

TEST(FilterPolicy, HoldsAllBitsOfTheFilterAtALowerRate) {
    const FilterBase fast = base_of(2'000, 1e-5);
    const FilterBase balanced = base_of(2'000, 5e-5);
    const FilterBase high = base_of(2'000, 2.5e-4);
    EXPECT_TRUE(holds_all_bits_of(balanced.filter(), fast.filter()));
    EXPECT_TRUE(holds_all_bits_of(high.filter(), balanced.filter()));
    EXPECT_FALSE(holds_all_bits_of(fast.filter(), balanced.filter()));
}

TEST(FilterPolicy, KeepsAllBitsWhenTheListGrows) {
    const FilterBase before(elements_of(2'000), padding_beside(2'000), 1e-5);
    const FilterBase after(elements_of(3'000), padding_beside(2'000), 1e-5);
    EXPECT_TRUE(holds_all_bits_of(after.filter(), before.filter()));
    EXPECT_EQ(after.decoys(), before.decoys());
    // The new elements hide among what matches the later filter but not the earlier one. There is
    // nearly as much of that as what matches the earlier one.
    EXPECT_GT(after.filter().false_positive_rate(), 1.9e-5);
    EXPECT_LT(after.filter().false_positive_rate(), 3e-5);

    // If decoys were removed for new elements, the missing bits would tell decoys from elements.
    const FilterBase made_anew(elements_of(3'000), padding_beside(3'000), 1e-5);
    EXPECT_FALSE(holds_all_bits_of(made_anew.filter(), before.filter()));
}

TEST(FilterPolicy, IsTheSameIfGrownOrBuiltAtOnce) {
    const auto elements = elements_of(3'001);
    const std::span<const chain::Bytes> all = elements;
    FilterBase grown(all.first(2'000), padding_beside(2'000), 1e-5);
    grown.insert(all.subspan(2'000));
    const FilterBase whole(elements, padding_beside(2'000), 1e-5);
    EXPECT_EQ(grown.filter(), whole.filter());
    EXPECT_EQ(grown.decoys(), whole.decoys());
}

TEST(FilterPolicy, AcceptsFewerElementsThanThePaddingAssumes) {
    const FilterBase base(elements_of(5), padding_beside(2'000), 1e-5);
    EXPECT_EQ(base.filter(), base_of(5, 1e-5).filter());
}

TEST(FilterPolicy, MatchesOutputsAsTheServerDoes) {
    const FilterBase base = base_of(3, 1e-5);
    chain::Hash160 hash{};
    std::ranges::copy(elements_of(3)[1], hash.begin());
    EXPECT_TRUE(base.matches({1'000, chain::p2wpkh_script(hash)}));
    ++hash[0];
    EXPECT_FALSE(base.matches({1'000, chain::p2wpkh_script(hash)}));
}

TEST(FilterPolicy, ReloadsAFilterAtOneAndAHalfTimesItsRate) {
    EXPECT_DOUBLE_EQ(reload_rate(1e-5), 1.5e-5);
    EXPECT_DOUBLE_EQ(in_flight_rate(1e-5), 1.25e-5);
}

TEST(FilterPolicy, KnowsHowManyOutpointsAFilterHasRoomFor) {
    for (const double rate : kRates) {
        const FilterBase base = base_of(2'000, rate);
        for (const std::uint32_t there : {0U, 2'000U}) {
            Mirror mirror{make_filter(base, {}, checkpoint_of_first(there))};
            const double busy = in_flight_rate(mirror.initial_false_positive_rate());
            const double room = room_of_new_filter(base, there);
            EXPECT_NEAR(mirror.room(busy), room, 0.05 * room) << rate;
            for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(room); ++i) {
                mirror.on_added(hashed_outpoint(there + i));
            }
            EXPECT_NEAR(mirror.false_positive_rate(), busy, 0.1 * busy);
            EXPECT_LT(mirror.room(busy), 0.1 * room);
            EXPECT_EQ(mirror.room(mirror.false_positive_rate()), 0);
            EXPECT_EQ(mirror.room(0.5 * mirror.false_positive_rate()), 0);
        }
    }
}

TEST(FilterPolicy, HasRoomForTheOutpointsOfYears) {
    // On mainnet, some 300 outputs a year match at 1e-5 and stay unspent. The wallet adds some
    // coins of its own.
    const FilterBase base = base_of(2'000, 1e-5);
    EXPECT_GT(room_of_new_filter(base, 0), 250);
    EXPECT_LT(make_filter(base, {}, checkpoint_of_first(1'000)).false_positive_rate(), 3e-5);
    EXPECT_EQ(room_between(base.filter(), 0.5, 1), std::numeric_limits<double>::infinity());
}

TEST(Privacy, HasNamesAndRates) {
    EXPECT_EQ(key_of(Privacy::fast), "fast");
    EXPECT_EQ(key_of(Privacy::balanced), "balanced");
    EXPECT_EQ(key_of(Privacy::private_), "private");
    EXPECT_EQ(rate_of(Privacy::fast), 1e-5);
    EXPECT_EQ(rate_of(Privacy::balanced), 5e-5);
    EXPECT_EQ(rate_of(Privacy::private_), 2.5e-4);
}

// The inspector recognises petal's filters by their size. It has its own copy of that size, because
// bloom must not depend on net.
TEST(FilterPolicy, IsRecognisedByTheInspector) {
    const auto clients = bloom::known_clients();
    const auto petal = std::ranges::find(clients, "petal", &bloom::KnownClient::key);
    ASSERT_NE(petal, clients.end());
    const bloom::FilterSize size{kFilterBytes, kFilterFunctions, false};
    EXPECT_EQ(client_filter_size(petal->sizer, 1, 0.1), size);
    EXPECT_EQ(petal->rate, rate_of(Privacy::fast));
    const bloom::ClientGuess guess{&*petal, petal->fewest, petal->fewest};
    EXPECT_EQ(guess.design_rates(size).lowest, rate_of(Privacy::fast));
    EXPECT_EQ(guess.design_rates(size).highest, rate_of(Privacy::private_));
    for (const Privacy privacy : {Privacy::fast, Privacy::balanced, Privacy::private_}) {
        const auto base = base_of(100, rate_of(privacy));
        const auto elements = bloom::estimate_elements(size, base.filter().bits_set());
        const auto guesses = bloom::recognise(size, base.filter().update_mode(), elements);
        ASSERT_EQ(guesses.size(), 1U) << key_of(privacy);
        EXPECT_EQ(guesses[0].client->key, "petal");
    }
}

class AwaitedFilter : public testing::Test {
protected:
    static bloom::BloomFilter filter_of(const std::vector<Elements>& groups, double rate = 1e-4,
                                        chain::Byte secret = 1) {
        return make_awaited_filter(groups, padding_beside(0, secret), rate);
    }
    const Elements first = elements_of(100);
    const Elements second = elements_of(100, 100);
};

TEST_F(AwaitedFilter, HasItsElementsAndDecoysUpToTheRate) {
    const auto filter = filter_of({first});
    for (const auto& element : first) EXPECT_TRUE(filter.contains(element));
    for (const auto& element : second) EXPECT_FALSE(filter.contains(element));
    EXPECT_NEAR(filter.false_positive_rate(), 1e-4, 1e-7);
    EXPECT_EQ(filter.update_mode(), bloom::UpdateMode::none);
    EXPECT_EQ(filter.bytes().size(), kFilterBytes);
}

TEST_F(AwaitedFilter, IsTheSameForTheSameAddressesOfAWallet) {
    EXPECT_EQ(filter_of({first}), filter_of({first}));
    EXPECT_EQ(filter_of({first, second}), filter_of({second, first}));
    EXPECT_NE(filter_of({first}), filter_of({first}, 1e-4, 2));
}

// A wallet's filters over time have groups in common. If the decoys changed, or one set of decoys
// hid all groups, the bits that two filters share, or do not, would be those of the elements.
TEST_F(AwaitedFilter, HidesEachGroupAmongDecoysOfItsOwn) {
    const auto of_first = filter_of({first});
    const auto of_second = filter_of({second});
    const auto of_both = filter_of({first, second});
    EXPECT_TRUE(holds_all_bits_of(of_both, of_first));
    EXPECT_TRUE(holds_all_bits_of(of_both, of_second));
    std::size_t shared = 0;
    std::size_t only_second = 0;
    for (std::size_t i = 0; i < of_both.bytes().size(); ++i) {
        const unsigned a = of_first.bytes()[i];
        const unsigned b = of_second.bytes()[i];
        EXPECT_EQ(of_both.bytes()[i], a | b);
        shared += static_cast<std::size_t>(std::popcount(a & b));
        only_second += static_cast<std::size_t>(std::popcount(b & ~a));
    }
    const double bits = static_cast<double>(of_first.bit_count());
    const double fill = static_cast<double>(of_first.bits_set()) / bits;
    EXPECT_NEAR(static_cast<double>(shared) / bits, fill * fill, 0.002) << "as of two wallets";
    EXPECT_GT(only_second, 50 * second.size() * kFilterFunctions) << "mostly decoys";
}

TEST_F(AwaitedFilter, SharesNeitherTweakNorDecoysWithTheBase) {
    const FilterBase base(first, padding_beside(first.size()), 1e-4);
    const auto filter = filter_of({first});
    EXPECT_NE(filter.tweak(), base.filter().tweak());
    std::size_t shared = 0;
    for (std::size_t i = 0; i < filter.bytes().size(); ++i) {
        const unsigned both = filter.bytes()[i] & base.filter().bytes()[i];
        shared += static_cast<std::size_t>(std::popcount(both));
    }
    const double bits = static_cast<double>(filter.bit_count());
    const double fill = static_cast<double>(filter.bits_set()) / bits;
    EXPECT_NEAR(static_cast<double>(shared) / bits, fill * fill, 0.002);
}

}  // namespace
}  // namespace petal::net
