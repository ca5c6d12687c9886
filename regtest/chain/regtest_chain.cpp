#include "regtest/chain/regtest_chain.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "regtest/chain/regtest_chain_state.h"

namespace petal::regtest {

RegtestChain::RegtestChain(const RegtestChainOptions& options)
    : state_(std::make_unique<State>(options)) {}
RegtestChain::~RegtestChain() = default;
RegtestChain::RegtestChain(RegtestChain&&) noexcept = default;

void RegtestChain::set_time(std::optional<std::int64_t> time) {
    state_->clock().set_time(time);
}

std::uint32_t RegtestChain::height() const {
    return blocks().tip().height;
}

chain::BlockHash RegtestChain::tip() const {
    return blocks().tip_hash();
}

RegtestBlock RegtestChain::block_at(std::uint32_t height) const {
    if (height > this->height()) {
        throw std::invalid_argument("there is no block at this height");
    }
    return blocks().at(height).block();
}

void RegtestChain::mine(std::uint32_t count, chain::ByteView script_pubkey) {
    for (std::uint32_t i = 0; i < count; ++i) state_->mine_mempool(script_pubkey);
}

RegtestBlock RegtestChain::mine_block(std::vector<chain::Transaction> transactions,
                                      chain::ByteView coinbase_script) {
    return state_->mine_exactly(std::move(transactions), coinbase_script);
}

RegtestBlock RegtestChain::mine_made_up(std::vector<chain::Transaction> transactions) {
    return state_->mine_made_up(std::move(transactions));
}

RegtestBlock RegtestChain::assemble(std::vector<chain::Transaction> transactions,
                                    chain::ByteView coinbase_script) const {
    return state_->assemble(std::move(transactions), coinbase_script);
}

chain::Transaction RegtestChain::make_payment(std::vector<chain::TxOutput> outputs) {
    return state_->make_payment(std::move(outputs));
}

chain::Txid RegtestChain::pay(chain::ByteView script_pubkey, chain::Satoshis value) {
    return submit(make_payment({{value, {script_pubkey.begin(), script_pubkey.end()}}}));
}

chain::Expected<chain::Txid, Rejection> RegtestChain::offer_payment(
    std::vector<chain::TxOutput> outputs, const MempoolPolicy& policy, const PaymentTerms& terms) {
    return state_->offer_payment(std::move(outputs), policy, terms);
}

chain::Txid RegtestChain::submit(chain::Transaction transaction) {
    return state_->submit(std::move(transaction));
}

chain::Expected<chain::Txid, Rejection> RegtestChain::offer(chain::Transaction transaction,
                                                            const MempoolPolicy& policy) {
    return state_->offer(std::move(transaction), policy);
}

BlockVerdict RegtestChain::offer_block(chain::Block block, FutureTimes future_times) {
    return state_->offer_block(std::move(block), future_times);
}

bool RegtestChain::drop(const chain::Txid& txid) {
    return state_->drop(txid);
}

void RegtestChain::reorganise(std::uint32_t fork_height, std::uint32_t count, Dropped dropped) {
    state_->reorganise(fork_height, count, dropped);
}

void RegtestChain::reorganise_with(std::uint32_t fork_height,
                                   std::vector<chain::Transaction> transactions) {
    const std::uint32_t count = height() - std::min(fork_height, height()) + 1;
    state_->reorganise(fork_height, count, Dropped::to_mempool, std::move(transactions));
}

void RegtestChain::invalidate(const chain::BlockHash& hash) {
    state_->invalidate(hash);
}

void RegtestChain::reconsider(const chain::BlockHash& hash) {
    state_->reconsider(hash);
}

void RegtestChain::prefer(const chain::BlockHash& hash) {
    state_->prefer(hash);
}

const Chainstate& RegtestChain::blocks() const {
    return state_->blocks();
}

const BlockFilterIndex& RegtestChain::filters() const {
    return state_->filters();
}

const RegtestMempool& RegtestChain::mempool() const {
    return state_->mempool();
}

const RegtestPurse& RegtestChain::purse() const {
    return state_->purse();
}

const ChainHistory& RegtestChain::history() const {
    return state_->history();
}

}  // namespace petal::regtest
