#include "tests/integration/block_log.h"

#include <algorithm>
#include <stdexcept>

namespace petal::test {
namespace {

constexpr chain::Satoshis kLeastCoin = 100'000'000;

/// BIP125: the transaction may be replaced while it is unconfirmed.
constexpr std::uint32_t kReplaceable = 0xfffffffd;

}  // namespace

const std::vector<net::Block>& BlockLog::blocks() {
    const std::uint32_t height = server_.height();
    std::vector<net::Block> fresh;
    chain::BlockHash hash = server_.hash_at(height);
    std::size_t at = height;
    while (at >= hashes_.size() || hashes_[at] != hash) {
        fresh.push_back(server_.block(hash));
        if (fresh.back().header.hash() != hash) throw std::runtime_error("not the block asked for");
        if (at == 0) break;
        hash = fresh.back().header.previous;
        --at;
    }
    const std::size_t kept = height + 1 - fresh.size();
    blocks_.resize(kept);
    hashes_.resize(kept);
    for (auto block = fresh.rbegin(); block != fresh.rend(); ++block) {
        hashes_.push_back(block->header.hash());
        blocks_.push_back(std::move(*block));
    }
    return blocks_;
}

chain::Satoshis fee_for(std::size_t inputs, std::size_t outputs, chain::Satoshis per_vbyte) {
    return per_vbyte * static_cast<chain::Satoshis>(11 + 69 * inputs + 31 * outputs);
}

Treasury::Treasury() {
    const chain::Bytes secret(32, 0x17);
    script_ = book_.add(wallet::PrivateKey::parse(secret).value());
}

SpendableOutput Treasury::next_coin(BlockLog& log) {
    const std::vector<net::Block>& blocks = log.blocks();
    std::set<chain::Outpoint> spent;
    for (const net::Block& block : blocks) {
        for (const chain::Transaction& transaction : block.transactions) {
            for (const chain::TxInput& input : transaction.inputs) spent.insert(input.prevout);
        }
    }
    // Only coinbases: nothing else of the treasury's survives every reorganisation.
    for (std::size_t height = 1; height + 100 < blocks.size(); ++height) {
        const chain::Outpoint outpoint{blocks[height].txids[0], 0};
        const chain::TxOutput& output = blocks[height].transactions[0].outputs[0];
        if (output.script_pubkey != script_ || output.value < kLeastCoin) continue;
        if (spent.contains(outpoint) || !used_.insert(outpoint).second) continue;
        return {outpoint, output};
    }
    throw std::runtime_error("the treasury is empty");
}

chain::Transaction Treasury::make(const SpendableOutput& coin, std::vector<chain::TxOutput> outputs,
                                  chain::Satoshis fee_rate) const {
    chain::Satoshis change = coin.output.value - fee_for(1, outputs.size() + 1, fee_rate);
    for (const chain::TxOutput& output : outputs) change -= output.value;
    if (change < 10'000) throw std::runtime_error("more than one coin of the treasury");
    chain::Transaction transaction;
    transaction.inputs = {{coin.outpoint, {}, kReplaceable, {}}};
    transaction.outputs = std::move(outputs);
    transaction.outputs.push_back({change, script_});
    book_.sign(transaction, {coin});
    return transaction;
}

chain::Transaction Treasury::pay(BlockLog& log, std::vector<chain::TxOutput> outputs) {
    const SpendableOutput coin = next_coin(log);
    coins_.emplace(coin.outpoint, coin);
    return make(coin, std::move(outputs), 5);
}

chain::Transaction Treasury::pay_instead(const chain::Transaction& original,
                                         std::vector<chain::TxOutput> outputs) {
    return make(coins_.at(original.inputs.at(0).prevout), std::move(outputs), 25);
}

}  // namespace petal::test
