#include "net/regtest/chain/regtest_chain.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "chain/script/script.h"
#include "net/regtest/chain/regtest_chain_state.h"

namespace petal::net {
namespace {

/// Signals replaceability (BIP125).
constexpr std::uint32_t kSequence = 0xfffffffd;

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
    if (height > this->height()) {
        throw std::invalid_argument("there is no block at this height");
    }
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

chain::Expected<chain::Txid, Rejection> RegtestChain::offer_payment(
    std::vector<chain::TxOutput> outputs, const MempoolPolicy& policy) {
    return state_->offer_payment(std::move(outputs), policy);
}

chain::Transaction RegtestChain::make_spend(std::span<const chain::Outpoint> inputs,
                                            std::vector<chain::TxOutput> outputs) {
    if (inputs.empty() || outputs.empty()) {
        throw std::invalid_argument("a transaction has inputs and outputs");
    }
    chain::Transaction transaction;
    for (const auto& outpoint : inputs) {
        chain::TxInput input{outpoint, {}, kSequence, {}};
        if (const auto* const output = pool().layer().output(outpoint)) {
            input.witness = filler_witness(output->script_pubkey);
        }
        transaction.inputs.push_back(std::move(input));
    }
    transaction.outputs = std::move(outputs);
    return transaction;
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

bool RegtestChain::is_wrong(const chain::BlockHash& hash) const {
    return state_->blocks().is_wrong(hash);
}

const std::vector<ChainRecord>& RegtestChain::records() const {
    return state_->records();
}

bool RegtestChain::drop(const chain::Txid& txid) {
    return state_->drop(txid);
}

std::optional<chain::Transaction> RegtestChain::make_conflict(const chain::Outpoint& outpoint,
                                                              const chain::TxOutput& output) const {
    return state_->purse().make_conflict(outpoint, output);
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
