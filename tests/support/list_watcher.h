/// A watcher without files: watches a list of scripts and remembers the transactions that the
/// engine passes.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "chain/watcher.h"
#include "net/sync/filters/filter_policy.h"
#include "regtest/chain/regtest_chain.h"
#include "tests/support/signing.h"

namespace petal::test {

/// A wallet's knowledge of the chain: the height of each of the wallet's transactions. Empty while
/// unconfirmed.
using Knowledge = std::map<chain::Txid, std::optional<std::uint32_t>>;

/// Behaves like a wallet: watches a range of numbered scripts. The range grows by a step when fewer
/// than `gap` unused scripts are left. All stored data is in this object, as in a file, and
/// outlives an engine.
class ListWatcher : public chain::Watcher {
public:
    explicit ListWatcher(std::uint32_t gap = 20, std::uint32_t step = 30)
        : gap_(gap), step_(step), first_elements_(step), watched_(step) {}

    /// The script with this number, the same for every watcher. The first kKeys scripts have a key,
    /// and the types of kTypes in turn. All further scripts are P2WPKH.
    static chain::Bytes script(std::uint32_t number);
    static constexpr std::uint32_t kKeys = 64;
    static constexpr std::array kTypes{chain::ScriptType::p2wpkh, chain::ScriptType::p2pkh,
                                       chain::ScriptType::p2sh, chain::ScriptType::p2tr,
                                       chain::ScriptType::p2wsh};
    static chain::Bytes key(std::uint32_t number) { return private_key(number + 1); }
    /// The number of a script that script() returns, watched or not. Empty for any other script.
    static std::optional<std::uint32_t> number_of_any(chain::ByteView script);

    void set_birthday(chain::Birthday birthday) { birthday_ = birthday; }

    /// Forgets the synced height, as a wallet does for a rescan.
    void rescan() { state_.synced.reset(); }

    /// Behaves as if the watcher had signed this transaction.
    void make(chain::OwnTransaction transaction) { own_.push_back(std::move(transaction)); }

    /// Behaves as if another process had given out addresses: the list has grown at the next
    /// refresh().
    void grow_elsewhere() { grown_elsewhere_ += step_; }

    /// Throws at the next apply, as a full disk would when the transaction is committed.
    void fail_next_apply(bool fails = true) { fail_next_apply_ = fails; }

    std::vector<chain::Bytes> watched_elements(std::size_t first) const override;
    std::size_t watched_count() const override { return watched_; }
    std::vector<chain::Bytes> watched_scripts() const override;
    chain::WatchedOutpoints watched_outpoints() const override;
    chain::FilterPadding filter_padding() const override { return {{}, first_elements_}; }
    chain::Birthday birthday() const override { return birthday_; }
    chain::SyncState sync_state() const override { return state_; }
    std::optional<std::uint32_t> take_unsearched_from() override {
        return std::exchange(unsearched_from_, std::nullopt);
    }
    bool refresh() override;
    using Watcher::apply;
    chain::ApplyResult apply(std::span<const chain::ProvenBlock> blocks,
                             const chain::StateAfter& state_after) override;
    std::vector<chain::BlockRef> blocks_above(std::uint32_t height) const override;
    void undo_to(const chain::BlockRef& fork) override;
    using Watcher::apply_unconfirmed;
    bool apply_unconfirmed(std::span<const chain::UnconfirmedTransaction> transactions,
                           std::span<const chain::PresentSources> sources,
                           const chain::SyncState& state) override;
    /// The sources that were last passed for a transaction. Empty for none.
    std::vector<chain::TxSource> sources_of(const chain::Txid& txid) const;
    std::vector<chain::OwnTransaction> own_unconfirmed() const override;

    Knowledge knowledge() const { return known_; }
    /// The unconfirmed transaction that was received last, unchanged.
    const chain::Transaction& last_unconfirmed() const { return last_unconfirmed_; }
    std::uint32_t watched() const { return watched_; }

private:
    bool take(const chain::Transaction& transaction, const chain::Txid& txid,
              std::optional<std::uint32_t> height);
    bool take_unconfirmed(const chain::UnconfirmedTransaction& unconfirmed);
    void find_late_payments();
    void lower_synced(const std::optional<chain::BlockRef>& to);
    void store(const chain::SyncState& state);
    bool is_settled(const chain::Txid& txid) const;
    bool is_relevant(const chain::Transaction& transaction) const;
    std::optional<std::uint32_t> number_of(chain::ByteView script) const;

    std::uint32_t gap_;
    std::uint32_t step_;
    std::uint32_t first_elements_;
    std::uint32_t watched_;
    chain::Birthday birthday_;
    chain::SyncState state_;
    Knowledge known_;
    std::map<chain::Txid, std::vector<chain::TxSource>> sources_;
    std::map<chain::Txid, chain::Transaction> transactions_;  // the known transactions
    std::map<std::uint32_t, chain::BlockHash> blocks_;        // the blocks that confirm them
    std::optional<std::uint32_t> unsearched_from_;
    std::vector<chain::OwnTransaction> own_;
    chain::Transaction last_unconfirmed_;
    std::map<chain::Outpoint, std::optional<chain::Txid>>
        coins_;  // own outputs, and the transactions that spend the outputs
    bool fail_next_apply_ = false;
    std::uint32_t grown_elsewhere_ = 0;
};

/// Signs each input of a transaction in the chain or its mempool that spends one of ListWatcher's
/// scripts with a key.
chain::Transaction signed_by_watcher(chain::Transaction transaction,
                                     const regtest::RegtestChain& chain);

/// A foreign output that matches the base by chance.
chain::TxOutput foreign_output_that_matches(const net::FilterBase& base);

/// The complete knowledge about an owner's scripts, found by reading all blocks of the chain.
Knowledge read_whole_chain(const regtest::RegtestChain& chain,
                           const std::function<bool(chain::ByteView script)>& is_own);
/// The complete knowledge about the scripts 0 to `scripts` - 1 of every ListWatcher.
Knowledge read_whole_chain(const regtest::RegtestChain& chain, std::uint32_t scripts);

}  // namespace petal::test
