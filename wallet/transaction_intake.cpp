#include "wallet/transaction_intake.h"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "chain/transaction_rules.h"
#include "wallet/ledger/conflicts.h"
#include "wallet/ledger/expiry.h"

namespace petal::wallet {

namespace {

/// Whether a further transaction of this size is within the limits.
bool has_room_for(const LedgerIndexes::Load& load, std::size_t bytes) {
    return load.count < kMaxUnconfirmed && load.bytes + bytes <= kMaxUnconfirmedBytes;
}

/// The time at which an unconfirmed transaction counts as seen: `time`, unless a block time of
/// `chain_time` shows that the machine's clock is two weeks behind. The transaction would then
/// expire with the next block, so it counts as seen at `chain_time`.
std::int64_t plausible_seen_time(std::int64_t time, std::int64_t chain_time) {
    return time <= chain_time - chain::kUnconfirmedLifetime ? chain_time : time;
}

/// An address that was once shown as paid must not be handed out again.
void keep_addresses_used(WalletStore& store, WalletState& current, const chain::Txid& txid) {
    for (const Credit& credit : current.ledger().find(txid)->credits) {
        const auto [descriptor, index] = credit.path;
        if (index >= store.watched().handed_out(descriptor)) current.hand_out(store, credit.path);
        if (store.watched().current_address(descriptor) == index) {
            store.watched().set_current_address(descriptor, std::nullopt);
        }
    }
}

std::vector<chain::Outpoint> prevouts_of(const chain::Transaction& transaction) {
    std::vector<chain::Outpoint> prevouts;
    for (const chain::TxInput& input : transaction.inputs) prevouts.push_back(input.prevout);
    return prevouts;
}

chain::Transaction read_transaction(const WalletStore& store, const chain::Bytes& raw) {
    auto transaction = chain::decode_transaction(raw);
    if (!transaction) throw store.damaged("bad transaction");
    return *std::move(transaction);
}

/// The transactions that spend these outputs: all unconfirmed transactions, and confirmed
/// transactions that are `shown`.
std::vector<chain::Txid> spenders_of(const Ledger& ledger, const chain::Txid& txid,
                                     std::span<const Credit> credits) {
    std::vector<chain::Txid> spenders;
    for (const Credit& credit : credits) {
        const chain::Outpoint outpoint{txid, credit.index};
        for (const auto* spender : ledger.spends().unconfirmed_spenders(outpoint)) {
            spenders.push_back(spender->txid);
        }
        const LedgerTransaction* const confirmed = ledger.spends().confirmed_spender(outpoint);
        if (confirmed != nullptr && confirmed->shown) spenders.push_back(confirmed->txid);
    }
    return spenders;
}

/// An unconfirmed transaction, with witnesses if they are known.
chain::Transaction stored_with_witness(WalletStore& store, const chain::Txid& txid) {
    const auto announced = store.announced().find(txid);
    return read_transaction(store, announced ? *announced : store.transactions().raw(txid));
}

/// Adds sources to a known unconfirmed transaction.
void add_sources(WalletStore& store, WalletState& current, const chain::PresentSources& now) {
    const LedgerTransaction& known = *current.ledger().find(now.txid);
    auto all = with_sources(known.evidence.sources, now.sources);
    if (all == known.evidence.sources) return;
    store.transactions().update(*current.ledger().set_sources(now.txid, std::move(all)));
}

}  // namespace

std::optional<chain::BlockRef> block_before(const chain::ProvenBlock& block) {
    if (block.block.height == 0) return std::nullopt;
    return chain::BlockRef{block.block.height - 1, block.header.previous};
}

std::vector<std::optional<KnownOutput>> known_outputs_spent(const WalletState& current,
                                                            WalletStore& store,
                                                            const chain::Transaction& transaction) {
    std::vector<std::optional<KnownOutput>> spent;
    // A transaction may spend many outputs of a large parent, so parents are parsed once.
    std::map<chain::Txid, chain::Transaction> read;
    for (const auto& [txid, index] : prevouts_of(transaction)) {
        auto& known = spent.emplace_back();
        if (const Credit* credit = current.ledger().credit({txid, index})) {
            known = {chain::TxOutput{credit->value, current.ring().script_at(credit->path)}, true};
            continue;
        }
        if (current.ledger().find(txid) == nullptr) continue;
        auto parent = read.find(txid);
        if (parent == read.end()) {
            const chain::Bytes raw = store.transactions().raw(txid);
            parent = read.emplace(txid, read_transaction(store, raw)).first;
        }
        known.emplace();
        const auto& outputs = parent->second.outputs;
        if (index < outputs.size()) known->output = outputs[index];
    }
    return spent;
}

bool is_known_child(const WalletState& current, WalletStore& store, const chain::Txid& child,
                    const chain::Txid& parent) {
    const Ledger& ledger = current.ledger();
    const LedgerTransaction& known = *ledger.find(child);
    const bool spends_own = std::ranges::any_of(known.inputs, [&](const chain::Outpoint& input) {
        return input.txid == parent && ledger.credit(input) != nullptr;
    });
    if (known.shown && spends_own) return true;
    const chain::Transaction transaction = stored_with_witness(store, child);
    return is_verified_child(transaction, known_outputs_spent(current, store, transaction), parent);
}

void forget(WalletStore& store, WalletState& current, std::span<const chain::Txid> txids) {
    for (const chain::Txid& txid : txids) {
        keep_addresses_used(store, current, txid);
        current.ledger().forget(txid);
        store.transactions().remove(txid);
    }
}

void forget_undone(WalletStore& store, WalletState& current) {
    forget(store, current, left_by_undone_blocks(current.ledger()));
}

void forget_orphaned_coinbases(WalletStore& store, WalletState& current) {
    std::vector<chain::Txid> txids = left_by_undone_blocks(current.ledger());
    std::erase_if(txids, [&](const chain::Txid& txid) {
        return !current.ledger().find(txid)->is_coinbase();
    });
    forget(store, current, txids);
}

void take_sources(WalletStore& store, WalletState& current,
                  std::span<const chain::PresentSources> sources) {
    SourcesNow now;
    for (const chain::PresentSources& each : sources) {
        const LedgerTransaction* const known = current.ledger().find(each.txid);
        if (known == nullptr || known->placement || known->is_undone()) continue;
        add_sources(store, current, each);
        if (current.ledger().spends().is_contested(*known)) now.emplace(each.txid, each.sources);
    }
    if (now.empty()) return;
    Ledger& ledger = current.ledger();
    Conflicts conflicts = find_conflicts(ledger);
    // The transaction that most nodes show comes last, so that it counts in the end.
    for (const chain::Txid& txid : least_shown_first(now)) {
        if (!is_preferred(ledger, *ledger.find(txid), conflicts, now)) continue;
        store.transactions().update(*ledger.see(txid));
        conflicts = find_conflicts(ledger);
    }
}

void mark_shown(WalletStore& store, WalletState& current, const chain::Txid& txid) {
    std::vector<chain::Txid> family{txid};
    std::set<chain::Txid> found{txid};
    for (std::size_t i = 0; i < family.size(); ++i) {
        const LedgerTransaction* const known = current.ledger().find(family[i]);
        if (known == nullptr || known->placement) continue;
        add_sources(store, current, {family[i], {chain::TxSource{}}});
        for (const chain::Outpoint& input : known->inputs) {
            if (found.insert(input.txid).second) family.push_back(input.txid);
        }
    }
}

void TransactionIntake::start_from(const Ledger& ledger) {
    chain_time_ = ledger.blocks().last_time().value_or(0);
}

bool TransactionIntake::confirm(WalletState& current, const chain::ProvenTransaction& proven,
                                const chain::ProvenBlock& block,
                                std::vector<chain::InvalidBlock>& invalid_blocks) {
    auto entry = current.recognise(proven.transaction, proven.txid);
    if (!entry) return false;
    assert(proven.transaction.txid() == proven.txid);
    // Without witnesses, which no merkle proof covers and a peer can fabricate.
    const chain::Bytes raw = proven.transaction.serialize_without_witness();
    entry->stored_bytes = raw.size();
    const bool known = current.ledger().find(proven.txid) != nullptr;
    const LedgerBlock ledger_block{block.block, block.header.time};
    const auto confirmed =
        current.ledger().confirm(std::move(*entry), ledger_block, proven.position);
    invalid_blocks.insert(invalid_blocks.end(), confirmed.invalid_blocks.begin(),
                          confirmed.invalid_blocks.end());
    if (confirmed.record != nullptr) {
        store_displaced(current, confirmed.displaced);
        store_.transactions().put_block(ledger_block);
        if (known) {
            store_.transactions().update(*confirmed.record, raw);
        } else {
            add(current, *confirmed.record, proven.transaction, raw);
        }
        if (confirmed.any_left_block) store_.transactions().drop_empty_blocks();
    }
    // Stored even if the placement is known: an early version stored no proof, and the search for a
    // rescan replaces a damaged proof.
    const Placement placement{block.block.height, proven.position};
    const LedgerTransaction* const record = current.ledger().find(proven.txid);
    if (record != nullptr && record->placement == placement) {
        store_.merkle_proofs().put(proven.txid, {block.transaction_count, proven.branch});
    }
    return true;
}

/// Stores transactions that lost their place. Removes a transaction that is undone now.
void TransactionIntake::store_displaced(WalletState& current, std::span<const chain::Txid> txids) {
    for (const chain::Txid& txid : txids) {
        const LedgerTransaction& displaced = *current.ledger().find(txid);
        store_.transactions().update(displaced);
        if (displaced.is_undone()) forget(store_, current, {&txid, 1});
    }
}

void TransactionIntake::see(WalletState& current, LedgerTransaction entry,
                            const chain::UnconfirmedTransaction& seen, Source source) {
    // With witnesses, because the transaction may later turn out to spend further coins of the
    // wallet.
    const chain::Bytes raw = seen.transaction.serialize();
    entry.stored_bytes = raw.size();
    entry.seen_time = plausible_seen_time(seen.time, chain_time_);
    entry.evidence.is_claim = source == Source::peer && !is_own_spend(current.ledger(), entry);
    if (!may_see(current, entry, seen.transaction)) return;
    const LedgerTransaction* const known = current.ledger().find(entry.txid);
    const bool is_new = known == nullptr;
    const bool is_first_sight = known != nullptr && !known->shown;
    if (!is_new && !is_first_sight) restore_witness(current, *known, seen.transaction);
    const auto* changed = current.ledger().see(std::move(entry));
    if (changed == nullptr) return;
    if (is_new) {
        add(current, *changed, seen.transaction, raw);
    } else if (is_first_sight) {
        store_.transactions().update(*changed, raw);
    } else {
        store_.transactions().update(*changed);
    }
}

/// Stores witnesses again. A block that has since left the chain may have replaced the transaction
/// by its form without witnesses.
void TransactionIntake::restore_witness(WalletState& current, const LedgerTransaction& known,
                                        const chain::Transaction& transaction) {
    const bool is_bare = known.stored_bytes == transaction.serialize_without_witness().size();
    if (known.placement || !is_bare || !transaction.has_witness()) return;
    const chain::Bytes raw = transaction.serialize();
    current.ledger().set_stored_bytes(known.txid, raw.size());
    store_.transactions().update(known, raw);
}

bool TransactionIntake::may_see(const WalletState& current, const LedgerTransaction& entry,
                                const chain::Transaction& transaction) const {
    const Ledger& ledger = current.ledger();
    const LedgerTransaction* const known = ledger.find(entry.txid);
    const bool needs_room = known == nullptr || known->is_undone();
    if (!entry.announced && needs_room &&
        !has_room_for(ledger.indexes().load(), entry.stored_bytes)) {
        return false;
    }
    return !is_refused(current, transaction);
}

bool TransactionIntake::is_refused(const WalletState& current,
                                   const chain::Transaction& transaction) const {
    const auto spent = known_outputs_spent(current, store_, transaction);
    return find_refused_spend(transaction, spent).has_value();
}

/// Stores a record that was added to the ledger.
void TransactionIntake::add(WalletState& current, const LedgerTransaction& added,
                            const chain::Transaction& transaction, const chain::Bytes& raw) {
    current.remember_foreign_outputs(transaction, added.credits);
    store_.transactions().add({added.txid,
                               raw,
                               added.seen_time,
                               added.seen_order,
                               added.placement,
                               added.shown,
                               {},
                               added.evidence});
    current.mark_used(added.credits);
    auto spends = spenders_of(current.ledger(), added.txid, added.credits);
    for (const auto* child : current.ledger().spends().unconfirmed_children(added.txid)) {
        spends.push_back(child->txid);
    }
    forget_invalid(current, spends);
}

/// Unconfirmed transactions may have arrived before the outputs that they spend were known, and so
/// were never verified. A transaction that may_see() would refuse now is removed, so that the order
/// of arrival does not matter. Otherwise a coin would count as spent for two weeks because of an
/// unverified transaction. A block or a peer can deliver a valid spend again.
///
/// A confirmed spend is marked as not `shown`, so that it does not spend the coin if its block is
/// undone.
void TransactionIntake::forget_invalid(WalletState& current,
                                       const std::vector<chain::Txid>& spends) {
    for (const chain::Txid& spend : spends) {
        const LedgerTransaction* const known = current.ledger().find(spend);
        if (known == nullptr) continue;  // already removed as a descendant
        if (!is_refused(current, stored_with_witness(store_, spend))) continue;
        if (known->placement) {
            set_shown(current, spend, false);
        } else {
            forget(store_, current, with_descendants(current.ledger(), spend));
        }
    }
}

void TransactionIntake::set_shown(WalletState& current, const chain::Txid& txid, bool is_shown) {
    current.ledger().set_shown(txid, is_shown);
    store_.transactions().update(*current.ledger().find(txid));
    if (!is_shown) store_.announced().remove(txid);
}

void TransactionIntake::take_block(WalletState& current, const chain::ProvenBlock& block,
                                   chain::ApplyResult& result) {
    // A known block above synced(), e.g. the block that made the list grow, may have been replaced
    // by a reorganisation unnoticed.
    if (current.ledger().blocks().contradict(block.block)) {
        undo_above(current, block_before(block));
    }
    chain_time_ = std::max<std::int64_t>(chain_time_, block.header.time);
    std::size_t relevant = 0;
    for (const chain::ProvenTransaction& proven : block.transactions) {
        if (confirm(current, proven, block, result.invalid_blocks)) ++relevant;
    }
    if (relevant != 0) adopt_orphans(current);
    result.relevant += relevant;
}

void TransactionIntake::undo_above(WalletState& current,
                                   const std::optional<chain::BlockRef>& fork) {
    undo_blocks_above(current, fork);
    forget_orphaned_coinbases(store_, current);
}

void TransactionIntake::undo_blocks_above(WalletState& current,
                                          const std::optional<chain::BlockRef>& fork) {
    const std::uint32_t height = fork ? fork->height : 0;
    current.ledger().undo_to(height);
    store_.transactions().undo_to(height);
    start_from(current.ledger());
    lower_synced(current, fork);
}

// A merkle proof stays valid while its block is on the chain, whatever a later search finds. So a
// peer that leaves matches out cannot make the wallet forget a transaction.
void TransactionIntake::search_again_above(WalletState& current,
                                           const std::optional<chain::BlockRef>& before) {
    const std::uint32_t height = before ? before->height : 0;
    current.ledger().search_again_above(height);
    store_.transactions().search_again_above(height);
    lower_synced(current, before);
}

void TransactionIntake::set_synced(WalletState& current, const std::optional<chain::BlockRef>& to) {
    if (current.ledger().set_synced(to)) store_.transactions().set_synced(to.value().height);
}

void TransactionIntake::take_unconfirmed(WalletState& current,
                                         const chain::UnconfirmedTransaction& unconfirmed,
                                         Source source) {
    const auto& [txid, transaction, time] = unconfirmed;
    if (source == Source::peer && transaction.weight() > chain::kMaxRelayedWeight) return;
    auto entry = current.recognise(transaction, txid);
    if (!entry) {
        orphans_.add({txid, transaction, time});
        return;
    }
    entry->announced = source == Source::user && is_own_spend(current.ledger(), transaction);
    see(current, std::move(*entry), unconfirmed, source);
}

void TransactionIntake::expire_unconfirmed(WalletState& current) {
    forget(store_, current,
           unconfirmed_since(current.ledger(), chain_time_ - chain::kUnconfirmedLifetime));
}

void TransactionIntake::forget_blocks(WalletState& current) {
    // Determined before the blocks are undone, after which all transactions are unconfirmed.
    const std::vector<chain::Txid> forgotten = not_needed_by_announced(current.ledger());
    undo_blocks_above(current, std::nullopt);
    forget(store_, current, forgotten);
    orphans_ = {};
}

bool TransactionIntake::take_own(WalletState& current, const chain::Transaction& transaction,
                                 std::int64_t time) {
    const chain::Txid txid = transaction.txid();
    take_unconfirmed(current, {txid, transaction, time}, Source::user);
    adopt_orphans(current);
    store_new_scripts(current);
    const LedgerTransaction* const known = current.ledger().find(txid);
    if (known == nullptr || !is_own_spend(current.ledger(), *known)) return false;
    if (!known->shown) {
        if (!known->placement || is_refused(current, transaction)) return false;
        set_shown(current, txid, true);
    }
    current.ledger().set_announced(txid);
    store_.announced().put(txid, transaction.serialize());
    return true;
}

void TransactionIntake::adopt_orphans(WalletState& current) {
    const auto concerns = [&](const OrphanPool::Orphan& orphan) {
        return current.recognise(orphan.transaction, orphan.txid).has_value();
    };
    while (auto orphan = orphans_.take_first(concerns)) {
        auto& [txid, transaction, seen_time] = *orphan;
        auto entry = *current.recognise(transaction, txid);
        see(current, std::move(entry), {txid, std::move(transaction), seen_time}, Source::peer);
    }
}

bool TransactionIntake::store_new_scripts(WalletState& current) {
    bool grew = false;
    for (auto scripts = current.take_new_scripts(); !scripts.empty();
         scripts = current.take_new_scripts()) {
        grew = true;
        store_.scripts().add(scripts);
        if (!current.known_transactions_may_pay(scripts)) continue;
        std::vector<std::pair<chain::Txid, std::vector<Credit>>> found;
        std::optional<std::uint32_t> first_paid;
        bool is_own_paid = false;
        const auto number_of_own = [&](const std::vector<Credit>& credits) {
            return std::ranges::count_if(credits, [&](const Credit& credit) {
                return credit.path.descriptor < current.ledger().first_imported();
            });
        };
        const auto is_unsearched = [&](const StoredTransaction& stored) {
            const auto& synced = current.ledger().synced();
            return !synced || stored.placement->height > synced->height;
        };
        store_.transactions().for_each([&](const StoredTransaction& stored) {
            auto credits = current.credits_in(read_transaction(store_, stored.raw));
            const auto& known = current.ledger().find(stored.txid)->credits;
            if (credits == known) return;
            // Spends of the known credits were verified on receipt, or are proven by a block.
            std::vector<Credit> added;
            std::ranges::set_difference(credits, known, std::back_inserter(added), {},
                                        &Credit::index, &Credit::index);
            const bool gets_own = number_of_own(credits) > number_of_own(known);
            // A coin of an imported descriptor may now be credited to a descriptor that is not
            // imported, so its spends must be searched for in blocks above synced().
            if (stored.placement && (!added.empty() || (gets_own && is_unsearched(stored)))) {
                const std::uint32_t height = stored.placement->height;
                first_paid = std::min(first_paid.value_or(height), height);
                is_own_paid |= gets_own;
            }
            current.mark_used(credits);
            current.ledger().set_credits(stored.txid, std::move(credits));
            found.emplace_back(stored.txid, std::move(added));
        });
        for (const auto& [txid, credits] : found) {
            forget_invalid(current, spenders_of(current.ledger(), txid, credits));
        }
        if (first_paid) set_back_to_before(current, *first_paid, is_own_paid);
    }
    return grew;
}

void TransactionIntake::mark_unsearched(std::uint32_t from) {
    unsearched_from_ = std::min(unsearched_from_.value_or(from), from);
}

void TransactionIntake::lower_synced(WalletState& current,
                                     const std::optional<chain::BlockRef>& to) {
    const auto synced = current.ledger().synced();
    if (!synced || (to && to->height >= synced->height)) return;
    set_synced(current, to);
    store_.sync().set_synced(to);
}

/// Payments cannot spend coins of imported descriptors before their blocks are searched
/// (LedgerView::may_be_spent_unseen()). Coins of own descriptors must be marked for the same
/// effect.
void TransactionIntake::set_back_to_before(WalletState& current, std::uint32_t height,
                                           bool is_own) {
    mark_unsearched(height);
    // The hashes of the blocks in between are not known.
    const auto before = current.ledger().blocks().last_below(height);
    if (is_own) return search_again_above(current, before);
    lower_synced(current, before);
}

}  // namespace petal::wallet
