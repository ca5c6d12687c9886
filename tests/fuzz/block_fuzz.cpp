/// Full blocks from arbitrary bytes: a decoded block is written back byte for byte, and neither a
/// changed list of transactions nor changed witnesses are ever accepted for the original.
#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "chain/block.h"
#include "chain/merkle_proof.h"

using namespace petal::chain;

namespace {

Block with_true_root(Block block) {
    std::vector<Txid> txids;
    for (const Transaction& transaction : block.transactions) txids.push_back(transaction.txid());
    if (!txids.empty()) block.header.merkle_root = merkle_root(txids);
    return block;
}

/// Whether the block's witnesses are those that its coinbase commits to.
bool has_true_witnesses(const Block& block) {
    const auto txids = check_transactions(block);
    assert(txids);
    return check_witnesses(block.transactions, *txids).has_value();
}

/// Adds a commitment to the block's witnesses to its coinbase.
Block with_commitment(Block block, const std::vector<Txid>& txids) {
    const std::array<Byte, 32> reserved_value{};
    const Hash256 commitment = witness_commitment(block.transactions, txids, reserved_value);
    Transaction& coinbase = block.transactions.front();
    coinbase.outputs.push_back({0, witness_commitment_script(commitment)});
    coinbase.inputs.front().witness = {};
    coinbase.inputs.front().witness.push_back(reserved_value);
    return with_true_root(std::move(block));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const ByteView input{data, size};
    const auto decoded = decode_block(input);
    if (!decoded) return 0;
    assert(std::ranges::equal(decoded->serialize(), input));

    Block block = with_true_root(*decoded);
    const auto txids = check_transactions(block);
    if (!txids) return 0;
    const bool has_witness = std::ranges::any_of(block.transactions, &Transaction::has_witness);
    if (!find_witness_commitment(block.transactions.front())) {
        assert(check_witnesses(block.transactions, *txids).has_value() == !has_witness);
    }
    Block committed = with_commitment(block, *txids);
    assert(has_true_witnesses(committed));
    std::vector<TxInput>& inputs = committed.transactions.back().inputs;
    for (TxInput& changed : inputs) changed.witness.push_back(Bytes{1});
    assert(has_true_witnesses(committed) == inputs.empty());

    block.transactions.push_back(block.transactions.back());
    assert(!check_transactions(block));
    block.transactions.pop_back();
    block.transactions.back().lock_time ^= 1U;
    assert(!check_transactions(block));
    return 0;
}
