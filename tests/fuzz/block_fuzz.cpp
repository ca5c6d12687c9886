/// Full blocks from arbitrary bytes: a decoded block is written back byte for byte, a view of it
/// has the same transactions and passes the same checks, and neither a changed list of transactions
/// nor changed witnesses are ever accepted for the original.
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

/// Checks that the parts of each transaction are found where decoding and serialization put them.
void check_view(const BlockView& view, const Block& block) {
    assert(view.transactions().size() == block.transactions.size());
    for (std::size_t i = 0; i < block.transactions.size(); ++i) {
        const TransactionView& found = view.transactions()[i];
        const Transaction& transaction = block.transactions[i];
        assert(std::ranges::equal(found.bytes(), transaction.serialize()));
        Bytes stripped;
        for (const ByteView part : found.stripped()) {
            stripped.insert(stripped.end(), part.begin(), part.end());
        }
        assert(stripped == transaction.serialize_without_witness());
        assert(found.has_witness() == transaction.has_witness());
        assert(found.is_coinbase() == transaction.is_coinbase());
    }
    const auto txids = check_transactions(block);
    const auto in_view = check_transactions(view);
    assert(txids.has_value() == in_view.has_value());
    if (!txids) return assert(txids.error() == in_view.error());
    assert(*txids == *in_view);
    const auto checked = check_witnesses(block.transactions, *txids);
    const auto checked_in_view = check_witnesses(view.transactions(), *txids);
    assert(checked.has_value() == checked_in_view.has_value());
    assert(checked || checked.error() == checked_in_view.error());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const ByteView input{data, size};
    const auto decoded = decode_block(input);
    if (!decoded) return 0;
    assert(std::ranges::equal(decoded->serialize(), input));
    check_view(BlockView::find(input).value(), *decoded);

    Block block = with_true_root(*decoded);
    check_view(BlockView(block), block);
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
