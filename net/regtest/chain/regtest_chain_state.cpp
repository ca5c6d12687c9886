#include "net/regtest/chain/regtest_chain_state.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

#include "chain/merkle_proof.h"
#include "net/regtest/chain/block_check.h"

namespace petal::net {
namespace {

constexpr std::int64_t kBlockSpacing = 600;
constexpr std::int64_t kLastBlockTime = std::numeric_limits<std::uint32_t>::max();
constexpr std::string_view kTooLate = "the time is past 2106";
/// What the transactions of a block may weigh, and how many signature operations they may cost
/// (Bitcoin Core: MAX_BLOCK_WEIGHT, MAX_BLOCK_SIGOPS_COST), less some room for header and coinbase.
constexpr std::size_t kMaxMinedWeight = 4'000'000 - 4'000;
constexpr std::size_t kMaxMinedSigops = 80'000 - 400;

/// Before its first payment the purse has this many coinbases, and cuts half of them into parts.
constexpr std::size_t kPurseCoinbases = 20;
constexpr std::size_t kPurseParts = 500;

void require(bool holds, std::string_view sentence) {
    if (!holds) throw std::invalid_argument(std::string(sentence));
}

}  // namespace

RegtestChain::State::State(const RegtestChainOptions& options)
    : clock_(options.clock),
      checks_of_returned_(options.checks_of_returned),
      blocks_(make_genesis_block()),
      mempool_(empty_layer()),
      purse_(options.purse),
      purse_is_filled_(options.purse != PurseKind::anyone_can_spend) {
    const std::int64_t first_time = options.first_time;
    const std::int64_t genesis_time = blocks_.tip().block.header.time;
    require(first_time == 0 || first_time > genesis_time, "times must follow the genesis block's");
    base_time_ = first_time == 0 ? genesis_time : first_time - kBlockSpacing;
}

/// Puts a block on the tip. The mempool is left to the caller.
const Block& RegtestChain::State::append(Block block) {
    const auto& entry = blocks_.store(std::move(block), blocks_.tip());
    blocks_.connect(entry);
    records_.push_back({ChainRecord::Kind::block, entry.hash});
    purse_.on_block(entry.block.transactions, entry.block.txids, entry.height);
    ++revision_;
    return entry.block;
}

/// Of the block behind these.
std::int64_t RegtestChain::State::next_time(const BlockTimes& times) const {
    const std::int64_t own_time = base_time_ + kBlockSpacing * std::int64_t{times.next_height()};
    return std::max(time_.value_or(own_time), times.median_time_past() + 1);
}

/// Throws std::invalid_argument unless there is a time for each of the blocks that are to come.
void RegtestChain::State::require_times(std::uint32_t fork_height, std::uint32_t count) const {
    BlockTimes times = blocks_.times();
    times.truncate(fork_height);
    for (; count > 0; --count) {
        const std::int64_t time = next_time(times);
        require(time <= kLastBlockTime, kTooLate);
        times.add(static_cast<std::uint32_t>(time));
    }
}

const Block& RegtestChain::State::mine_contents(Contents contents, chain::ByteView script) {
    return append(make_block(std::move(contents), script));
}

/// A block on the tip, which is not on the chain yet.
Block RegtestChain::State::make_block(Contents contents, chain::ByteView script) const {
    require(contents.transactions.size() < chain::kMaxTransactionsPerBlock,
            "no block has room for so many transactions");
    const std::int64_t time = next_time(blocks_.times());
    require(time <= kLastBlockTime, kTooLate);

    const chain::TxOutput reward{
        block_subsidy(blocks_.next_height()) + contents.fees,
        script.empty() ? purse_.script() : chain::Bytes(script.begin(), script.end())};
    std::vector<chain::Transaction> transactions;
    transactions.reserve(contents.transactions.size() + 1);
    // Its number among all blocks keeps the coinbases of two branches apart.
    const auto number = static_cast<std::uint32_t>(blocks_.block_count() - 1);
    transactions.push_back(make_coinbase(blocks_.next_height(), number, reward));
    std::ranges::move(contents.transactions, std::back_inserter(transactions));
    commit_to_witnesses(transactions, contents.txids);
    contents.txids.insert(contents.txids.begin(), transactions.front().txid());
    Block block = mine_block_on(blocks_.tip_hash(), static_cast<std::uint32_t>(time),
                                std::move(transactions), std::move(contents.txids));
    // The number may have been that of a block before wrong ones were forgotten.
    auto& header = block.header;
    while (blocks_.find(header.hash()) != nullptr || !has_regtest_work(header)) ++header.nonce;
    return block;
}

void RegtestChain::State::mine_mempool(chain::ByteView script) {
    Contents contents;
    std::size_t weight = 0;
    std::size_t sigops = 0;
    for (std::size_t i = 0; i < mempool_.entries().size(); ++i) {
        const auto& transaction = mempool_.transactions()[i];
        const auto& entry = mempool_.entries()[i];
        weight += transaction.weight();
        sigops += entry.sigop_cost;
        // In the order of the mempool, so that no child is mined without its parent.
        if (weight > kMaxMinedWeight || sigops > kMaxMinedSigops) break;
        contents.transactions.push_back(transaction);
        contents.txids.push_back(entry.txid);
        contents.fees += entry.fee;
    }
    const bool is_all = contents.txids.size() == mempool_.entries().size();
    mine_contents(std::move(contents), script);
    if (is_all) {
        mempool_ = RegtestMempool(empty_layer());
    } else {
        revalidate_mempool();
    }
}

/// Throws std::invalid_argument for what can't be in the next block.
RegtestChain::State::Contents RegtestChain::State::checked(
    std::vector<chain::Transaction> transactions) const {
    Contents contents;
    TransactionLayer layer = empty_layer();
    for (const auto& transaction : transactions) {
        const auto fee = layer.check(transaction);
        if (!fee) throw std::invalid_argument(std::string(describe(fee.error())));
        contents.fees += *fee;
        contents.txids.push_back(transaction.txid());
        layer.add(transaction, contents.txids.back());
    }
    contents.transactions = std::move(transactions);
    return contents;
}

/// Throws std::invalid_argument for what no block has room for, too.
const Block& RegtestChain::State::mine_checked(std::vector<chain::Transaction> transactions,
                                               chain::ByteView script) {
    Block block = make_block(checked(std::move(transactions)), script);
    if (auto fault = find_size_fault(block, empty_layer())) {
        throw std::invalid_argument(*std::move(fault));
    }
    return append(std::move(block));
}

const Block& RegtestChain::State::mine_exactly(std::vector<chain::Transaction> transactions,
                                               chain::ByteView script) {
    const Block& mined = mine_checked(std::move(transactions), script);
    revalidate_mempool();
    return mined;
}

void RegtestChain::State::revalidate_mempool(std::vector<chain::Transaction> returned) {
    // A block may hold what the mempool would not take.
    const auto may_return = [this](const RegtestMempool& mempool,
                                   const chain::Transaction& transaction, const chain::Txid& txid) {
        if (!checks_of_returned_) return true;
        return check_acceptance(mempool, transaction, txid, {*checks_of_returned_, 0}).has_value();
    };
    mempool_ = std::move(mempool_).revalidated(empty_layer(), std::move(returned),
                                               arrival(revision_), may_return);
    purse_.release(blocks_.coins(), mempool_.layer());
}

MempoolArrival RegtestChain::State::arrival(std::uint64_t revision) const {
    const auto& tip = blocks_.tip();
    return {revision, clock_ ? clock_() : std::int64_t{tip.block.header.time}, tip.height};
}

chain::Txid RegtestChain::State::submit(chain::Transaction transaction) {
    const chain::Txid txid = transaction.txid();
    if (mempool_.find(txid)) return txid;
    const std::size_t size_before = mempool_.entries().size();
    const auto result = mempool_.submit(std::move(transaction), txid, arrival(revision_ + 1));
    if (!result) throw std::invalid_argument(std::string(describe(result.error())));
    purse_.on_unconfirmed(mempool_.transactions().back(), txid, mempool_.layer());
    const bool has_replaced = mempool_.entries().size() <= size_before;
    if (has_replaced) purse_.release(blocks_.coins(), mempool_.layer());
    submitted_.push_back(txid);
    ++revision_;
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
    mempool_ = mempool_.without(txid);
    purse_.release(blocks_.coins(), mempool_.layer());
    ++revision_;
    return true;
}

void RegtestChain::State::reorganise(std::uint32_t fork_height, std::uint32_t count,
                                     Dropped dropped, std::vector<chain::Transaction> first) {
    const std::uint32_t height = blocks_.tip().height;
    require(fork_height < height, "a reorganisation forks off below the tip");
    require(count > height - fork_height, "the new branch must be the longer one");
    require_times(fork_height, count);
    std::vector<const Chainstate::Entry*> left;
    for (auto at = fork_height + 1; at <= height; ++at) left.push_back(&blocks_.at(at));
    std::vector<chain::Transaction> returned = blocks_.disconnect_down_to(fork_height);
    if (dropped == Dropped::forgotten) returned.clear();
    try {
        mine_checked(std::move(first), {});
    } catch (const std::invalid_argument&) {
        for (const auto* entry : left) blocks_.connect(*entry);
        throw;
    }
    for (std::uint32_t i = 1; i < count; ++i) mine_contents({}, {});
    revalidate_mempool(std::move(returned));
    purse_.reset(blocks_.coins(), mempool_.layer());
}

BlockVerdict RegtestChain::State::offer_block(chain::Block block, FutureTimes future_times) {
    const chain::BlockHash hash = block.header.hash();
    TipChange change;
    const bool has_limit = clock_ && future_times == FutureTimes::refused;
    const auto now = has_limit ? std::optional(clock_()) : std::nullopt;
    auto verdict = BranchChoice(blocks_).offer(std::move(block), now, change);
    const bool is_new = verdict.fate == BlockFate::active || verdict.fate == BlockFate::aside;
    if (is_new) records_.push_back({ChainRecord::Kind::block, hash});
    take_note(std::move(change));
    return verdict;
}

void RegtestChain::State::invalidate(const chain::BlockHash& hash) {
    const auto* const entry = blocks_.find(hash);
    require(entry != nullptr && entry->height > 0, "no block that could be left");
    records_.push_back({ChainRecord::Kind::invalidated, hash});
    take_note(BranchChoice(blocks_).invalidate(*entry));
}

void RegtestChain::State::reconsider(const chain::BlockHash& hash) {
    const auto* const entry = blocks_.find(hash);
    require(entry != nullptr, "no such block");
    records_.push_back({ChainRecord::Kind::reconsidered, hash});
    take_note(BranchChoice(blocks_).reconsider(*entry));
}

/// Brings mempool and purse up to what the active chain has become.
void RegtestChain::State::take_note(TipChange change) {
    if (!change.left_blocks && change.connected == 0) return;
    ++revision_;
    const auto& tip = blocks_.tip();
    const bool just_grew = !change.left_blocks && change.connected == 1;
    if (just_grew) purse_.on_block(tip.block.transactions, tip.block.txids, tip.height);
    revalidate_mempool(std::move(change.returned));
    if (!just_grew) purse_.reset(blocks_.coins(), mempool_.layer());
}

chain::Transaction RegtestChain::State::make_payment(std::vector<chain::TxOutput> outputs) {
    require(!outputs.empty(), "a payment has outputs");
    if (!purse_is_filled_) fill_purse();
    return spend_purse(std::move(outputs));
}

chain::Expected<chain::Txid, Rejection> RegtestChain::State::offer_payment(
    std::vector<chain::TxOutput> outputs, const MempoolPolicy& policy) {
    const chain::Transaction payment = make_payment(std::move(outputs));
    auto taken = offer(payment, policy);
    if (!taken) purse_.take_back(payment, blocks_.coins(), mempool_.layer());
    return taken;
}

/// Makes sure that many payments can be made at once, each of a confirmed coin.
void RegtestChain::State::fill_purse() {
    purse_is_filled_ = true;
    while (purse_.ripen(blocks_.next_height()) < kPurseCoinbases) {
        require(block_subsidy(blocks_.next_height()) > 0,
                "no subsidy is left to fill the purse with");
        mine_contents({}, {});
        revalidate_mempool();
    }
    const auto part = purse_.confirmed_value() / 2 / static_cast<chain::Satoshis>(kPurseParts);
    mine_exactly({spend_purse({kPurseParts, {part, purse_.script()}})}, {});
}

chain::Transaction RegtestChain::State::spend_purse(std::vector<chain::TxOutput> outputs) {
    const bool is_money = std::ranges::all_of(outputs, [](const auto& output) {
        return output.value >= 0 && output.value <= chain::kMaxMoney;
    });
    require(is_money, "a value is no money");
    purse_.ripen(blocks_.next_height());
    auto payment = purse_.make_payment(std::move(outputs), mempool_.layer());
    require(payment.has_value(),
            "the purse holds too little: it is paid by mined blocks, 100 blocks later");
    return *std::move(payment);
}

}  // namespace petal::net
