/// Random events of a wallet: blocks, payments, spends, replacements, reorganisations, blocks of a
/// hostile miner, in any order.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "tests/support/wallet_scene.h"
#include "wallet/keys/key_path.h"
#include "wallet/ledger/records.h"

namespace petal::test {

/// Receives the events of a history.
class HistoryListener {
public:
    virtual ~HistoryListener() = default;

    virtual void on_block(const chain::ProvenBlock& block) = 0;
    virtual void on_undo(const chain::BlockRef& fork) = 0;
    virtual void on_unconfirmed(const chain::Transaction& transaction, std::int64_t time) = 0;
    /// A hostile miner's branch replaces honest blocks until end_hostile_branch(): honest blocks
    /// are undone, made-up blocks come, and the made-up blocks are undone. Then the honest blocks
    /// come again, and peers show the unconfirmed transactions that the miner has repeated.
    virtual void begin_hostile_branch() {}
    virtual void end_hostile_branch() {}
    /// Whether the hostile miner may repeat this transaction, which no honest block confirms.
    virtual bool may_repeat(const chain::Txid& /*txid*/) const { return true; }
    /// The number of the wallet's scripts, from index 0 on, that may be paid now.
    virtual std::uint32_t reach(wallet::KeyChain chain) = 0;
};

/// Passes one event after the other to a listener. The same choices give the same events.
/// - Honest blocks obey consensus as far as the inputs go.
/// - Unconfirmed transactions need not obey consensus, and arrive in any order.
/// - Blocks of a hostile miner repeat transactions, put children before parents, spend any output,
///   and leave out transactions of honest blocks.
class RandomHistory {
public:
    /// Any number below `below`, which is at least 1.
    using Choice = std::function<std::uint32_t(std::uint32_t below)>;

    using Script = std::function<chain::Bytes(wallet::KeyPath)>;

    /// Signs a transaction, given the transactions that it may spend.
    using Sign =
        std::function<chain::Transaction(chain::Transaction, std::span<const chain::Transaction>)>;

    /// Transactions are not signed without `sign`.
    RandomHistory(Choice choice, HistoryListener& listener, Script own_script, Sign sign = {})
        : choice_(std::move(choice)),
          listener_(listener),
          own_script_(std::move(own_script)),
          sign_(std::move(sign)) {}

    /// Passes one event, or a few that belong together.
    void step();
    /// A hostile miner's blocks replace up to two blocks, until the honest blocks are the best
    /// chain again. May be an event of step() too.
    void follow_hostile_miner();

    const SceneChain& chain() const { return chain_; }

private:
    std::uint32_t below(std::uint32_t limit) { return choice_(limit); }
    bool one_in(std::uint32_t n) { return below(n) == 0; }

    chain::Transaction make_transaction();
    chain::Outpoint choose_coin();
    std::vector<Payment> choose_payments();
    const chain::Transaction& choose_known();
    void announce();
    void mine_block();
    /// Replaces up to `max_depth` blocks by one block more.
    void reorganise(std::uint32_t max_depth);
    std::vector<chain::Transaction> make_up_block(std::vector<chain::Transaction>& invented,
                                                  std::vector<chain::Transaction>& repeated);
    chain::Transaction invent(const std::vector<chain::Transaction>& invented);
    bool is_confirmed(const chain::Txid& txid) const;
    /// Whether the transaction fits into the next block, after the chain so far and the
    /// transactions `before` of the next block.
    bool fits(const chain::Transaction& transaction,
              const std::vector<chain::Transaction>& before) const;

    Choice choice_;
    HistoryListener& listener_;
    Script own_script_;
    Sign sign_;
    SceneChain chain_;
    std::vector<chain::Transaction> known_;  // without the hostile miner's inventions
    std::uint32_t next_foreign_coin_ = 0;
    std::int64_t time_ = 1'600'000'000;
};

/// The history without the times of unconfirmed transactions, and so without an order of
/// unconfirmed transactions, because a hostile miner can change these times. A block that confirms
/// an unconfirmed transaction sets the transaction's time to the block's time, also if the block is
/// undone later. Otherwise the transaction would expire as if the block had never been.
std::vector<wallet::HistoryEntry> without_seen_times(std::vector<wallet::HistoryEntry> history);

/// Random choices, the same for the same seed.
RandomHistory::Choice random_choice(std::uint64_t seed);

}  // namespace petal::test
