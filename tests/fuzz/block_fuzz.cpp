/// Full blocks from arbitrary bytes: a decoded block is written back byte for byte, and a changed
/// list of transactions is never accepted for the original.
#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
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

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const ByteView input{data, size};
    const auto decoded = decode_block(input);
    if (!decoded) return 0;
    assert(std::ranges::equal(decoded->serialize(), input));

    Block block = with_true_root(*decoded);
    const auto txids = check_transactions(block);
    if (!txids) return 0;
    (void)check_witnesses(block.transactions, *txids);

    block.transactions.push_back(block.transactions.back());
    assert(!check_transactions(block));
    block.transactions.pop_back();
    block.transactions.back().lock_time ^= 1U;
    assert(!check_transactions(block));
    return 0;
}
