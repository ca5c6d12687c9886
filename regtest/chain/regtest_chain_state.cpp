#include "regtest/chain/regtest_chain_state.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "regtest/chain/block_check.h"
#include "regtest/mempool/standard_policy.h"

namespace petal::regtest {
namespace {

/// Before its first payment, the purse gets this many coinbases, and splits half of their value
/// into parts.
constexpr std::size_t kPurseCoinbases = 20;
constexpr std::size_t kPurseParts = 500;

void require(bool holds, std::string_view sentence) {
    if (!holds) throw std::invalid_argument(std::string(sentence));
}

}  // namespace

RegtestChain::State::State(const RegtestChainOptions& options)
    : checks_of_returned_(options.checks_of_returned),
      blocks_(make_genesis_block()),
      clock_(options.first_time, blocks_.tip().header.time, options.clock),
      mempool_(blocks_.layer()),
      purse_(options.purse),
      purse_is_filled_(options.purse != PurseKind::anyone_can_spend) {}

/// Adds a block to the tip. The caller updates the mempool.
void RegtestChain::State::append(const RegtestBlock& block) {
    const auto& entry = blocks_.store(block, blocks_.tip());
    blocks_.connect(entry);
    history_.add({ChainRecord::Kind::block, entry.hash});
    purse_.on_block(block.transactions, block.txids, entry.height);
    history_.advance_revision();
}

/// The next block. The coinbase pays `script`, or the purse if `script` is empty. Throws
/// std::invalid_argument if the block is too heavy, because it could not be read again.
RegtestBlock RegtestChain::State::make_block(BlockContents contents, chain::ByteView script) const {
    auto paid = script.empty() ? purse_.script() : chain::Bytes(script.begin(), script.end());
    RegtestBlock block = assemble_block(blocks_, clock_.next_time(blocks_.times()),
                                        std::move(contents), std::move(paid));
    if (auto fault = find_weight_fault(block.transactions)) {
        throw std::invalid_argument(*std::move(fault));
    }
    return block;
}

void RegtestChain::State::mine_mempool(chain::ByteView script) {
    auto contents = contents_of(mempool_);
    const bool is_all = contents.txids.size() == mempool_.entries().size();
    append(make_block(std::move(contents), script));
    if (is_all) {
        mempool_ = RegtestMempool(blocks_.layer());
    } else {
        revalidate_mempool();
    }
}

/// Also throws std::invalid_argument if the transactions do not fit into a block.
RegtestBlock RegtestChain::State::assemble(std::vector<chain::Transaction> transactions,
                                           chain::ByteView script) const {
    RegtestBlock block =
        make_block(checked_contents(std::move(transactions), blocks_.layer()), script);
    if (auto fault = find_sigop_fault(block, blocks_.layer())) {
        throw std::invalid_argument(*std::move(fault));
    }
    return block;
}

RegtestBlock RegtestChain::State::mine_exactly(std::vector<chain::Transaction> transactions,
                                               chain::ByteView script) {
    RegtestBlock mined = assemble(std::move(transactions), script);
    append(mined);
    revalidate_mempool();
    return mined;
}

RegtestBlock RegtestChain::State::mine_made_up(std::vector<chain::Transaction> transactions) {
    BlockContents contents;
    for (const auto& transaction : transactions) contents.txids.push_back(transaction.txid());
    contents.transactions = std::move(transactions);
    RegtestBlock mined = make_block(std::move(contents), {});
    append(mined);
    revalidate_mempool();
    return mined;
}

void RegtestChain::State::revalidate_mempool(std::vector<chain::Transaction> returned) {
    // A block may have transactions that the mempool would not accept.
    const auto may_return = [this](const RegtestMempool& mempool,
                                   const chain::Transaction& transaction,
                                   const MempoolEntry& entry) {
        if (!checks_of_returned_) return true;
        const MempoolPolicy policy{*checks_of_returned_, 0, /*judges_families=*/false};
        return check_acceptance(mempool, transaction, entry.txid, policy).has_value();
    };
    // If a cluster exceeds the limit, its last transactions are evicted. Bitcoin Core
    // (TxGraph::Trim) evicts the transactions that pay least.
    const auto may_stay = [this](const RegtestMempool& mempool,
                                 const chain::Transaction& transaction, const MempoolEntry& entry) {
        if (!checks_of_returned_ || checks_of_returned_ == TransactionChecks::amounts) return true;
        const auto weight = relayed_weight(transaction, entry.sigop_cost);
        return !is_cluster_too_large(mempool, transaction, weight);
    };
    mempool_ = std::move(mempool_).revalidated(blocks_.layer(), std::move(returned),
                                               arrival(history_.revision()), may_return, may_stay);
    purse_.release(blocks_.coins(), mempool_.layer());
}

MempoolArrival RegtestChain::State::arrival(std::uint64_t revision) const {
    const auto& tip = blocks_.tip();
    return {revision, clock_.now().value_or(tip.header.time), tip.height};
}

chain::Txid RegtestChain::State::submit(chain::Transaction transaction) {
    const chain::Txid txid = transaction.txid();
    if (mempool_.find(txid)) return txid;
    const std::size_t size_before = mempool_.entries().size();
    const auto result =
        mempool_.submit(std::move(transaction), txid, arrival(history_.revision() + 1));
    if (!result) throw std::invalid_argument(std::string(describe(result.error())));
    purse_.on_unconfirmed(mempool_.transactions().back(), txid, mempool_.layer());
    const bool has_replaced = mempool_.entries().size() <= size_before;
    if (has_replaced) purse_.release(blocks_.coins(), mempool_.layer());
    history_.add_submitted(txid);
    history_.advance_revision();
    return txid;
}

chain::Expected<chain::Txid, Rejection> RegtestChain::State::offer(chain::Transaction transaction,
                                                                   const MempoolPolicy& policy) {
    const chain::Txid txid = transaction.txid();
    const auto position = mempool_.find(txid);
    if (position && mempool_.transactions()[*position] == transaction) return txid;
    const auto accepted = check_acceptance(mempool_, transaction, txid, policy);
    if (!accepted) return chain::Unexpected(accepted.error());
    return submit(std::move(transaction));
}

bool RegtestChain::State::drop(const chain::Txid& txid) {
    if (!mempool_.find(txid)) return false;
    mempool_.drop(txid);
    purse_.release(blocks_.coins(), mempool_.layer());
    history_.advance_revision();
    return true;
}

void RegtestChain::State::reorganise(std::uint32_t fork_height, std::uint32_t count,
                                     Dropped dropped, std::vector<chain::Transaction> first) {
    const std::uint32_t height = blocks_.tip().height;
    require(fork_height < height, "a reorganisation forks off below the tip");
    require(count > height - fork_height, "the new branch must be the longer one");
    BlockTimes times = blocks_.times();
    times.truncate(fork_height);
    clock_.require_times(std::move(times), count);
    std::vector<const Chainstate::Entry*> left;
    for (auto at = fork_height + 1; at <= height; ++at) left.push_back(&blocks_.at(at));
    std::vector<chain::Transaction> returned = blocks_.disconnect_down_to(fork_height);
    if (dropped == Dropped::forgotten) returned.clear();
    try {
        append(assemble(std::move(first), {}));
    } catch (const std::invalid_argument&) {
        for (const auto* entry : left) blocks_.connect(*entry);
        throw;
    }
    for (std::uint32_t i = 1; i < count; ++i) append(make_block({}, {}));
    revalidate_mempool(std::move(returned));
    purse_.reset(blocks_.coins(), mempool_.layer());
}

BlockVerdict RegtestChain::State::offer_block(chain::Block block, FutureTimes future_times) {
    const chain::BlockHash hash = block.header.hash();
    TipChange change;
    const auto now = future_times == FutureTimes::refused ? clock_.now() : std::nullopt;
    auto verdict = BranchChoice(blocks_).offer(std::move(block), now, change);
    if (verdict.is_new()) history_.add({ChainRecord::Kind::block, hash});
    take_note(std::move(change));
    return verdict;
}

void RegtestChain::State::invalidate(const chain::BlockHash& hash) {
    const auto* const entry = blocks_.find(hash);
    require(entry != nullptr && entry->height > 0, "no block that could be left");
    auto change = BranchChoice(blocks_).invalidate(*entry);
    if (!change) return;
    history_.add({ChainRecord::Kind::invalidated, hash});
    take_note(*std::move(change));
}

void RegtestChain::State::reconsider(const chain::BlockHash& hash) {
    const auto* const entry = blocks_.find(hash);
    require(entry != nullptr, "no such block");
    auto change = BranchChoice(blocks_).reconsider(*entry);
    if (!change) return;
    history_.add({ChainRecord::Kind::reconsidered, hash});
    take_note(*std::move(change));
}

void RegtestChain::State::prefer(const chain::BlockHash& hash) {
    const auto* const entry = blocks_.find(hash);
    require(entry != nullptr, "no such block");
    auto change = BranchChoice(blocks_).prefer(*entry);
    if (change) take_note(*std::move(change));
}

/// Updates the mempool and the purse after a change of the active chain.
void RegtestChain::State::take_note(TipChange change) {
    if (!change.left_blocks && change.connected == 0) return;
    history_.advance_revision();
    const auto& tip = blocks_.tip();
    const bool just_grew = !change.left_blocks && change.connected == 1;
    if (just_grew) purse_.on_block(tip.block().transactions, tip.txids, tip.height);
    revalidate_mempool(std::move(change.returned));
    if (!just_grew) purse_.reset(blocks_.coins(), mempool_.layer());
}

chain::Transaction RegtestChain::State::make_payment(std::vector<chain::TxOutput> outputs,
                                                     const PaymentTerms& terms) {
    require(!outputs.empty(), "a payment has outputs");
    if (!purse_is_filled_) fill_purse();
    return spend_purse(std::move(outputs), terms, blocks_.next_height());
}

chain::Expected<chain::Txid, Rejection> RegtestChain::State::offer_payment(
    std::vector<chain::TxOutput> outputs, const MempoolPolicy& policy, const PaymentTerms& terms) {
    require(!outputs.empty(), "a payment has outputs");
    if (!purse_is_filled_) fill_purse();
    // Bitcoin Core's wallet counts a coinbase one block later than the rules allow to spend it.
    const auto payment = spend_purse(std::move(outputs), terms, blocks_.tip().height);
    auto taken = offer(payment, policy);
    if (!taken) purse_.take_back(payment, blocks_.coins(), mempool_.layer());
    return taken;
}

/// Makes sure that many payments can be made at once, each from a confirmed coin.
void RegtestChain::State::fill_purse() {
    purse_is_filled_ = true;
    while (purse_.ripen(blocks_.next_height()) < kPurseCoinbases) {
        require(block_subsidy(blocks_.next_height()) > 0,
                "no subsidy is left to fill the purse with");
        append(make_block({}, {}));
        revalidate_mempool();
    }
    const auto part = purse_.confirmed_value() / 2 / static_cast<chain::Satoshis>(kPurseParts);
    mine_exactly({spend_purse({kPurseParts, {part, purse_.script()}}, {}, blocks_.next_height())},
                 {});
}

/// spend_height   coinbases count if a block at this height may spend them
chain::Transaction RegtestChain::State::spend_purse(std::vector<chain::TxOutput> outputs,
                                                    const PaymentTerms& terms,
                                                    std::uint32_t spend_height) {
    static constexpr const char* kTooLittle =
        "the purse holds too little: it is paid by mined blocks, 100 blocks later";
    chain::Satoshis sum = 0;
    for (const auto& output : outputs) {
        require(output.value >= 0 && output.value <= chain::kMaxMoney, "a value is no money");
        sum += output.value;
        require(sum <= chain::kMaxMoney, kTooLittle);
    }
    purse_.ripen(spend_height);
    auto payment = purse_.make_payment(std::move(outputs), mempool_.layer(), terms);
    require(payment.has_value(), kTooLittle);
    return *std::move(payment);
}

}  // namespace petal::regtest
