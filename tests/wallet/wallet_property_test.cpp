// Compares whole wallets, including their files, with the naive ledger, and kills their processes.
#include <gtest/gtest.h>
#include <unistd.h>

#include <map>
#include <random>
#include <set>
#include <span>

#include "tests/support/naive_ledger.h"
#include "tests/support/random_history.h"
#include "tests/wallet/wallet_fixture.h"

namespace petal::wallet {
namespace {

/// A small gap limit, so that the watch list grows often.
constexpr std::uint32_t kWatched = 6;
constexpr std::uint32_t kGapLimit = 3;
/// No test pays an address beyond this index.
constexpr std::uint32_t kScripts = 200;

class WalletProperty : public test::WalletFixture, public test::HistoryListener {
protected:
    explicit WalletProperty(ScriptKind type = ScriptKind::wpkh)
        : WalletFixture(test::new_wallet(kWatched, kGapLimit, {type})) {
        for (const KeyChain key_chain : kKeyChains) {
            for (std::uint32_t index = 0; index < kScripts; ++index) {
                paths_[script(index, key_chain)] = {key_chain, index};
                scripts_[{key_chain, index}] = script(index, key_chain);
            }
        }
        wallet.reset();
        std::filesystem::copy_file(file, folder.path() / "new");
    }

    void start() {
        wallet.reset();
        std::filesystem::copy_file(folder.path() / "new", file,
                                   std::filesystem::copy_options::overwrite_existing);
        open();
        naive_.emplace([this](chain::ByteView script) -> std::optional<KeyPath> {
            const auto found = paths_.find({script.begin(), script.end()});
            if (found == paths_.end()) return std::nullopt;
            return found->second;
        });
    }

    void open() { wallet.emplace(Wallet::open(file, test::regtest_params(), Access::sync)); }

    void on_block(const chain::ProvenBlock& block) override {
        const auto synced = wallet->sync_state().synced;
        if (!is_hostile_) naive_->block(block);
        bool grew = false;
        while (apply(block).grew) {
            grew = true;
            auto next = wallet->take_unsearched_from().value_or(block.block.height);
            for (; next < block.block.height; ++next) apply(history_->chain().at(next));
        }
        // This block is below the synced one and comes alone. If it made the list grow, the blocks
        // above it must come again.
        if (!grew || !synced) return;
        for (std::uint32_t height = block.block.height + 1; height <= synced->height; ++height) {
            while (apply(history_->chain().at(height)).grew) {
            }
        }
    }

    void on_undo(const chain::BlockRef& fork) override {
        wallet->undo_to(fork);
        if (!is_hostile_) naive_->undo_to(fork);
    }

    /// The naive ledger is not told of hostile branches.
    void begin_hostile_branch() override {
        // An orphan that spends a made-up block's payment would stay in the wallet.
        reopen();
        naive_->forget_orphans();
        is_hostile_ = true;
    }
    void end_hostile_branch() override { is_hostile_ = false; }
    /// See BothLedgers::may_repeat().
    bool may_repeat(const chain::Txid& txid) const override {
        return wallet->known_transaction(txid).has_value();
    }

    void on_unconfirmed(const chain::Transaction& transaction, std::int64_t time) override {
        test::see(*wallet, transaction, time);
        naive_->unconfirmed(transaction, time);
    }

    std::uint32_t reach(KeyChain key_chain) override {
        const auto used = wallet->addresses(key_chain, 0).size();
        return std::min(static_cast<std::uint32_t>(used) + kGapLimit, kScripts);
    }

    void compare() {
        // A sync does so once it has asked the peers for their mempools.
        wallet->forget_undone(wallet->sync_state());
        naive_->forget_undone();
        EXPECT_EQ(wallet->balance(), naive_->balance());
        EXPECT_EQ(test::without_seen_times(wallet->history(0)),
                  test::without_seen_times(naive_->history()));
        EXPECT_EQ(spendable(*wallet), spendable_of_naive());
        EXPECT_TRUE(wallet->watched_outpoints() == naive_->watched_outpoints());
        auto coins = wallet->coins();
        for (Coin& coin : coins) {
            EXPECT_EQ(coin.script_pubkey, scripts_[coin.path]);
            coin.script_pubkey.clear();
            coin.path_text.clear();
        }
        EXPECT_EQ(coins, naive_->coins());
    }

    /// The coins that payments choose from.
    static std::set<chain::Outpoint> spendable(const Wallet& of) {
        std::set<chain::Outpoint> outpoints;
        for (const auto& coin : of.spendable_coins().coins) outpoints.insert(coin.outpoint);
        return outpoints;
    }
    std::set<chain::Outpoint> spendable_of_naive() const {
        std::set<chain::Outpoint> outpoints;
        for (const Coin& coin : naive_->coins()) {
            if (coin.spendable) outpoints.insert(coin.outpoint);
        }
        return outpoints;
    }

    test::RandomHistory& begin(std::uint64_t seed) {
        start();
        return history_.emplace(
            test::random_choice(seed), *this, [this](KeyPath path) { return scripts_[path]; },
            test::sign);
    }

    void agree_in_histories(std::uint64_t first, std::uint64_t end) {
        for (std::uint64_t seed = first; seed < end; ++seed) {
            SCOPED_TRACE(testing::Message() << "seed " << seed);
            auto& history = begin(seed);
            for (int step = 0; step < 50; ++step) {
                history.step();
                if (step % 10 != 9) continue;
                history.follow_hostile_miner();
                compare();
                if (seed % 3 == 0) {
                    reopen();
                    // A wallet forgets its orphans when it is closed, so the naive ledger must
                    // forget them, too.
                    naive_->forget_orphans();
                }
                if (HasFailure()) FAIL() << "at step " << step;
            }
        }
    }

    std::map<chain::Bytes, KeyPath> paths_;
    std::map<KeyPath, chain::Bytes> scripts_;
    std::optional<test::NaiveLedger> naive_;
    std::optional<test::RandomHistory> history_;
    bool is_hostile_ = false;
};

class WalletPropertyOfType : public WalletProperty, public testing::WithParamInterface<ScriptKind> {
protected:
    WalletPropertyOfType() : WalletProperty(GetParam()) {}
};

INSTANTIATE_TEST_SUITE_P(Types, WalletPropertyOfType, testing::ValuesIn(kScriptKinds),
                         [](const auto& row) {
                             return std::string(chain::describe(script_type(row.param)));
                         });

TEST_P(WalletPropertyOfType, AgreesWithTheNaiveLedger) {
    agree_in_histories(0, 20);
}

TEST_F(WalletProperty, AgreesWithTheNaiveLedgerInMoreHistories) {
    agree_in_histories(20, 60);
}

/// Records blocks and reorganisations in the order in which a sync meets them.
struct Script : test::HistoryListener {
    struct Event {
        std::optional<chain::ProvenBlock> block;
        chain::BlockRef fork;
    };
    std::vector<Event> events;

    void on_block(const chain::ProvenBlock& block) override { events.push_back({block, {}}); }
    void on_undo(const chain::BlockRef& fork) override { events.push_back({{}, fork}); }
    void on_unconfirmed(const chain::Transaction&, std::int64_t) override {}
    std::uint32_t reach(KeyChain) override { return kGapLimit; }
};

/// Carries out events, and stores the number of those done as the sync checkpoint; it is `before`
/// at first.
void carry_out(Wallet& wallet, std::span<const Script::Event> events, std::size_t before) {
    for (const Script::Event& event : events) {
        const std::size_t done = ++before;
        const chain::Bytes note{static_cast<chain::Byte>(done),
                                static_cast<chain::Byte>(done >> 8)};
        if (event.block) {
            auto synced = wallet.sync_state().synced;
            if (!synced || synced->height < event.block->block.height) synced = event.block->block;
            ASSERT_FALSE(wallet.apply({&*event.block, 1}, {synced, note}).grew);
        } else {
            wallet.undo_to(event.fork);
            wallet.apply({}, {wallet.sync_state().synced, note});
        }
    }
}

std::size_t events_done(const Wallet& wallet) {
    const auto checkpoint = wallet.sync_state().sync_checkpoint;
    return checkpoint.empty() ? 0 : checkpoint[0] + checkpoint[1] * std::size_t{256};
}

class WalletKills : public WalletProperty {
protected:
    /// Carries out events in a process of its own, which is killed this many microseconds after it
    /// has begun.
    void carry_out_and_be_killed(const std::vector<Script::Event>& events, std::size_t done,
                                 std::uint64_t after) {
        const test::ChildProcess child([&](const auto& begun) {
            auto its_own = Wallet::open(file, test::regtest_params(), Access::sync);
            begun();
            carry_out(its_own, std::span(events).subspan(done), done);
        });
        ::usleep(static_cast<useconds_t>(after));
    }

    /// Carries out all events in processes that are killed, and compares the wallet after each kill
    /// with one that was not interrupted. Returns how many processes were killed between two
    /// events.
    std::size_t kill_until_done(const std::vector<Script::Event>& events, std::uint64_t seed) {
        const auto reference_file = folder.path() / ("reference" + std::to_string(seed));
        std::filesystem::copy_file(folder.path() / "new", reference_file);
        auto reference = Wallet::open(reference_file, test::regtest_params(), Access::sync);
        start();
        std::mt19937_64 random(seed);
        std::size_t kills_in_between = 0;
        for (std::size_t done = 0; done < events.size() && !HasFailure();) {
            wallet.reset();
            carry_out_and_be_killed(events, done, 200 + random() % 8'000);
            open();
            const std::size_t now = events_done(*wallet);
            if (now < done) {
                ADD_FAILURE() << "event " << done << " is forgotten";
                break;
            }
            kills_in_between += now != done && now != events.size() ? 1U : 0U;
            carry_out(reference, {events.data() + done, now - done}, done);
            done = now;
            if (wallet->sync_state().synced != reference.sync_state().synced) {
                // The process was killed after undoing blocks and before storing the number.
                EXPECT_FALSE(events.at(done).block);
                reference.undo_to(events.at(done).fork);
            }
            test::expect_equal(test::all_of(*wallet), test::all_of(reference));
        }
        return kills_in_between;
    }
};

TEST_F(WalletKills, LeaveAValidStateAtAnyMoment) {
    Script script;
    test::RandomHistory history(test::random_choice(11), script,
                                [this](KeyPath path) { return scripts_[path]; });
    while (script.events.size() < 600) history.step();

    // How far a process gets before it is killed depends on the machine. On a busy machine, one
    // process may carry out all events.
    std::size_t kills_in_between = 0;
    for (std::uint64_t run = 0; run < 20 && kills_in_between < 10; ++run) {
        kills_in_between += kill_until_done(script.events, run);
        ASSERT_FALSE(HasFailure()) << "in run " << run;
    }
    EXPECT_GT(kills_in_between, 0U);
}

}  // namespace
}  // namespace petal::wallet
