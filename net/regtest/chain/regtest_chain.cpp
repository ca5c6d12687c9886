#include "net/regtest/chain/regtest_chain.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

#include "chain/merkle_proof.h"
#include "chain/script/script.h"
#include "net/regtest/chain/chainstate.h"
#include "net/regtest/chain/regtest_purse.h"
#include "net/regtest/mempool/acceptance.h"

namespace petal::net {
namespace {

constexpr std::int64_t kBlockSpacing = 600;
/// Signals replaceability (BIP125).
constexpr std::uint32_t kSequence = 0xfffffffd;

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

/// As many bytes as a signature, or a signature and a public key, take.
chain::Witness filler_witness(chain::ByteView script_pubkey) {
    switch (chain::classify(script_pubkey)) {
        case chain::ScriptType::p2wpkh:
            return {chain::Bytes(71, 0x30), chain::Bytes(33, 0x02)};
        case chain::ScriptType::p2wsh:
            return {chain::Bytes(71, 0x30), chain::Bytes(35, 0x21)};
        case chain::ScriptType::p2tr:
            return {chain::Bytes(64, 0x01)};
        default:
            return {};
    }
}

}  // namespace

/// Mines on a chainstate: its mempool, its purse and the times of its blocks.
class RegtestChain::State {
public:
    explicit State(const RegtestChainOptions& options);

    void set_time(std::optional<std::int64_t> time) { time_ = time; }

    void mine_mempool(chain::ByteView script);
    void mine_empty(chain::ByteView script);
    const Block& mine_exactly(std::vector<chain::Transaction> transactions, chain::ByteView script);
    chain::Txid submit(chain::Transaction transaction);
    chain::Expected<chain::Txid, Rejection> offer(chain::Transaction transaction,
                                                  const MempoolPolicy& policy);
    void reorganise(std::uint32_t fork_height, std::uint32_t count, Dropped dropped);
    void invalidate(const chain::BlockHash& hash);
    void reconsider(const chain::BlockHash& hash);
    chain::Transaction make_payment(std::vector<chain::TxOutput> outputs);
    chain::Transaction make_spend(std::span<const chain::Outpoint> inputs,
                                  std::vector<chain::TxOutput> outputs) const;

    const Chainstate& blocks() const { return blocks_; }
    const RegtestMempool& mempool() const { return mempool_; }
    const std::vector<chain::Txid>& submitted() const { return submitted_; }
    std::uint64_t revision() const { return revision_; }

private:
    struct Contents {
        std::vector<chain::Transaction> transactions;
        std::vector<chain::Txid> txids;
        chain::Satoshis fees = 0;
    };

    std::uint32_t next_height() const { return blocks_.next_height(); }
    std::int64_t next_time() const;
    MempoolArrival arrival(std::uint64_t revision) const;
    TransactionLayer empty_layer() const { return {blocks_.coins(), blocks_.times()}; }
    const Block& append(Block block);
    void follow(const Chainstate::Entry& tip);
    const Block& mine_contents(Contents contents, chain::ByteView script);
    void revalidate_mempool(std::vector<chain::Transaction> returned = {});
    void fill_purse();
    chain::Transaction spend_purse(std::vector<chain::TxOutput> outputs);

    std::int64_t base_time_;
    std::optional<std::int64_t> time_;
    std::function<std::int64_t()> clock_;
    Chainstate blocks_;
    RegtestMempool mempool_;
    RegtestPurse purse_;
    bool purse_is_filled_;  // or is never filled
    std::uint32_t blocks_mined_ = 0;
    std::vector<chain::Txid> submitted_;
    std::uint64_t revision_ = 0;
};

RegtestChain::State::State(const RegtestChainOptions& options)
    : clock_(options.clock),
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
    const std::uint32_t height = next_height();
    const Block& appended = blocks_.connect(std::move(block));
    purse_.on_block(appended.transactions, appended.txids, height);
    ++revision_;
    return appended;
}

std::int64_t RegtestChain::State::next_time() const {
    const std::int64_t own_time = base_time_ + kBlockSpacing * std::int64_t{next_height()};
    return std::max(time_.value_or(own_time), blocks_.times().median_time_past() + 1);
}

const Block& RegtestChain::State::mine_contents(Contents contents, chain::ByteView script) {
    require(contents.transactions.size() < chain::kMaxTransactionsPerBlock,
            "no block has room for so many transactions");
    const std::int64_t time = next_time();
    require(time <= std::numeric_limits<std::uint32_t>::max(), "the time is past 2106");

    const chain::TxOutput reward{
        block_subsidy(next_height()) + contents.fees,
        script.empty() ? purse_.script() : chain::Bytes(script.begin(), script.end())};
    std::vector<chain::Transaction> transactions;
    transactions.reserve(contents.transactions.size() + 1);
    transactions.push_back(make_coinbase(next_height(), blocks_mined_++, reward));
    std::ranges::move(contents.transactions, std::back_inserter(transactions));
    commit_to_witnesses(transactions, contents.txids);
    contents.txids.insert(contents.txids.begin(), transactions.front().txid());
    return append(mine_block_on(blocks_.tip_hash(), static_cast<std::uint32_t>(time),
                                std::move(transactions), std::move(contents.txids)));
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

void RegtestChain::State::mine_empty(chain::ByteView script) {
    mine_contents({}, script);
    revalidate_mempool();
}

const Block& RegtestChain::State::mine_exactly(std::vector<chain::Transaction> transactions,
                                               chain::ByteView script) {
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
    const Block& block = mine_contents(std::move(contents), script);
    revalidate_mempool();
    return block;
}

void RegtestChain::State::revalidate_mempool(std::vector<chain::Transaction> returned) {
    mempool_ =
        std::move(mempool_).revalidated(empty_layer(), std::move(returned), arrival(revision_));
}

MempoolArrival RegtestChain::State::arrival(std::uint64_t revision) const {
    const auto& tip = blocks_.tip();
    return {revision, clock_ ? clock_() : std::int64_t{tip.block.header.time}, tip.height};
}

chain::Txid RegtestChain::State::submit(chain::Transaction transaction) {
    const chain::Txid txid = transaction.txid();
    if (mempool_.find(txid)) return txid;
    const auto result = mempool_.submit(std::move(transaction), txid, arrival(revision_ + 1));
    if (!result) throw std::invalid_argument(std::string(describe(result.error())));
    purse_.on_unconfirmed(mempool_.transactions().back(), txid);
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

void RegtestChain::State::reorganise(std::uint32_t fork_height, std::uint32_t count,
                                     Dropped dropped) {
    const std::uint32_t height = blocks_.tip().height;
    require(fork_height < height, "a reorganisation forks off below the tip");
    require(count > height - fork_height, "the new branch must be the longer one");
    std::vector<chain::Transaction> returned = blocks_.disconnect_down_to(fork_height);
    if (dropped == Dropped::forgotten) returned.clear();
    for (std::uint32_t i = 0; i < count; ++i) mine_contents({}, {});
    revalidate_mempool(std::move(returned));
    purse_.reset(blocks_.coins(), mempool_.layer());
}

void RegtestChain::State::invalidate(const chain::BlockHash& hash) {
    const auto* const entry = blocks_.find(hash);
    require(entry != nullptr && entry->height > 0, "no block that could be left");
    blocks_.mark_invalid(*entry);
    if (blocks_.is_active(*entry)) follow(blocks_.best_tip());
}

void RegtestChain::State::reconsider(const chain::BlockHash& hash) {
    const auto* const entry = blocks_.find(hash);
    require(entry != nullptr, "no such block");
    blocks_.unmark(*entry);
    const auto& best = blocks_.best_tip();
    if (best.height > blocks_.tip().height) follow(best);
}

/// Makes a block of any branch the tip. Each block on the way there was valid there before.
void RegtestChain::State::follow(const Chainstate::Entry& tip) {
    const auto& fork = blocks_.fork_point(tip);
    std::vector<const Chainstate::Entry*> branch;
    for (const auto* at = &tip; at != &fork; at = at->parent) branch.push_back(at);
    auto returned = blocks_.disconnect_down_to(fork.height);
    for (auto entry = branch.rbegin(); entry != branch.rend(); ++entry) {
        blocks_.reconnect(**entry);
    }
    ++revision_;
    revalidate_mempool(std::move(returned));
    purse_.reset(blocks_.coins(), mempool_.layer());
}

chain::Transaction RegtestChain::State::make_payment(std::vector<chain::TxOutput> outputs) {
    require(!outputs.empty(), "a payment has outputs");
    if (!purse_is_filled_) fill_purse();
    return spend_purse(std::move(outputs));
}

/// Makes sure that many payments can be made at once, each of a confirmed coin.
void RegtestChain::State::fill_purse() {
    purse_is_filled_ = true;
    while (purse_.ripen(next_height()) < kPurseCoinbases) {
        require(block_subsidy(next_height()) > 0, "no subsidy is left to fill the purse with");
        mine_empty({});
    }
    const auto part = purse_.confirmed_value() / 2 / static_cast<chain::Satoshis>(kPurseParts);
    mine_exactly({spend_purse({kPurseParts, {part, purse_.script()}})}, {});
}

chain::Transaction RegtestChain::State::spend_purse(std::vector<chain::TxOutput> outputs) {
    const bool is_money = std::ranges::all_of(outputs, [](const auto& output) {
        return output.value >= 0 && output.value <= chain::kMaxMoney;
    });
    require(is_money, "a value is no money");
    purse_.ripen(next_height());
    auto payment = purse_.make_payment(std::move(outputs), mempool_.layer());
    require(payment.has_value(),
            "the purse holds too little: it is paid by mined blocks, 100 blocks later");
    return *std::move(payment);
}

chain::Transaction RegtestChain::State::make_spend(std::span<const chain::Outpoint> inputs,
                                                   std::vector<chain::TxOutput> outputs) const {
    require(!inputs.empty() && !outputs.empty(), "a transaction has inputs and outputs");
    chain::Transaction transaction;
    for (const auto& outpoint : inputs) {
        chain::TxInput input{outpoint, {}, kSequence, {}};
        if (const auto* const output = mempool_.layer().output(outpoint)) {
            input.witness = filler_witness(output->script_pubkey);
        }
        transaction.inputs.push_back(std::move(input));
    }
    transaction.outputs = std::move(outputs);
    return transaction;
}

RegtestChain::RegtestChain(std::int64_t first_time)
    : RegtestChain(RegtestChainOptions{first_time, PurseKind::anyone_can_spend}) {}
RegtestChain::RegtestChain(const RegtestChainOptions& options)
    : state_(std::make_unique<State>(options)) {}
RegtestChain::~RegtestChain() = default;
RegtestChain::RegtestChain(RegtestChain&&) noexcept = default;
RegtestChain& RegtestChain::operator=(RegtestChain&&) noexcept = default;

void RegtestChain::set_time(std::optional<std::int64_t> time) {
    state_->set_time(time);
}

std::uint32_t RegtestChain::height() const {
    return state_->blocks().tip().height;
}

chain::BlockHash RegtestChain::tip() const {
    return state_->blocks().tip_hash();
}

const Block& RegtestChain::block_at(std::uint32_t height) const {
    require(height <= this->height(), "there is no block at this height");
    return state_->blocks().at(height).block;
}

const Block* RegtestChain::find(const chain::BlockHash& hash) const {
    const auto* const entry = state_->blocks().find(hash);
    return entry == nullptr ? nullptr : &entry->block;
}

std::optional<std::uint32_t> RegtestChain::height_of(const chain::BlockHash& hash) const {
    const auto* const entry = state_->blocks().find(hash);
    if (entry == nullptr) return std::nullopt;
    return entry->height;
}

bool RegtestChain::is_active(const chain::BlockHash& hash) const {
    const auto* const entry = state_->blocks().find(hash);
    return entry != nullptr && state_->blocks().is_active(*entry);
}

void RegtestChain::mine(std::uint32_t count, chain::ByteView script_pubkey) {
    for (std::uint32_t i = 0; i < count; ++i) state_->mine_mempool(script_pubkey);
}

const Block& RegtestChain::mine_block(std::vector<chain::Transaction> transactions,
                                      chain::ByteView coinbase_script) {
    return state_->mine_exactly(std::move(transactions), coinbase_script);
}

chain::Transaction RegtestChain::make_payment(std::vector<chain::TxOutput> outputs) {
    return state_->make_payment(std::move(outputs));
}

chain::Txid RegtestChain::pay(chain::ByteView script_pubkey, chain::Satoshis value) {
    return submit(make_payment({{value, {script_pubkey.begin(), script_pubkey.end()}}}));
}

chain::Transaction RegtestChain::make_spend(std::span<const chain::Outpoint> inputs,
                                            std::vector<chain::TxOutput> outputs) {
    return state_->make_spend(inputs, std::move(outputs));
}

chain::Txid RegtestChain::submit(chain::Transaction transaction) {
    return state_->submit(std::move(transaction));
}

chain::Expected<chain::Txid, Rejection> RegtestChain::offer(chain::Transaction transaction,
                                                            const MempoolPolicy& policy) {
    return state_->offer(std::move(transaction), policy);
}

const std::vector<chain::Transaction>& RegtestChain::mempool() const {
    return state_->mempool().transactions();
}

const chain::Transaction* RegtestChain::find_in_mempool(const chain::Txid& txid) const {
    const auto position = mempool_position(txid);
    return position ? &mempool()[*position] : nullptr;
}

std::optional<std::size_t> RegtestChain::mempool_position(const chain::Txid& txid) const {
    return state_->mempool().find(txid);
}

const RegtestMempool& RegtestChain::pool() const {
    return state_->mempool();
}

const std::vector<MempoolEntry>& RegtestChain::mempool_entries() const {
    return state_->mempool().entries();
}

const std::vector<chain::Txid>& RegtestChain::submitted() const {
    return state_->submitted();
}

void RegtestChain::reorganise(std::uint32_t fork_height, std::uint32_t count, Dropped dropped) {
    state_->reorganise(fork_height, count, dropped);
}

void RegtestChain::invalidate(const chain::BlockHash& hash) {
    state_->invalidate(hash);
}

void RegtestChain::reconsider(const chain::BlockHash& hash) {
    state_->reconsider(hash);
}

const CoinSet& RegtestChain::coins() const {
    return state_->blocks().coins();
}

std::map<chain::Outpoint, chain::TxOutput> RegtestChain::unspent(
    chain::ByteView script_pubkey) const {
    std::map<chain::Outpoint, chain::TxOutput> result;
    for (const auto& [outpoint, coin] : state_->blocks().coins().all()) {
        if (!std::ranges::equal(coin.output->script_pubkey, script_pubkey)) continue;
        result.emplace(outpoint, *coin.output);
    }
    return result;
}

std::uint64_t RegtestChain::revision() const {
    return state_->revision();
}

}  // namespace petal::net
