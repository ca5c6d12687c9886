#include "net/sync/blocks/filtered_block.h"

#include <cassert>
#include <string>
#include <utility>

namespace petal::net {

using chain::Unexpected;

void add_branches(std::vector<chain::ProvenTransaction>& transactions,
                  const chain::PartialMerkleTree& proof) {
    if (transactions.empty()) return;
    auto branches = chain::merkle_branches(proof);
    assert(branches.size() == transactions.size());
    for (std::size_t i = 0; i < transactions.size(); ++i) {
        transactions[i].branch = std::move(branches[i]);
    }
}

chain::Expected<FilteredBlock, Violation> FilteredBlock::start(const MerkleBlock& message,
                                                               const chain::BlockRef& block) {
    FilteredBlock result;
    auto proven = chain::check_ambiguous_merkle_proof(message.tree, message.header.merkle_root);
    if (!proven) {
        return Unexpected(Violation{
            DisconnectReason::invalid_proof,
            "block " + block.hash.to_hex() + ": " + std::string(describe(proven.error()))});
    }
    result.expected_ = std::move(proven->matches);
    result.needs_full_block_ = proven->is_ambiguous;
    result.block_.block = block;
    result.block_.header = message.header;
    result.block_.transaction_count = message.tree.transaction_count;
    if (!result.complete()) result.proof_ = message.tree;
    return result;
}

bool FilteredBlock::expects(const chain::Txid& txid) const {
    return !complete() && expected_[next_].txid == txid;
}

chain::Expected<void, Violation> FilteredBlock::take(chain::Transaction transaction) {
    assert(!complete());
    const chain::MerkleMatch& match = expected_[next_];
    const std::size_t stripped_bytes = transaction.stripped_size();
    stripped_bytes_ += stripped_bytes;
    if (stripped_bytes_ > chain::kMaxStrippedBytes) {
        return Unexpected(Violation{DisconnectReason::invalid_proof,
                                    "block " + block_.block.hash.to_hex() + " has more than " +
                                        std::to_string(chain::kMaxStrippedBytes) + " bytes"});
    }
    needs_full_block_ = needs_full_block_ || chain::is_merkle_node_sized(stripped_bytes);
    // The proof does not cover witnesses: they may have any content and size (BIP141).
    block_.transactions.push_back(
        {match.position, match.txid, without_witness(std::move(transaction))});
    ++next_;
    return {};
}

chain::ProvenBlock FilteredBlock::finish() && {
    assert(complete());
    // Added only now: the branches of many matches take many times the bytes of their proof. A peer
    // could make the wallet hold them without sending a transaction.
    add_branches(block_.transactions, proof_);
    return std::move(block_);
}

}  // namespace petal::net
