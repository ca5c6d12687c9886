// The block's wire form, its merkle root and its witness commitment (BIP141).
#include "chain/block.h"

#include <algorithm>
#include <cassert>
#include <optional>
#include <utility>

#include "chain/byte_writer.h"
#include "chain/enum_table.h"
#include "chain/merkle_proof.h"

namespace petal::chain {

namespace {

// One input and one output with empty scripts.
constexpr std::size_t kMinTransactionBytes = 60;

// OP_RETURN, a push of 36 bytes, and the four that mark a commitment (BIP141).
constexpr std::array<Byte, 6> kCommitmentPrefix = {0x6a, 0x24, 0xaa, 0x21, 0xa9, 0xed};
constexpr std::size_t kCommitmentScriptBytes = kCommitmentPrefix.size() + 32;

template <typename Serialize>
Bytes serialize_block(const Block& block, Serialize serialize) {
    ByteWriter writer;
    writer.bytes(block.header.serialize()).compact_size(block.transactions.size());
    for (const Transaction& transaction : block.transactions) writer.bytes(serialize(transaction));
    return writer.take();
}

}  // namespace

Bytes Block::serialize() const {
    return serialize_block(*this, [](const Transaction& of) { return of.serialize(); });
}

Bytes Block::serialize_without_witness() const {
    return serialize_block(*this,
                           [](const Transaction& of) { return of.serialize_without_witness(); });
}

std::size_t stripped_block_size(std::span<const Transaction> transactions) {
    std::size_t size = kHeaderBytes + compact_size_bytes(transactions.size());
    for (const Transaction& transaction : transactions) size += transaction.stripped_size();
    return size;
}

Block read_block(ByteReader& reader) {
    Block block;
    block.header = read_block_header(reader);
    const std::size_t count = reader.read_count(kMaxTransactionsPerBlock, kMinTransactionBytes);
    std::size_t stripped_bytes_left = kMaxStrippedBytes;
    block.transactions.reserve(count);
    for (std::size_t i = 0; i < count && reader.ok(); ++i) {
        block.transactions.push_back(read_transaction(reader, stripped_bytes_left));
    }
    if (!reader.ok()) return {};
    return block;
}

Expected<Block, DecodeError> decode_block(ByteView bytes) {
    if (bytes.size() > kMaxBlockBytes) return Unexpected(DecodeError::too_large);
    ByteReader reader{bytes};
    Block block = read_block(reader);
    reader.expect_end();
    if (!reader.ok()) return Unexpected(reader.error());
    return block;
}

std::string_view describe(BlockError error) {
    using enum BlockError;
    static constexpr auto kTexts = enum_table<BlockError, std::string_view>({
        {no_coinbase, "the block does not begin with a coinbase"},
        {repeated_transactions, "the block repeats transactions (CVE-2012-2459)"},
        {wrong_merkle_root, "the transactions are not those of the block's header"},
        {unexpected_witness, "the block has witnesses but does not commit to them"},
        {malformed_reserved_value,
         "the coinbase's witness is not the 32 bytes that the commitment needs"},
        {wrong_witness_commitment, "the block commits to other witnesses"},
    });
    return kTexts[error];
}

Expected<std::vector<Txid>, BlockError> check_transactions(const Block& block) {
    if (block.transactions.empty()) return Unexpected(BlockError::no_coinbase);
    std::vector<Txid> txids;
    std::vector<Hash256> leaves;
    txids.reserve(block.transactions.size());
    leaves.reserve(block.transactions.size());
    for (const Transaction& transaction : block.transactions) {
        txids.push_back(transaction.txid());
        leaves.push_back({txids.back().bytes});
    }
    const MerkleRoot root = merkle_root_of(std::move(leaves));
    if (root.hash != block.header.merkle_root) return Unexpected(BlockError::wrong_merkle_root);
    if (root.is_ambiguous) return Unexpected(BlockError::repeated_transactions);
    if (!block.transactions.front().is_coinbase()) return Unexpected(BlockError::no_coinbase);
    return txids;
}

Expected<void, BlockError> check_witnesses(std::span<const Transaction> transactions,
                                           std::span<const Txid> txids) {
    assert(!transactions.empty());
    const Transaction& coinbase = transactions.front();
    const auto committed = find_witness_commitment(coinbase);
    if (!committed) {
        const bool any = std::ranges::any_of(transactions, &Transaction::has_witness);
        if (any) return Unexpected(BlockError::unexpected_witness);
        return {};
    }
    std::array<Byte, 32> reserved_value{};
    const auto& witness = coinbase.inputs.at(0).witness;
    if (witness.size() != 1 || witness[0].size() != reserved_value.size()) {
        return Unexpected(BlockError::malformed_reserved_value);
    }
    std::ranges::copy(witness[0], reserved_value.begin());
    if (witness_commitment(transactions, txids, reserved_value) != *committed) {
        return Unexpected(BlockError::wrong_witness_commitment);
    }
    return {};
}

std::optional<Hash256> find_witness_commitment(const Transaction& coinbase) {
    for (auto output = coinbase.outputs.rbegin(); output != coinbase.outputs.rend(); ++output) {
        const ByteView script = output->script_pubkey;
        if (script.size() < kCommitmentScriptBytes) continue;
        if (!std::ranges::equal(script.first(kCommitmentPrefix.size()), kCommitmentPrefix))
            continue;
        return Hash256::from_view(script.subspan(kCommitmentPrefix.size()));
    }
    return std::nullopt;
}

Hash256 witness_commitment(std::span<const Transaction> transactions, std::span<const Txid> txids,
                           const std::array<Byte, 32>& reserved_value) {
    assert(!transactions.empty() && transactions.size() == txids.size());
    std::vector<Hash256> leaves(transactions.size());  // the coinbase's is zero
    for (std::size_t i = 1; i < leaves.size(); ++i) {
        // Without a witness, the wtxid is the txid.
        const bool has_witness = transactions[i].has_witness();
        leaves[i].bytes = has_witness ? transactions[i].wtxid().bytes : txids[i].bytes;
    }
    const Hash256 root = merkle_root_of(std::move(leaves)).hash;
    return sha256d({root.view(), reserved_value});
}

Bytes witness_commitment_script(const Hash256& commitment) {
    return ByteWriter(kCommitmentScriptBytes)
        .bytes(kCommitmentPrefix)
        .bytes(commitment.view())
        .take();
}

}  // namespace petal::chain
