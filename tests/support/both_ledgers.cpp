#include "tests/support/both_ledgers.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "wallet/ledger/expiry.h"

namespace petal::test {

using chain::BlockRef;
using chain::Transaction;

BothLedgers::BothLedgers(Owner owner)
    : watched_(owner.watched),
      is_change_owned_(!owner.imports_change),
      told_(owner.told),
      stored_([this](const Transaction& transaction) {
          auto credits = credits_in(transaction);
          std::erase_if(credits, [&](const wallet::Credit& credit) {
              return !owner_of(transaction.outputs[credit.index].script_pubkey);
          });
          return credits;
      }),
      naive_([this](chain::ByteView script) { return owner_of(script); }) {
    if (is_change_owned_) return;
    stored_.set_first_imported(wallet::KeyChain::change);
    naive_.set_first_imported(wallet::KeyChain::change);
}

std::optional<wallet::KeyPath> BothLedgers::owner_of(chain::ByteView script) const {
    const auto path = test::owner_of(script);
    if (!path || path->index >= watched_) return std::nullopt;
    if (path->descriptor == wallet::KeyChain::change && !is_change_owned_) return std::nullopt;
    return path;
}

void BothLedgers::on_block(const chain::ProvenBlock& block) {
    // A sync searches the blocks in order.
    search_below(block.block.height);
    take(block);
}

void BothLedgers::search(std::uint32_t count) {
    const std::uint32_t first = next_height();
    search_below(std::min(first + count, chain_ == nullptr ? first : chain_->next_height()));
}

void BothLedgers::search_below(std::uint32_t end) {
    if (chain_ == nullptr) return;
    for (std::uint32_t height = next_height(); height < end; ++height) take(chain_->at(height));
}

void BothLedgers::take(const chain::ProvenBlock& block) {
    bool is_relevant = false;
    for (const auto& proven : block.transactions) is_relevant |= stored_.confirm(proven, block);
    if (is_relevant) adopt_orphans();
    if (!ledger().synced() || ledger().synced()->height < block.block.height) {
        stored_.set_synced(block.block);
    }
    if (!is_hostile_) naive_.block(block);
}

void BothLedgers::on_undo(const BlockRef& fork) {
    stored_.undo_to(fork.height);
    lower_synced(fork);
    if (!is_hostile_) naive_.undo_to(fork);
}

void BothLedgers::begin_hostile_branch() {
    if (told_ == Told::everything) return;
    // Forgets orphans: an orphan that spends a made-up block's payment would stay in the ledger.
    static_cast<void>(restart());
    is_hostile_ = true;
}

void BothLedgers::end_hostile_branch() {
    is_hostile_ = false;
}

bool BothLedgers::may_repeat(const chain::Txid& txid) const {
    return told_ == Told::everything || ledger().find(txid) != nullptr;
}

void BothLedgers::lower_synced(const std::optional<BlockRef>& to) {
    const auto& synced = ledger().synced();
    if (synced && (!to || to->height < synced->height)) stored_.set_synced(to);
}

void BothLedgers::on_unconfirmed(const Transaction& transaction, std::int64_t time) {
    const bool is_broadcast = std::exchange(is_next_broadcast_, false);
    if (stored_.recognises(transaction)) {
        stored_.see(transaction, time,
                    is_broadcast ? StoredLedger::Source::user : StoredLedger::Source::peer);
    } else {
        orphans_.add({transaction.txid(), transaction, time});
    }
    adopt_orphans();
    if (is_broadcast) {
        naive_.broadcast(transaction, time);
    } else {
        naive_.unconfirmed(transaction, time);
    }
}

void BothLedgers::adopt_orphans() {
    const auto is_wanted = [this](const wallet::OrphanPool::Orphan& orphan) {
        return stored_.recognises(orphan.transaction);
    };
    while (const auto orphan = orphans_.take_first(is_wanted)) {
        stored_.see(orphan->transaction, orphan->seen_time, StoredLedger::Source::peer);
    }
}

namespace {

/// Null if there is no unconfirmed transaction.
const wallet::LedgerTransaction* unconfirmed_of_choice(const wallet::Ledger& ledger,
                                                       std::uint64_t number) {
    const auto& unconfirmed = ledger.unconfirmed();
    if (unconfirmed.empty()) return nullptr;
    const auto place = static_cast<std::ptrdiff_t>(number % unconfirmed.size());
    return std::next(unconfirmed.begin(), place)->second;
}

}  // namespace

void BothLedgers::prefer_one(std::uint64_t number) {
    const auto* const chosen = unconfirmed_of_choice(ledger(), number);
    if (chosen == nullptr || chosen->is_coinbase()) return;
    const chain::Txid txid = chosen->txid;
    stored_.set_sources(txid, {{number | 1, 1}, {number | 1, 2}});
    stored_.prefer(txid);
    naive_.prefer(txid);
}

void BothLedgers::forget_one(std::uint64_t number) {
    const auto* const chosen = unconfirmed_of_choice(ledger(), number);
    if (chosen == nullptr) return;
    const chain::Txid txid = chosen->txid;
    stored_.forget(wallet::with_descendants(ledger(), txid));
    naive_.forget(txid);
}

void BothLedgers::expire(std::uint64_t number) {
    const auto* const chosen = unconfirmed_of_choice(ledger(), number);
    if (chosen == nullptr) return;
    const std::int64_t time = chosen->seen_time;
    stored_.forget(wallet::unconfirmed_since(ledger(), time));
    naive_.expire(time);
}

void BothLedgers::rescan(Rescan rescan) {
    const auto forgotten = wallet::not_needed_by_announced(ledger());
    if (rescan == Rescan::keep) {
        stored_.search_again_above(0);
        lower_synced(std::nullopt);
        return naive_.search_again_above(std::nullopt);
    }
    stored_.undo_blocks_above(0);
    lower_synced(std::nullopt);
    stored_.forget(forgotten);
    orphans_ = {};
    naive_.forget_blocks();
}

void BothLedgers::watch_more(std::uint32_t count) {
    watched_ += count;
    const auto first_paid = stored_.renew_credits();
    if (!first_paid) return;
    const auto before = ledger().blocks().last_below(*first_paid);
    stored_.search_again_above(before ? before->height : 0);
    lower_synced(before);
    naive_.search_again_above(before);
}

void BothLedgers::import_change(std::uint32_t kept) {
    if (is_change_owned_ || chain_ == nullptr) return;
    is_change_owned_ = true;
    stored_.renew_credits();
    std::optional<BlockRef> block;
    if (kept > 0 && kept < chain_->next_height()) block = chain_->at(kept).block;
    lower_synced(block);
    naive_.set_synced(ledger().synced());
}

void BothLedgers::forget_undone() {
    stored_.forget(wallet::left_by_undone_blocks(ledger()));
    naive_.forget_undone();
}

bool BothLedgers::restart() {
    const auto records = [this] {
        std::vector<wallet::LedgerTransaction> all(ledger().transactions().begin(),
                                                   ledger().transactions().end());
        std::ranges::sort(all, {}, &wallet::LedgerTransaction::seen_order);
        return all;
    };
    const auto before = records();
    stored_.reload();
    orphans_ = {};
    naive_.forget_orphans();
    return records() == before;
}

}  // namespace petal::test
