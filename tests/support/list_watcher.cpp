#include "tests/support/list_watcher.h"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <unordered_map>

#include "chain/script/script.h"

namespace petal::test {

namespace {

constexpr std::uint32_t kMaxScripts = 5'000;

const std::vector<chain::Bytes>& all_scripts() {
    static const std::vector<chain::Bytes> scripts = [] {
        std::vector<chain::Bytes> result;
        for (std::uint32_t i = 0; i < ListWatcher::kKeys; ++i) {
            const auto type = ListWatcher::kTypes.at(i % ListWatcher::kTypes.size());
            result.push_back(script_of(type, ListWatcher::key(i)));
        }
        for (std::uint32_t i = ListWatcher::kKeys; i < kMaxScripts; ++i) {
            result.push_back(chain::p2wpkh_script(
                chain::hash160(chain::as_bytes("script " + std::to_string(i)))));
        }
        return result;
    }();
    return scripts;
}

}  // namespace

chain::Bytes ListWatcher::script(std::uint32_t number) {
    return all_scripts().at(number);
}

std::optional<std::uint32_t> ListWatcher::number_of_any(chain::ByteView script) {
    static const std::map<chain::Bytes, std::uint32_t> numbers = [] {
        std::map<chain::Bytes, std::uint32_t> result;
        for (std::uint32_t i = 0; i < kMaxScripts; ++i) result.emplace(all_scripts()[i], i);
        return result;
    }();
    const auto found = numbers.find(chain::Bytes(script.begin(), script.end()));
    if (found == numbers.end()) return std::nullopt;
    return found->second;
}

std::optional<std::uint32_t> ListWatcher::number_of(chain::ByteView script) const {
    const auto number = number_of_any(script);
    return number && *number < watched_ ? number : std::nullopt;
}

std::vector<chain::Bytes> ListWatcher::watched_elements(std::size_t first) const {
    std::vector<chain::Bytes> elements;
    for (auto i = static_cast<std::uint32_t>(first); i < watched_; ++i) {
        const chain::Bytes script_pubkey = script(i);
        const chain::ByteView element = chain::watch_element(script_pubkey);
        elements.emplace_back(element.begin(), element.end());
    }
    return elements;
}

std::vector<chain::Bytes> ListWatcher::watched_scripts() const {
    std::vector<chain::Bytes> scripts;
    for (std::uint32_t i = 0; i < watched_; ++i) scripts.push_back(script(i));
    return scripts;
}

chain::WatchedOutpoints ListWatcher::watched_outpoints() const {
    chain::WatchedOutpoints outpoints;
    for (const auto& [outpoint, spender] : coins_) {
        if (spender && is_settled(*spender)) continue;
        (known_.at(outpoint.txid) ? outpoints.confirmed : outpoints.unconfirmed)
            .push_back(outpoint);
    }
    return outpoints;
}

bool ListWatcher::is_settled(const chain::Txid& txid) const {
    const auto height = known_.at(txid);
    return height && state_.synced &&
           *height + chain::kReorganisationReach <= state_.synced->height;
}

bool ListWatcher::is_relevant(const chain::Transaction& transaction) const {
    return std::any_of(transaction.outputs.begin(), transaction.outputs.end(),
                       [this](const auto& output) { return number_of(output.script_pubkey); }) ||
           std::any_of(transaction.inputs.begin(), transaction.inputs.end(),
                       [this](const auto& input) { return coins_.contains(input.prevout); });
}

bool ListWatcher::take(const chain::Transaction& transaction, const chain::Txid& txid,
                       std::optional<std::uint32_t> height) {
    known_[txid] = height;
    transactions_[txid] = transaction;
    bool grew = false;
    for (std::uint32_t i = 0; i < transaction.outputs.size(); ++i) {
        const auto number = number_of(transaction.outputs[i].script_pubkey);
        if (!number) continue;
        coins_.try_emplace(chain::Outpoint{txid, i});
        while (*number + 1 + gap_ > watched_) {
            watched_ += step_;
            grew = true;
        }
    }
    for (const auto& input : transaction.inputs) {
        const auto coin = coins_.find(input.prevout);
        if (coin != coins_.end()) coin->second = txid;
    }
    if (grew) find_late_payments();
    return grew;
}

// Finds outputs of known transactions that pay newly watched scripts.
void ListWatcher::find_late_payments() {
    for (const auto& [txid, transaction] : transactions_) {
        const auto height = known_.at(txid);
        for (std::uint32_t i = 0; i < transaction.outputs.size(); ++i) {
            if (!number_of(transaction.outputs[i].script_pubkey)) continue;
            const bool is_new = coins_.try_emplace(chain::Outpoint{txid, i}).second;
            if (!is_new || !height) continue;
            unsearched_from_ = std::min(unsearched_from_.value_or(*height), *height);
        }
    }
    store(state_);
}

void ListWatcher::store(const chain::SyncState& state) {
    state_ = state;
    if (state_.synced && unsearched_from_ && state_.synced->height >= *unsearched_from_) {
        state_.synced.reset();
    }
}

void ListWatcher::lower_synced(const std::optional<chain::BlockRef>& to) {
    if (!state_.synced || (to && to->height >= state_.synced->height)) return;
    state_.synced = to;
}

bool ListWatcher::refresh() {
    watched_ += grown_elsewhere_;
    if (std::exchange(grown_elsewhere_, 0) == 0) return false;
    find_late_payments();
    return true;
}

chain::ApplyResult ListWatcher::apply(std::span<const chain::ProvenBlock> blocks,
                                      const chain::StateAfter& state_after) {
    if (std::exchange(fail_next_apply_, false)) {
        static_cast<void>(state_after({.applied = blocks.size()}));
        throw std::runtime_error("no space left on device");
    }
    chain::ApplyResult result;
    std::optional<std::uint32_t> last;
    for (const chain::ProvenBlock& block : blocks) {
        if (last && block.block.height <= *last) throw std::logic_error("blocks out of order");
        last = block.block.height;
        for (const auto& proven : block.transactions) {
            if (!is_relevant(proven.transaction)) continue;
            ++result.relevant;
            blocks_[block.block.height] = block.block.hash;
            if (take(proven.transaction, proven.txid, block.block.height)) result.grew = true;
        }
        ++result.applied;
        if (result.grew) break;
    }
    const chain::SyncState state = state_after(result);
    if (result.grew) {
        lower_synced(state.synced);
        const chain::ProvenBlock& last_taken = blocks[result.applied - 1];
        lower_synced(chain::BlockRef{last_taken.block.height - 1, last_taken.header.previous});
    } else {
        store(state);
    }
    return result;
}

std::vector<chain::BlockRef> ListWatcher::blocks_above(std::uint32_t height) const {
    std::vector<chain::BlockRef> above;
    for (const auto& [at, hash] : blocks_) {
        if (at > height) above.push_back({at, hash});
    }
    return above;
}

void ListWatcher::undo_to(const chain::BlockRef& fork) {
    blocks_.erase(blocks_.upper_bound(fork.height), blocks_.end());
    for (auto& [txid, height] : known_) {
        if (height && *height > fork.height) height.reset();
    }
    if (state_.synced && state_.synced->height > fork.height) state_.synced = fork;
}

bool ListWatcher::apply_unconfirmed(std::span<const chain::UnconfirmedTransaction> transactions,
                                    std::span<const chain::PresentSources> sources,
                                    const chain::SyncState& state) {
    bool grew = false;
    for (const auto& [txid, now] : sources) sources_[txid] = now;
    for (const auto& transaction : transactions) grew = take_unconfirmed(transaction) || grew;
    store(state);
    return grew;
}

std::vector<chain::TxSource> ListWatcher::sources_of(const chain::Txid& txid) const {
    const auto known = sources_.find(txid);
    return known == sources_.end() ? std::vector<chain::TxSource>{} : known->second;
}

bool ListWatcher::take_unconfirmed(const chain::UnconfirmedTransaction& unconfirmed) {
    const auto& [txid, transaction, time] = unconfirmed;
    if (!is_relevant(transaction)) return false;
    last_unconfirmed_ = transaction;
    if (const auto known = known_.find(txid); known != known_.end() && known->second) return false;
    return take(transaction, txid, std::nullopt);
}

std::vector<chain::OwnTransaction> ListWatcher::own_unconfirmed() const {
    std::vector<chain::OwnTransaction> result;
    for (const chain::OwnTransaction& own : own_) {
        const auto known = known_.find(own.transaction.txid());
        if (known == known_.end() || !known->second) result.push_back(own);
    }
    return result;
}

namespace {

/// The transaction in the mempool, else in the highest block that has it.
std::optional<chain::Transaction> find_transaction(const regtest::RegtestChain& chain,
                                                   const chain::Txid& txid) {
    if (const auto* unconfirmed = chain.mempool().transaction(txid)) return *unconfirmed;
    for (std::uint32_t height = chain.height(); height > 0; --height) {
        const regtest::RegtestBlock& block = chain.block_at(height);
        const auto found = std::ranges::find(block.txids, txid);
        if (found == block.txids.end()) continue;
        return block.transactions[static_cast<std::size_t>(found - block.txids.begin())];
    }
    return std::nullopt;
}

}  // namespace

chain::Transaction signed_by_watcher(chain::Transaction transaction,
                                     const regtest::RegtestChain& chain) {
    for (std::size_t i = 0; i < transaction.inputs.size(); ++i) {
        const chain::Outpoint& prevout = transaction.inputs[i].prevout;
        const auto spent = find_transaction(chain, prevout.txid);
        if (!spent) continue;
        const chain::TxOutput& output = spent->outputs.at(prevout.index);
        const auto number = ListWatcher::number_of_any(output.script_pubkey);
        if (!number || *number >= ListWatcher::kKeys) continue;
        sign_input(transaction, i, ListWatcher::key(*number), output);
    }
    return transaction;
}

chain::TxOutput foreign_output_that_matches(const net::FilterBase& base) {
    for (std::uint32_t number = 0;; ++number) {
        const auto owner = chain::hash160(chain::as_bytes("stranger " + std::to_string(number)));
        const chain::TxOutput output{1'000, chain::p2wpkh_script(owner)};
        if (base.matches(output)) return output;
    }
}

Knowledge read_whole_chain(const regtest::RegtestChain& chain, std::uint32_t scripts) {
    return read_whole_chain(chain, [scripts](chain::ByteView script) {
        const auto number = ListWatcher::number_of_any(script);
        return number && *number < scripts;
    });
}

Knowledge read_whole_chain(const regtest::RegtestChain& chain,
                           const std::function<bool(chain::ByteView script)>& is_own) {
    Knowledge known;
    std::set<chain::Outpoint> coins;
    for (std::uint32_t height = 1; height <= chain.height(); ++height) {
        const regtest::RegtestBlock& block = chain.block_at(height);
        for (std::size_t i = 0; i < block.transactions.size(); ++i) {
            const chain::Transaction& transaction = block.transactions[i];
            const chain::Txid& txid = block.txids[i];
            for (std::uint32_t vout = 0; vout < transaction.outputs.size(); ++vout) {
                if (!is_own(transaction.outputs[vout].script_pubkey)) continue;
                coins.insert({txid, vout});
                known[txid] = height;
            }
            for (const auto& input : transaction.inputs) {
                if (coins.contains(input.prevout)) known[txid] = height;
            }
        }
    }
    return known;
}

}  // namespace petal::test
