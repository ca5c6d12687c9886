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

// How many messages are hashed in one call of sha256d_all(): bounds the memory of their list.
constexpr std::size_t kHashesAtOnce = 256;

template <typename Serialize>
Bytes serialize_block(const Block& block, Serialize serialize) {
    ByteWriter writer;
    writer.bytes(block.header.serialize()).compact_size(block.transactions.size());
    for (const Transaction& transaction : block.transactions) writer.bytes(serialize(transaction));
    return writer.take();
}

// Hashes many messages, some at a time.
class HashQueue {
public:
    void add(const HashJob& job) {
        jobs_[waiting_++] = job;
        if (waiting_ == jobs_.size()) finish();
    }
    void finish() { sha256d_all(std::span(jobs_).first(std::exchange(waiting_, 0))); }

private:
    std::array<HashJob, kHashesAtOnce> jobs_;
    std::size_t waiting_ = 0;
};

Expected<std::vector<Txid>, BlockError> check_txids(std::vector<Txid> txids,
                                                    const BlockHeader& header, bool has_coinbase) {
    if (txids.empty()) return Unexpected(BlockError::no_coinbase);
    std::vector<Hash256> leaves;
    leaves.reserve(txids.size() + 1);
    for (const Txid& txid : txids) leaves.push_back({txid.bytes});
    const MerkleRoot root = merkle_root_of(std::move(leaves));
    if (root.hash != header.merkle_root) return Unexpected(BlockError::wrong_merkle_root);
    if (root.is_ambiguous) return Unexpected(BlockError::repeated_transactions);
    if (!has_coinbase) return Unexpected(BlockError::no_coinbase);
    return txids;
}

template <typename AnyTransaction>
Expected<void, BlockError> expect_no_witness(std::span<const AnyTransaction> transactions) {
    const bool any = std::ranges::any_of(transactions, &AnyTransaction::has_witness);
    if (any) return Unexpected(BlockError::unexpected_witness);
    return {};
}

std::optional<std::array<Byte, 32>> reserved_value_of(const Transaction& coinbase) {
    std::array<Byte, 32> value{};
    const auto& witness = coinbase.inputs.at(0).witness;
    if (witness.size() != 1 || witness[0].size() != value.size()) return std::nullopt;
    std::ranges::copy(witness[0], value.begin());
    return value;
}

Hash256 commitment_of(std::vector<Hash256> leaves, const std::array<Byte, 32>& reserved_value) {
    const Hash256 root = merkle_root_of(std::move(leaves)).hash;
    return sha256d({root.view(), reserved_value});
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

BlockView::BlockView(const Block& block)
    : BlockView(std::make_shared<const Bytes>(block.serialize())) {}

BlockView::BlockView(std::shared_ptr<const Bytes> bytes)
    : bytes_(*bytes), owned_(std::move(bytes)) {
    ByteReader reader{bytes_};
    find_transactions(reader);
    if (!reader.ok()) transactions_.clear();
}

Expected<BlockView, DecodeError> BlockView::find(ByteView bytes) {
    if (bytes.size() > kMaxBlockBytes) return Unexpected(DecodeError::too_large);
    BlockView view;
    view.bytes_ = bytes;
    ByteReader reader{bytes};
    view.find_transactions(reader);
    reader.expect_end();
    if (!reader.ok()) return Unexpected(reader.error());
    return view;
}

void BlockView::find_transactions(ByteReader& reader) {
    header_ = read_block_header(reader);
    hash_ = header_.hash();
    const std::size_t count = reader.read_count(kMaxTransactionsPerBlock, kMinTransactionBytes);
    std::size_t stripped_bytes_left = kMaxStrippedBytes;
    transactions_.reserve(count);
    for (std::size_t i = 0; i < count && reader.ok(); ++i) {
        transactions_.push_back(read_transaction_view(reader, stripped_bytes_left));
    }
}

void BlockView::own_bytes() {
    if (!owned_) *this = BlockView(std::make_shared<const Bytes>(bytes_.begin(), bytes_.end()));
}

Block BlockView::decode() const {
    Block block{header_, {}};
    block.transactions.reserve(transactions_.size());
    for (const TransactionView& transaction : transactions_) {
        block.transactions.push_back(to_transaction(transaction));
    }
    return block;
}

Block read_block(ByteReader& reader) {
    BlockView view;
    view.find_transactions(reader);
    return reader.ok() ? view.decode() : Block{};
}

Expected<Block, DecodeError> decode_block(ByteView bytes) {
    const auto view = BlockView::find(bytes);
    if (!view) return Unexpected(view.error());
    return view->decode();
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
    std::vector<Txid> txids;
    txids.reserve(block.transactions.size());
    for (const Transaction& transaction : block.transactions) txids.push_back(transaction.txid());
    const bool has_coinbase = !txids.empty() && block.transactions.front().is_coinbase();
    return check_txids(std::move(txids), block.header, has_coinbase);
}

Expected<std::vector<Txid>, BlockError> check_transactions(const BlockView& block) {
    const auto transactions = block.transactions();
    std::vector<Txid> txids(transactions.size());
    HashQueue queue;
    for (std::size_t i = 0; i < transactions.size(); ++i) {
        queue.add({transactions[i].stripped(), &txids[i].bytes});
    }
    queue.finish();
    const bool has_coinbase = !txids.empty() && transactions.front().is_coinbase();
    return check_txids(std::move(txids), block.header(), has_coinbase);
}

Expected<void, BlockError> check_witnesses(std::span<const Transaction> transactions,
                                           std::span<const Txid> txids) {
    assert(!transactions.empty());
    const Transaction& coinbase = transactions.front();
    const auto committed = find_witness_commitment(coinbase);
    if (!committed) return expect_no_witness(transactions);
    const auto reserved_value = reserved_value_of(coinbase);
    if (!reserved_value) return Unexpected(BlockError::malformed_reserved_value);
    if (witness_commitment(transactions, txids, *reserved_value) != *committed) {
        return Unexpected(BlockError::wrong_witness_commitment);
    }
    return {};
}

Expected<void, BlockError> check_witnesses(std::span<const TransactionView> transactions,
                                           std::span<const Txid> txids) {
    assert(!transactions.empty() && transactions.size() == txids.size());
    const Transaction coinbase = to_transaction(transactions.front());
    const auto committed = find_witness_commitment(coinbase);
    if (!committed) return expect_no_witness(transactions);
    const auto reserved_value = reserved_value_of(coinbase);
    if (!reserved_value) return Unexpected(BlockError::malformed_reserved_value);
    std::vector<Hash256> leaves(transactions.size());  // the coinbase's is zero
    HashQueue queue;
    for (std::size_t i = 1; i < leaves.size(); ++i) {
        leaves[i].bytes = txids[i].bytes;
        if (transactions[i].has_witness()) {
            queue.add({{transactions[i].bytes(), {}, {}}, &leaves[i].bytes});
        }
    }
    queue.finish();
    if (commitment_of(std::move(leaves), *reserved_value) != *committed) {
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
    return commitment_of(std::move(leaves), reserved_value);
}

Bytes witness_commitment_script(const Hash256& commitment) {
    return ByteWriter(kCommitmentScriptBytes)
        .bytes(kCommitmentPrefix)
        .bytes(commitment.view())
        .take();
}

}  // namespace petal::chain
