// Compares the ledger with the naive one over hundreds of random histories.
#include <gtest/gtest.h>

#include "tests/support/naive_ledger.h"
#include "tests/support/random_history.h"
#include "tests/wallet/ledger/ledger_scene.h"
#include "tests/wallet/ledger/print_records.h"
#include "wallet/ledger/expiry.h"
#include "wallet/ledger/ledger.h"
#include "wallet/ledger/ledger_view.h"

namespace petal::wallet {
namespace {

/// Passes the same events to both ledgers.
class BothLedgers : public test::HistoryListener {
public:
    BothLedgers() : naive_(test::owner_of, /*remember_orphans=*/false) {}

    void on_block(const chain::ProvenBlock& block) override {
        for (const auto& proven : block.transactions) {
            if (auto entry = recognise(proven.transaction, block.header.time)) {
                ledger_.confirm(*entry, {block.block, block.header.time}, proven.position);
            }
        }
        if (!ledger_.synced() || ledger_.synced()->height < block.block.height) {
            ledger_.set_synced(block.block);
        }
        naive_.block(block);
    }

    void on_undo(const chain::BlockRef& fork) override {
        ledger_.undo_to(fork.height);
        ledger_.set_synced(fork);
        naive_.undo_to(fork);
    }

    void on_unconfirmed(const chain::Transaction& transaction, std::int64_t time) override {
        if (auto entry = recognise(transaction, time)) ledger_.see(*entry);
        naive_.unconfirmed(transaction, time);
    }

    std::uint32_t reach(KeyChain) override { return 5; }

    /// Forgets one of the unconfirmed transactions, chosen by `number`, and its descendants.
    void forget_one(std::uint64_t number) {
        auto history = LedgerView(ledger_).history(0);
        std::erase_if(history, [](const HistoryEntry& entry) { return entry.height.has_value(); });
        if (history.empty()) return;
        const chain::Txid txid = history[number % history.size()].txid;
        for (const chain::Txid& each : with_descendants(ledger_, txid)) ledger_.forget(each);
        naive_.forget(txid);
    }

    void compare() const {
        const LedgerView view(ledger_);
        EXPECT_EQ(view.balance(), naive_.balance());
        EXPECT_EQ(view.coins(), naive_.coins());
        EXPECT_EQ(view.history(0), naive_.history());
        EXPECT_EQ(view.received(), naive_.received());
        EXPECT_TRUE(view.watched_outpoints() == naive_.watched_outpoints());
    }

    std::size_t conflicts() const {
        std::size_t count = 0;
        for (const auto& entry : LedgerView(ledger_).history(0))
            count += entry.replaced_by ? 1U : 0U;
        return count;
    }

private:
    std::optional<LedgerTransaction> recognise(const chain::Transaction& transaction,
                                               std::int64_t time) const {
        auto credits = test::credits_in(transaction);
        if (credits.empty() && !ledger_.touches(transaction)) return std::nullopt;
        auto entry = summarize(transaction, transaction.txid(), std::move(credits));
        entry->seen_time = time;
        return entry;
    }

    Ledger ledger_;
    test::NaiveLedger naive_;
};

TEST(LedgerProperty, AgreesWithTheNaiveLedger) {
    std::size_t conflicts = 0;
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        BothLedgers both;
        test::RandomHistory history(test::random_choice(seed), both, [](KeyPath path) {
            return test::own_script(path.index, static_cast<KeyChain>(path.descriptor.value));
        });
        for (int step = 0; step < 60; ++step) {
            history.step();
            if (step % 20 == 15) both.forget_one(seed);
            if (step % 12 == 11) both.compare();
            if (testing::Test::HasFailure()) FAIL() << "at step " << step;
        }
        conflicts += both.conflicts();
    }
    EXPECT_GT(conflicts, 300U) << "the histories have too few conflicts to test anything";
}

}  // namespace
}  // namespace petal::wallet
