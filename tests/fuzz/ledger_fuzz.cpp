/// The ledger of a wallet, with its tables. The input chooses blocks, reorganisations, unconfirmed
/// transactions in any order, replacements, broadcasts, expiry, abandoned transactions, rescans,
/// imports and restarts. The ledger must give the answers of the naive one, and each of its indexes
/// must contain what a search of all transactions finds.
#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "chain/byte_reader.h"
#include "tests/support/both_ledgers.h"
#include "tests/support/random_history.h"
#include "wallet/ledger/ledger_view.h"

namespace {

using namespace petal;

/// The naive ledger takes time with the cube of the number of transactions.
constexpr std::size_t kMaxHistoryBytes = 512;

using InSeenOrder = std::map<std::uint64_t, const wallet::LedgerTransaction*>;
using KnownSpends = std::map<chain::Outpoint, std::set<const wallet::LedgerTransaction*>>;

/// Runs one history.
class LedgerRun {
public:
    explicit LedgerRun(chain::ByteReader input)
        : input_(input),
          both_({.watched = 3, .imports_change = choose(2) == 1}),
          history_([this](std::uint32_t below) { return choose(below); }, both_,
                   [](wallet::KeyPath path) {
                       return test::own_script(
                           path.index, static_cast<wallet::KeyChain>(path.descriptor.value));
                   }) {
        both_.follow(history_.chain());
    }

    void play() {
        while (input_.ok() && input_.remaining() > 0) step();
        check();
    }

private:
    std::uint32_t choose(std::uint32_t below) {
        return (below > 256 ? input_.read_u16() : input_.read_u8()) % below;
    }

    void step() {
        switch (choose(20)) {
            case 0:
                return both_.forget_one(choose(256));
            case 1:
                return both_.expire(choose(256));
            case 2:
                return both_.rescan(choose(2) == 1 ? test::BothLedgers::Rescan::forget
                                                   : test::BothLedgers::Rescan::keep);
            case 3:
                return both_.search(choose(16));
            case 4:
                return both_.watch_more(1);
            case 5:
                return both_.import_change(choose(256));
            case 6:
                assert(both_.restart());
                return check();
            case 7:
                both_.forget_undone();
                return check();
            case 8:
            case 9:
            case 10:
                both_.broadcast_next();
                return history_.step();
            default:
                return history_.step();
        }
    }

    void check() const {
        check_answers();
        check_entries();
        check_transactions();
        check_spends();
        check_blocks();
    }

    void check_answers() const {
        const wallet::LedgerView view(both_.ledger());
        const test::NaiveLedger& naive = both_.naive();
        const wallet::Balance balance = view.balance();
        const auto coins = view.coins();
        assert(both_.ledger().synced() == naive.synced());
        assert(balance == naive.balance());
        assert(coins == naive.coins());
        assert(view.history(0) == naive.history());
        for (const std::uint32_t confirmations : {0U, 1U, 6U}) {
            assert(view.received(confirmations) == naive.received(confirmations));
        }
        assert(view.watched_outpoints() == naive.watched_outpoints());
        chain::Satoshis sum = 0;
        for (const wallet::Coin& coin : coins) sum += coin.value;
        assert(sum == balance.total());
    }

    void check_entries() const {
        const wallet::LedgerView view(both_.ledger());
        const auto history = view.history(0);
        const auto latest = view.history(3);
        assert(latest.size() == std::min<std::size_t>(history.size(), 3));
        assert(std::equal(latest.begin(), latest.end(), history.begin()));
        std::map<std::uint64_t, wallet::HistoryEntry> own;  // by the order last seen
        for (const wallet::HistoryEntry& entry : history) {
            assert(view.entry(entry.txid) == entry);
            if (entry.height || entry.undone || entry.sent == 0) continue;
            own.emplace(both_.ledger().find(entry.txid)->seen_order, entry);
        }
        const auto same = [](const wallet::HistoryEntry& entry, const auto& expected) {
            return entry == expected.second;
        };
        const auto shown = view.own_unconfirmed();
        assert(std::equal(shown.begin(), shown.end(), own.begin(), own.end(), same));
    }

    void check_transactions() const {
        const wallet::Ledger& ledger = both_.ledger();
        InSeenOrder unconfirmed;
        InSeenOrder undone;
        std::set<std::uint64_t> orders;
        wallet::LedgerIndexes::Load load;
        for (const wallet::LedgerTransaction& each : ledger.transactions()) {
            assert(ledger.find(each.txid) == &each);
            assert(orders.insert(each.seen_order).second);
            for (const wallet::Credit& credit : each.credits) {
                assert(ledger.credit({each.txid, credit.index}) == &credit);
            }
            if (each.is_undone()) undone.emplace(each.seen_order, &each);
            if (each.placement || each.is_undone()) continue;
            unconfirmed.emplace(each.seen_order, &each);
            if (each.announced) continue;
            ++load.count;
            load.bytes += each.stored_bytes;
        }
        assert(ledger.unconfirmed() == unconfirmed);
        assert(ledger.undone() == undone);
        assert(ledger.indexes().load().count == load.count);
        assert(ledger.indexes().load().bytes == load.bytes);
    }

    void check_spends() const {
        const wallet::SpendIndex& index = both_.ledger().spends();
        KnownSpends confirmed;
        KnownSpends unconfirmed;
        std::map<chain::Txid, std::set<const wallet::LedgerTransaction*>> children;
        for (const wallet::LedgerTransaction& each : both_.ledger().transactions()) {
            if (each.is_undone()) continue;
            for (const chain::Outpoint& input : each.inputs) {
                (each.placement ? confirmed : unconfirmed)[input].insert(&each);
                if (!each.placement) children[input.txid].insert(&each);
            }
        }
        const auto as_set = [](const wallet::SpendIndex::Transactions& list) {
            std::set<const wallet::LedgerTransaction*> set(list.begin(), list.end());
            assert(set.size() == list.size());
            return set;
        };
        for (const wallet::LedgerTransaction& each : both_.ledger().transactions()) {
            assert(as_set(index.unconfirmed_children(each.txid)) == children[each.txid]);
            for (const chain::Outpoint& input : each.inputs) {
                assert(as_set(index.unconfirmed_spenders(input)) == unconfirmed[input]);
                assert(confirmed[input].size() <= 1);
                const auto* spender = index.confirmed_spender(input);
                assert(confirmed[input].contains(spender) == (spender != nullptr));
                assert(confirmed[input].empty() == (spender == nullptr));
            }
        }
        check_contenders(unconfirmed, confirmed);
    }

    void check_contenders(KnownSpends& unconfirmed, KnownSpends& confirmed) const {
        InSeenOrder expected;
        std::set<chain::Txid> txids;
        for (bool changed = true; changed;) {
            changed = false;
            for (const auto& [order, each] : both_.ledger().unconfirmed()) {
                const bool is_one = each->is_orphaned() ||
                                    std::ranges::any_of(each->inputs, [&](const auto& input) {
                                        return txids.contains(input.txid) ||
                                               unconfirmed[input].size() > 1 ||
                                               !confirmed[input].empty();
                                    });
                if (!is_one || !txids.insert(each->txid).second) continue;
                expected.emplace(order, each);
                changed = true;
            }
        }
        const auto same = [](const wallet::LedgerTransaction* one, const auto& other) {
            return one == other.second;
        };
        const auto found = both_.ledger().spends().contenders();
        assert(std::equal(found.begin(), found.end(), expected.begin(), expected.end(), same));
    }

    void check_blocks() const {
        const wallet::LedgerBlocks& blocks = both_.ledger().blocks();
        std::set<std::uint32_t> heights;
        for (const wallet::LedgerTransaction& each : both_.ledger().transactions()) {
            if (each.placement) heights.insert(each.placement->height);
        }
        std::vector<chain::BlockRef> expected;
        for (const std::uint32_t height : heights) {
            expected.push_back(history_.chain().at(height).block);
            assert(blocks.last_below(height + 1) == expected.back());
        }
        assert(blocks.above(0) == expected);
    }

    chain::ByteReader input_;
    test::BothLedgers both_;
    test::RandomHistory history_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    LedgerRun(chain::ByteReader{{data, std::min(size, kMaxHistoryBytes)}}).play();
    return 0;
}
