// What peers can learn from all filters that a wallet sends over a year.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include "bloom/measures/filter_relations.h"
#include "bloom/measures/verdict.h"
#include "bloom/transaction_match.h"
#include "chain/network_params.h"
#include "chain/script/script.h"
#include "net/sync/filters/filter_policy.h"
#include "net/sync/filters/privacy.h"
#include "regtest/chain/regtest_chain.h"
#include "tests/net/sync/filters/filter_bits.h"
#include "tests/support/list_watcher.h"
#include "tests/support/simulated_network.h"
#include "tests/support/unsigned_spend.h"

namespace petal {
namespace {

using test::holds_all_bits_of;
using test::ListWatcher;

constexpr std::uint32_t kWatched = 1'000;
constexpr std::uint32_t kWeeks = 52;
constexpr std::uint32_t kFullBlocksFromWeek = 5;
constexpr std::uint32_t kFullBlocksUntilWeek = 15;
constexpr std::uint32_t kRestoredInWeek = 20;
constexpr std::uint32_t kOutOfAddressesInWeek = 40;

/// A filter that was sent to a peer, and the height up to which the watcher was synced.
struct Sent {
    bloom::BloomFilter filter;
    std::uint32_t week = 0;
    std::uint32_t synced_height = 0;
};

/// A wallet is paid and spends every week. Each week, another process syncs it, from other peers;
/// for some weeks, a process first fetches full blocks. Once the wallet is lost and restored, and
/// once its addresses run out. Strangers pay each other meanwhile.
class Year {
public:
    explicit Year(double rate) : rate_(rate) { chain_.mine(110); }

    void live() {
        for (week_ = 0; week_ < kWeeks; ++week_) {
            live_a_week();
            if (week_ == kRestoredInWeek) lose_everything();
            const bool whole = week_ >= kFullBlocksFromWeek && week_ < kFullBlocksUntilWeek;
            sync(1 + week_ % 3, /*full_blocks=*/whole);
            sync(1 + (week_ + 1) % 3, /*full_blocks=*/false);
            EXPECT_EQ(watcher_->knowledge(), test::read_whole_chain(chain_, watcher_->watched()));
        }
    }

    const regtest::RegtestChain& chain() const { return chain_; }
    const std::vector<Sent>& sent() const { return sent_; }

    /// The base of all filters of the wallet: since the beginning, or since the list grew.
    bloom::BloomFilter base(std::uint32_t scripts) const {
        std::vector<chain::Bytes> elements;
        for (std::uint32_t i = 0; i < scripts; ++i) {
            const chain::Bytes script = ListWatcher::script(i);
            const auto element = chain::watch_element(script);
            elements.emplace_back(element.begin(), element.end());
        }
        return net::FilterBase(elements, ListWatcher(20, kWatched).filter_padding(), rate_)
            .filter();
    }

private:
    void live_a_week() {
        const bool all = week_ == kOutOfAddressesInWeek;
        for (std::uint32_t day = 0; day < 7; ++day) {
            std::vector<chain::Transaction> block{strangers_payment(100)};
            if (day % 3 == 0) {
                block.push_back(pay(all && day == 0 ? kWatched - 5 : 2 * week_ + day % 2));
            }
            if (day == 6 && coins_.size() > 3) block.push_back(spend());
            chain_.mine_block(std::move(block));
        }
    }

    chain::Transaction strangers_payment(std::uint32_t count) {
        std::vector<chain::TxOutput> outputs;
        for (std::uint32_t i = 0; i < count; ++i) {
            outputs.push_back({1'000, chain::p2wpkh_script(chain::hash160(chain::as_bytes(
                                          "stranger " + std::to_string(strangers_++))))});
        }
        return chain_.make_payment(outputs);
    }

    chain::Transaction pay(std::uint32_t script) {
        auto payment = chain_.make_payment({{10'000, ListWatcher::script(script)}});
        coins_.push_back({payment.txid(), 0});
        return payment;
    }

    /// Spends two coins to a stranger and to a change address.
    chain::Transaction spend() {
        const std::vector inputs{coins_[0], coins_[1]};
        coins_.erase(coins_.begin(), coins_.begin() + 2);
        auto spend = test::make_spend(chain_, inputs,
                                      {{9'000, chain::p2wpkh_script(chain::Hash160{7})},
                                       {9'000, ListWatcher::script(500 + week_)}});
        coins_.push_back({spend.txid(), 1});
        return spend;
    }

    void lose_everything() {
        watcher_ = std::make_unique<ListWatcher>(20, kWatched);
        headers_ = std::make_unique<chain::HeaderChain>(*chain::find_network("regtest"));
    }

    void sync(std::uint32_t peers, bool full_blocks) {
        net::SyncOptions options;
        options.blocks.source =
            full_blocks ? net::MatchSourceKind::full_blocks : net::MatchSourceKind::filtered_blocks;
        if (!watcher_->sync_state().synced) options.false_positive_rate = rate_;
        options.expected_peers = peers;
        options.random_seed = sent_.size();
        net::SyncEngine engine(*headers_, *watcher_, options);
        test::SimulatedNetwork network(engine);
        network.on_sent = [this](const net::Message& message) { note(message); };
        for (std::uint32_t i = 0; i < peers; ++i) network.connect(chain_);
        ASSERT_TRUE(network.run());
    }

    void note(const net::Message& message) {
        const auto* load = std::get_if<net::FilterLoad>(&message);
        if (load == nullptr) return;
        const auto synced = watcher_->sync_state().synced;
        sent_.push_back({bloom::BloomFilter::decode(load->payload).value(), week_,
                         synced ? synced->height : 0});
    }

    double rate_;
    std::uint32_t week_ = 0;
    std::uint32_t strangers_ = 0;
    regtest::RegtestChain chain_;
    std::unique_ptr<chain::HeaderChain> headers_ =
        std::make_unique<chain::HeaderChain>(*chain::find_network("regtest"));
    std::unique_ptr<ListWatcher> watcher_ = std::make_unique<ListWatcher>(20, kWatched);
    std::vector<chain::Outpoint> coins_;
    std::vector<Sent> sent_;
};

/// What a peer that knows the base can compute: the outpoints of outputs that match it.
struct PublicOutpoints {
    std::map<chain::Outpoint, std::uint32_t> made;  ///< the height of its block
    std::set<chain::Outpoint> spent;
    std::size_t strangers = 0;
};

PublicOutpoints matching(const bloom::BloomFilter& base, const regtest::RegtestChain& chain) {
    PublicOutpoints result;
    for (std::uint32_t height = 1; height <= chain.height(); ++height) {
        const regtest::RegtestBlock& block = chain.block_at(height);
        for (std::size_t i = 0; i < block.transactions.size(); ++i) {
            const auto& outputs = block.transactions[i].outputs;
            for (std::uint32_t vout = 0; vout < outputs.size(); ++vout) {
                if (!bloom::matches_output(base, outputs[vout])) continue;
                result.made[{block.txids[i], vout}] = height;
                if (outputs[vout].value == 1'000) ++result.strangers;
            }
            for (const auto& input : block.transactions[i].inputs) {
                result.spent.insert(input.prevout);
            }
        }
    }
    return result;
}

constexpr double kYearRate = 2.5e-4;

/// The filters from before the addresses ran out.
std::vector<bloom::BloomFilter> filters_of_first_addresses(const Year& year) {
    std::vector<bloom::BloomFilter> filters;
    for (const Sent& sent : year.sent()) {
        if (sent.week < kOutOfAddressesInWeek) filters.push_back(sent.filter);
    }
    return filters;
}

void expect_one_size_and_one_tweak(const Year& year) {
    ASSERT_GT(year.sent().size(), kWeeks / 2);
    const bloom::BloomFilter& first = year.sent().front().filter;
    for (const Sent& sent : year.sent()) {
        EXPECT_EQ(sent.filter.bytes().size(), first.bytes().size());
        EXPECT_EQ(sent.filter.hash_functions(), first.hash_functions());
        EXPECT_EQ(sent.filter.tweak(), first.tweak());
        EXPECT_EQ(sent.filter.flags(), first.flags());
    }
}

void expect_same_bytes_after_the_restore(const Year& year) {
    const auto restored = std::ranges::find(year.sent(), kRestoredInWeek, &Sent::week);
    ASSERT_NE(restored, year.sent().end());
    EXPECT_EQ(restored->synced_height, 0U);
    EXPECT_EQ(restored->filter, year.sent().front().filter);
    EXPECT_EQ(restored->filter, year.base(kWatched));
}

void expect_grade_of_a_single_filter(const Year& year) {
    for (const Sent& sent : year.sent()) {
        bloom::InspectionContext context;
        context.truth = bloom::FilterTruth{kWatched, 0, kYearRate, {}};
        const bloom::Verdict verdict = bloom::judge(bloom::inspect(sent.filter, context));
        EXPECT_EQ(verdict.grade, bloom::Grade::limited) << "week " << sent.week;
        EXPECT_GE(sent.filter.false_positive_rate(), kYearRate);
        EXPECT_LT(sent.filter.false_positive_rate(), 1.25 * kYearRate * (sent.week < 40 ? 1 : 1.5));
    }
}

void expect_filters_reveal_no_more_than_the_first(const Year& year) {
    const auto filters = filters_of_first_addresses(year);
    const bloom::BloomFilter base = year.base(kWatched);
    for (const auto& filter : filters) EXPECT_TRUE(holds_all_bits_of(filter, base));
    EXPECT_GE(bloom::common_rate(filters).value(), kYearRate);
}

void expect_only_additions_known_to_peers(const Year& year) {
    for (const bool has_grown : {false, true}) {
        const std::uint32_t scripts = has_grown ? 2 * kWatched : kWatched;
        const bloom::BloomFilter base = year.base(scripts);
        bloom::BloomFilter most = base;
        for (const auto& [outpoint, height] : matching(base, year.chain()).made) {
            most.insert(outpoint.serialize());
        }
        for (const Sent& sent : year.sent()) {
            if (has_grown != (sent.week > kOutOfAddressesInWeek)) continue;
            if (sent.week == kOutOfAddressesInWeek) continue;
            EXPECT_TRUE(holds_all_bits_of(most, sent.filter)) << "in week " << sent.week;
        }
    }
}

void expect_coins_hidden_among_strangers(const Year& year) {
    const auto known = matching(year.base(kWatched), year.chain());
    EXPECT_GT(known.strangers, 3U);
    for (const Sent& sent : year.sent()) {
        for (const auto& [outpoint, height] : known.made) {
            if (height > sent.synced_height || known.spent.contains(outpoint)) continue;
            EXPECT_TRUE(sent.filter.contains(outpoint.serialize()))
                << "of block " << height << " in week " << sent.week;
        }
    }
}

void expect_nothing_lost_when_addresses_run_out(const Year& year) {
    const bloom::BloomFilter before = year.base(kWatched);
    const bloom::BloomFilter after = year.base(2 * kWatched);
    EXPECT_TRUE(holds_all_bits_of(after, before));
    // A peer with both filters finds the old elements among as many matches as before. It finds the
    // new elements among what matches the later filter alone, which is at least a third as much.
    EXPECT_GE(bloom::common_rate(std::vector{before, after}).value(), kYearRate);
    EXPECT_GT(after.false_positive_rate() - before.false_positive_rate(), kYearRate / 3);
    for (const Sent& sent : year.sent()) {
        if (sent.week <= kOutOfAddressesInWeek) continue;
        EXPECT_TRUE(holds_all_bits_of(sent.filter, after));
    }
}

// This is a single test, so that the year is simulated once even if tests are distributed over
// processes.
TEST(WalletsYear, TellsPeersNoMoreThanItsFirstFilter) {
    Year year(kYearRate);
    year.live();
    expect_one_size_and_one_tweak(year);
    expect_same_bytes_after_the_restore(year);
    expect_grade_of_a_single_filter(year);
    expect_filters_reveal_no_more_than_the_first(year);
    expect_only_additions_known_to_peers(year);
    expect_coins_hidden_among_strangers(year);
    expect_nothing_lost_when_addresses_run_out(year);
}

}  // namespace
}  // namespace petal
