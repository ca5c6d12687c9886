// Payments from unconfirmed coins: the rate at which miners take them, by an oracle that builds
// whole blocks of small random sets of transactions.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <vector>

#include "tests/wallet/spending/spending_scene.h"
#include "wallet/spending/payment.h"

namespace petal::wallet {
namespace {

using chain::Satoshis;

/// Transactions, each after its parents.
struct Pool {
    struct Entry {
        double fee = 0;
        double size = 0;
        unsigned ancestors = 0;  ///< and itself, as bits
    };
    std::vector<Entry> entries;

    double rate(unsigned set) const {
        double fee = 0;
        double size = 0;
        for (std::size_t i = 0; i < entries.size(); ++i) {
            if ((set >> i & 1U) == 0) continue;
            fee += entries[i].fee;
            size += entries[i].size;
        }
        return fee / size;
    }
    bool has_its_ancestors(unsigned set) const {
        for (std::size_t i = 0; i < entries.size(); ++i) {
            if ((set >> i & 1U) != 0 && (entries[i].ancestors & ~set) != 0) return false;
        }
        return true;
    }
    /// The score at which Bitcoin Core before version 31 takes a transaction: with its ancestors,
    /// in the order of the lower one of its own rate and theirs.
    double score_by_ancestors(std::size_t wanted) const {
        for (unsigned taken = 0;;) {
            double best = -1;
            unsigned package = 0;
            for (std::size_t i = 0; i < entries.size(); ++i) {
                if ((taken >> i & 1U) != 0) continue;
                const unsigned set = entries[i].ancestors & ~taken;
                const double score = std::min(rate(set), rate(1U << i));
                if (score > best) {
                    best = score;
                    package = set;
                }
            }
            if ((package >> wanted & 1U) != 0) return best;
            taken |= package;
        }
    }
    /// The rate at which Bitcoin Core since version 31 takes it: in the order of the best chunks.
    double rate_of_chunk(std::size_t wanted) const {
        for (unsigned taken = 0;;) {
            double best = -1;
            unsigned chunk = 0;
            for (unsigned set = 1; set < 1U << entries.size(); ++set) {
                if ((set & taken) != 0 || !has_its_ancestors(set | taken)) continue;
                if (rate(set) > best) {
                    best = rate(set);
                    chunk = set;
                }
            }
            if ((chunk >> wanted & 1U) != 0) return best;
            taken |= chunk;
        }
    }
};

/// A wallet with unconfirmed coins.
struct RandomWallet {
    std::vector<UnconfirmedRelative> relatives;
    std::vector<InputCoin> coins;
};

class WalletMaker {
public:
    explicit WalletMaker(std::uint64_t seed) : random_(seed) {}

    std::size_t below(std::size_t bound) { return random_() % bound; }
    bool one_in(std::size_t count) { return below(count) == 0; }

    RandomWallet make() {
        RandomWallet made;
        const std::size_t count = 1 + below(6);
        for (std::uint32_t i = 0; i < count; ++i) {
            UnconfirmedRelative relative;
            relative.txid = test::coin_of(i, 1).outpoint.txid;
            relative.virtual_size = 100 + below(900);
            const std::size_t rate = below(40) >> below(4);
            relative.fee = static_cast<Satoshis>(relative.virtual_size * rate);
            if (one_in(8)) relative.fee.reset();
            for (std::uint32_t parent = 0; parent < i; ++parent) {
                if (one_in(3)) relative.parents.push_back(made.relatives[parent].txid);
            }
            made.relatives.push_back(std::move(relative));
            const std::size_t outputs = below(3);
            for (std::uint32_t output = 0; output < outputs; ++output) {
                InputCoin coin = coin_of(i, output, 20'000 + below(400'000));
                coin.confirmed = false;
                made.coins.push_back(std::move(coin));
            }
        }
        const std::size_t confirmed = below(3);
        for (std::uint32_t i = 0; i < confirmed; ++i) {
            made.coins.push_back(coin_of(100 + i, 0, 10'000 + below(100'000)));
        }
        return made;
    }

private:
    InputCoin coin_of(std::uint32_t number, std::uint32_t output, std::size_t value) {
        InputCoin coin = test::coin_of(number, static_cast<Satoshis>(value),
                                       kScriptKinds.at(below(kScriptKinds.size())),
                                       static_cast<std::int64_t>(below(12)));
        coin.outpoint.index = output;
        return coin;
    }

    std::mt19937_64 random_;
};

/// The wallet's transactions with the payment as the last one.
Pool pool_with(const RandomWallet& wallet, const Payment& payment) {
    Pool pool;
    const auto ancestors_of = [&](const std::vector<chain::Txid>& parents) {
        unsigned set = 0;
        for (std::size_t i = 0; i < pool.entries.size(); ++i) {
            const bool is_parent = std::ranges::count(parents, wallet.relatives[i].txid) != 0;
            if (is_parent) set |= pool.entries[i].ancestors;
        }
        return set;
    };
    for (std::size_t i = 0; i < wallet.relatives.size(); ++i) {
        const UnconfirmedRelative& relative = wallet.relatives[i];
        const unsigned ancestors = ancestors_of(relative.parents) | 1U << i;
        pool.entries.push_back({static_cast<double>(relative.fee.value_or(0)),
                                static_cast<double>(relative.virtual_size), ancestors});
    }
    const unsigned ancestors = ancestors_of(parents_of(payment.coins)) | 1U << pool.entries.size();
    pool.entries.push_back(
        {static_cast<double>(payment.fee), static_cast<double>(payment.virtual_size), ancestors});
    return pool;
}

/// Checks that the fee is that of the rate, for miners of either kind, and no higher than that.
void check_package(const RandomWallet& wallet, const Payment& payment, FeeRate asked) {
    const double rate = static_cast<double>(asked.sat_per_kvb()) / 1'000;
    const Pool pool = pool_with(wallet, payment);
    const std::size_t last = pool.entries.size() - 1;
    const double by_ancestors = pool.score_by_ancestors(last);
    const double by_chunk = pool.rate_of_chunk(last);
    ASSERT_GE(by_ancestors, rate * (1 - 1e-9));
    ASSERT_GE(by_chunk, rate * 0.99);
    const bool is_unconfirmed =
        std::ranges::count(payment.coins, false, &InputCoin::confirmed) != 0;
    ASSERT_EQ(payment.ancestors.has_value(), is_unconfirmed);
    if (payment.fee_reason != FeeReason::fee_rate) {
        ASSERT_EQ(payment.fee_reason, FeeReason::no_change);
        ASSERT_GT(payment.fee, payment.fee_at_rate);
        return;
    }
    ASSERT_EQ(payment.fee, payment.fee_at_rate);
    ASSERT_LE(std::min(by_ancestors, by_chunk), rate * 1.01);
    if (!payment.ancestors) return;
    const auto shown = static_cast<double>(payment.ancestors->package_rate.sat_per_kvb()) / 1'000;
    ASSERT_GE(shown, rate);
    ASSERT_LE(shown, rate * 1.01);
}

class AncestorFees : public testing::TestWithParam<std::uint64_t> {};

INSTANTIATE_TEST_SUITE_P(Seeds, AncestorFees, testing::Range(std::uint64_t{0}, std::uint64_t{4}));

TEST_P(AncestorFees, RaiseThePackageToTheAskedRate) {
    WalletMaker maker(GetParam());
    std::size_t built = 0;
    std::size_t bumped = 0;
    for (int i = 0; i < 400; ++i) {
        SCOPED_TRACE(i);
        const RandomWallet wallet = maker.make();
        PaymentRequest request =
            test::request_of(1'000 + static_cast<Satoshis>(maker.below(500'000) >> maker.below(9)));
        request.fee_rate = FeeRate{static_cast<std::int64_t>(1'000 + maker.below(40'000))};
        request.relatives = wallet.relatives;
        request.recipients.front().takes_rest = maker.one_in(3);
        request.spends_all_given = !wallet.coins.empty() && maker.one_in(3);
        const auto payment =
            build_payment(request, wallet.coins, test::random_bits(static_cast<std::uint64_t>(i)));
        if (!payment) continue;
        ++built;
        if (payment->ancestors && payment->ancestors->bump_fee > 0) ++bumped;
        ASSERT_NO_FATAL_FAILURE(check_package(wallet, *payment, request.fee_rate));
    }
    EXPECT_GT(built, 150U);
    EXPECT_GT(bumped, 75U);
}

TEST_P(AncestorFees, RaiseTheAncestorsOfAReplacement) {
    WalletMaker maker(100 + GetParam());
    std::size_t bumped = 0;
    for (int i = 0; i < 300; ++i) {
        SCOPED_TRACE(i);
        const RandomWallet wallet = maker.make();
        PaymentRequest request = test::request_of(5'000);
        request.relatives = wallet.relatives;
        request.spends_all_given = true;
        if (wallet.coins.empty()) continue;
        const auto seed = static_cast<std::uint64_t>(i);
        const auto old = build_payment(request, wallet.coins, test::random_bits(seed));
        if (!old) continue;
        request.spends_all_given = false;
        request.replaced = ReplacedPayment{old->coins, old->fee, old->virtual_size};
        request.fee_rate = FeeRate{static_cast<std::int64_t>(2'000 + maker.below(40'000))};
        const auto payment = build_payment(request, {}, test::random_bits(seed));
        if (!payment) continue;
        if (payment->fee_reason == FeeReason::replacement) {
            ASSERT_EQ(payment->fee, request.replaced->least_fee(payment->virtual_size));
            ASSERT_LT(payment->fee_at_rate, payment->fee);
            continue;
        }
        if (payment->ancestors && payment->ancestors->bump_fee > 0) ++bumped;
        ASSERT_NO_FATAL_FAILURE(check_package(wallet, *payment, request.fee_rate));
    }
    EXPECT_GT(bumped, 30U);
}

// The amount that "all" pays can be sent as an amount: with the same coins, and without change.
TEST_P(AncestorFees, LetTheAmountOfAllBeSent) {
    WalletMaker maker(200 + GetParam());
    std::size_t sent = 0;
    for (int i = 0; i < 400; ++i) {
        SCOPED_TRACE(i);
        RandomWallet wallet = maker.make();
        if (maker.one_in(2)) {
            wallet.relatives.clear();
            for (InputCoin& coin : wallet.coins) coin.confirmed = true;
        }
        PaymentRequest request = test::request_of(0);
        request.fee_rate =
            FeeRate{static_cast<std::int64_t>(1 + (maker.below(60'000) >> maker.below(7)))};
        request.relatives = wallet.relatives;
        request.recipients.front().takes_rest = true;
        const auto seed = static_cast<std::uint64_t>(i);
        const auto all = build_payment(request, wallet.coins, test::random_bits(seed));
        if (!all) continue;
        ++sent;
        request.recipients = {{test::recipient_script(), all->paid()}};
        const auto again = build_payment(request, wallet.coins, test::random_bits(seed + 1));
        ASSERT_TRUE(again);
        ASSERT_EQ(again->fee, all->fee);
        ASSERT_EQ(again->fee_reason, FeeReason::fee_rate);
        ASSERT_FALSE(again->change_index);
        const auto outpoints = [](const Payment& payment) {
            std::set<chain::Outpoint> spent;
            for (const InputCoin& coin : payment.coins) spent.insert(coin.outpoint);
            return spent;
        };
        ASSERT_EQ(outpoints(*again), outpoints(*all));
        request.recipients.front().amount += 1;
        ASSERT_FALSE(build_payment(request, wallet.coins, test::random_bits(seed + 2)));
    }
    EXPECT_GT(sent, 200U);
}

}  // namespace
}  // namespace petal::wallet
