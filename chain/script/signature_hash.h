/// Signature hashes: legacy, segwit (BIP143) and taproot (BIP341).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "chain/bytes.h"
#include "chain/hash.h"
#include "chain/script/sha256_prefix.h"
#include "chain/transaction.h"

namespace petal::chain {

/// The hash types, which select the parts of a transaction that a signature commits to (Bitcoin
/// Core: interpreter.h, SIGHASH_ALL etc.). The bits of kSighashOutputMask select the outputs. The
/// bit kSighashAnyoneCanPay excludes all inputs except the signed input.
inline constexpr std::uint32_t kSighashAll = 1;
inline constexpr std::uint32_t kSighashNone = 2;
inline constexpr std::uint32_t kSighashSingle = 3;
inline constexpr std::uint32_t kSighashOutputMask = 0x1f;
inline constexpr std::uint32_t kSighashAnyoneCanPay = 0x80;

/// True for the six named types. All undefined types hash like SIGHASH_ALL, but are not standard
/// (Bitcoin Core: IsDefinedHashtypeSignature).
bool is_defined_hash_type(std::uint32_t hash_type);

/// Whether the hash commits to all inputs. In taproot it then also commits to all spent outputs.
bool covers_other_inputs(std::uint32_t hash_type);

/// What a signature of a taproot output commits to, apart from the transaction.
struct TaprootSpend {
    std::optional<std::array<Byte, 32>> annex_hash;  ///< of the annex after its length
    /// Of the script that is run (BIP342). Empty for the key path.
    std::optional<std::array<Byte, 32>> leaf_hash;
    /// The number of the last executed OP_CODESEPARATOR among the script's operations.
    std::uint32_t code_separator = 0xffffffff;
};

/// The annex_hash of an annex.
std::array<Byte, 32> hash_annex(ByteView annex);

/// The signature hashes of one transaction. Not thread-safe. Cost:
/// - BIP143 and BIP341: the data that inputs share is hashed once. Hashing all inputs takes time
///   linear in the transaction's size.
/// - legacy: each hash covers the whole transaction. The bytes before an input are hashed once for
///   all later inputs, which halves the work. The time is still quadratic in the number of inputs,
///   so untrusted callers' transactions must be limited in weight.
class SighashCache {
public:
    /// The transaction must outlive the cache. Only the witnesses and scriptSigs may change while
    /// the cache exists.
    ///
    /// spent_outputs   the outputs that the inputs spend, in the order of the inputs. Empty if not
    ///                 all are known. Only taproot needs them
    explicit SighashCache(const Transaction& transaction,
                          std::span<const TxOutput> spent_outputs = {});
    explicit SighashCache(Transaction&&, std::span<const TxOutput> = {}) = delete;

    const Transaction& transaction() const { return transaction_; }
    bool knows_spent_outputs() const { return knows_spent_outputs_; }

    /// The legacy hash (Bitcoin Core: SignatureHash, SigVersion::BASE). `input_index` must be an
    /// input of the transaction. OP_CODESEPARATORs in `script_code` are removed. The caller removes
    /// signatures (FindAndDelete). The result is the number 1 for SIGHASH_SINGLE at an input
    /// without an output of the same index.
    Hash256 legacy_hash(std::size_t input_index, ByteView script_code,
                        std::uint32_t hash_type) const;

    /// The hash of BIP143, which covers the spent amount.
    Hash256 segwit_hash(std::size_t input_index, ByteView script_code, Satoshis amount,
                        std::uint32_t hash_type) const;

    /// Whether BIP341 defines a hash of this type for this input (see taproot_hash()).
    bool has_taproot_hash(std::size_t input_index, std::uint32_t hash_type) const;

    /// The hash of BIP341 and BIP342 for a spend of `spent`. 0 is SIGHASH_DEFAULT, which covers the
    /// same data as SIGHASH_ALL. If the type covers_other_inputs(), the cache must know the spent
    /// outputs. Empty if BIP341 defines no hash:
    /// - the type is not one of the seven types of BIP341
    /// - SIGHASH_SINGLE, at an input without an output of the same index
    std::optional<std::array<Byte, 32>> taproot_hash(std::size_t input_index, const TxOutput& spent,
                                                     std::uint32_t hash_type,
                                                     const TaprootSpend& spend = {}) const;

private:
    const std::array<Byte, 32>& single_output_hash(std::size_t index) const;
    Hash256 outputs_hash(std::size_t input_index, std::uint32_t hash_type) const;
    Hash256 legacy_hash_of_all(std::size_t input_index, ByteView script_code,
                               std::uint32_t hash_type) const;

    const Transaction& transaction_;
    // Single SHA-256 hashes, as in BIP341. BIP143 hashes these hashes once more.
    std::array<Byte, 32> prevouts_;
    std::array<Byte, 32> sequences_;
    std::array<Byte, 32> outputs_;
    std::array<Byte, 32> amounts_{};
    std::array<Byte, 32> scripts_{};
    bool knows_spent_outputs_ = false;
    // Set by the first legacy_hash(): the transaction without scripts, and the hash state up to an
    // input's script.
    mutable Bytes without_scripts_;
    mutable Sha256Prefix prefix_;
    // The hash of the last output that SIGHASH_SINGLE covered, so that the number of signatures of
    // an input does not multiply the size of the output.
    mutable std::optional<std::size_t> single_index_;
    mutable std::array<Byte, 32> single_hash_{};
};

}  // namespace petal::chain
