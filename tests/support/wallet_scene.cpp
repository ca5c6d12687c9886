#include "tests/support/wallet_scene.h"

#include <cassert>

#include "chain/script/script.h"

namespace petal::test {

chain::Bytes foreign_script(std::uint32_t number) {
    chain::Hash160 hash{0xff, 0xff};
    for (std::size_t i = 0; i < 4; ++i) {
        hash[16 + i] = static_cast<chain::Byte>(number >> (8 * i));
    }
    return chain::p2wpkh_script(hash);
}

chain::Outpoint foreign_coin(std::uint32_t number) {
    chain::Outpoint outpoint;
    outpoint.txid.bytes[0] = 0xee;
    for (std::size_t i = 0; i < 4; ++i) {
        outpoint.txid.bytes[28 + i] = static_cast<chain::Byte>(number >> (8 * i));
    }
    return outpoint;
}

chain::Transaction spend(const std::vector<chain::Outpoint>& inputs,
                         const std::vector<Payment>& payments) {
    chain::Transaction transaction;
    for (const chain::Outpoint& input : inputs) transaction.inputs.push_back({input, {}, 0, {}});
    for (const auto& [value, script] : payments) transaction.outputs.push_back({value, script});
    return transaction;
}

chain::Transaction coinbase(std::uint32_t height, const std::vector<Payment>& payments,
                            std::uint32_t salt) {
    chain::Transaction transaction = spend({{{}, 0xffffffff}}, payments);
    transaction.inputs[0].script_sig = chain::push_number(height);
    // A coinbase scriptSig has at least two bytes, as Bitcoin Core's miner ensures.
    transaction.inputs[0].script_sig.push_back(0x00);
    transaction.inputs[0].sequence = salt;
    return transaction;
}

chain::Outpoint output_of(const chain::Transaction& transaction, std::uint32_t index) {
    return {transaction.txid(), index};
}

chain::Bytes own_script(std::uint32_t index, wallet::KeyChain chain) {
    return {0x6a, static_cast<chain::Byte>(chain), static_cast<chain::Byte>(index >> 8),
            static_cast<chain::Byte>(index)};
}

std::optional<wallet::KeyPath> owner_of(chain::ByteView script) {
    constexpr std::size_t kScriptSize = 4;  // a tag, the chain, the index
    if (script.size() != kScriptSize || script[0] != 0x6a) return std::nullopt;
    return wallet::KeyPath{static_cast<wallet::KeyChain>(script[1]),
                           static_cast<std::uint32_t>(script[2] << 8 | script[3])};
}

std::vector<wallet::Credit> credits_in(const chain::Transaction& transaction) {
    std::vector<wallet::Credit> credits;
    for (std::uint32_t i = 0; i < transaction.outputs.size(); ++i) {
        const auto& output = transaction.outputs[i];
        if (const auto path = owner_of(output.script_pubkey)) {
            credits.push_back({i, output.value, *path});
        }
    }
    return credits;
}

SceneChain::SceneChain(std::uint32_t first_height) : first_(first_height) {
    assert(first_height > 0);
}

const chain::ProvenBlock& SceneChain::mine(const std::vector<chain::Transaction>& transactions) {
    chain::ProvenBlock block;
    const std::uint32_t height = next_height();
    // Foreign transactions of the block are between the transactions that were found.
    std::vector<chain::Txid> txids{{foreign_coin(height).txid}};
    std::vector<bool> matches{false};
    for (const chain::Transaction& transaction : transactions) {
        if (!transaction.is_coinbase()) {
            txids.push_back(foreign_coin(static_cast<std::uint32_t>(txids.size())).txid);
            txids.emplace_back();
            matches.resize(txids.size());
        }
        const auto position = static_cast<std::uint32_t>(txids.size() - 1);
        txids[position] = transaction.txid();
        matches[position] = true;
        block.transactions.push_back({position, txids[position], transaction});
    }
    const auto branches = chain::merkle_branches(chain::make_merkle_proof(txids, matches));
    for (std::size_t i = 0; i < branches.size(); ++i) block.transactions[i].branch = branches[i];
    block.transaction_count = static_cast<std::uint32_t>(txids.size());
    block.header.previous = tip().hash;
    block.header.merkle_root = chain::merkle_root(txids);
    block.header.time = time_at(height);
    block.header.nonce = branch_;
    block.block = {height, block.header.hash()};
    return blocks_.emplace_back(std::move(block));
}

void SceneChain::mine_empty(std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) mine();
}

chain::BlockRef SceneChain::cut(std::uint32_t height) {
    assert(height + 1 >= first_ && height < next_height());
    blocks_.resize(height + 1 - first_);
    ++branch_;
    return tip();
}

void SceneChain::put_back(const std::vector<chain::ProvenBlock>& blocks) {
    for (const chain::ProvenBlock& block : blocks) {
        assert(block.block.height == next_height());
        blocks_.push_back(block);
    }
}

}  // namespace petal::test
