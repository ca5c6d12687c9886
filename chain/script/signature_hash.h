/// The hashes that signatures sign: those before segwit, those of BIP143, and those of BIP341.
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

/// The parts of a transaction that a signature commits to (Bitcoin Core: interpreter.h, SIGHASH_ALL
/// and so on). The bits of kSighashOutputMask select the outputs; kSighashAnyoneCanPay is added to
/// leave out other inputs.
inline constexpr std::uint32_t kSighashAll = 1;
inline constexpr std::uint32_t kSighashNone = 2;
inline constexpr std::uint32_t kSighashSingle = 3;
inline constexpr std::uint32_t kSighashOutputMask = 0x1f;
inline constexpr std::uint32_t kSighashAnyoneCanPay = 0x80;

/// True for the six named types; the others hash like SIGHASH_ALL, but are not standard (Bitcoin
/// Core: IsDefinedHashtypeSignature).
bool is_defined_hash_type(std::uint32_t hash_type);

/// Whether the hash commits to all inputs; with taproot, then also to all spent outputs.
bool covers_other_inputs(std::uint32_t hash_type);

/// The signature hashes of one transaction. The data that inputs share by BIP143 and BIP341 is
/// hashed once, so that hashing every input takes time linear in the transaction's size. A hash
/// from before segwit covers the whole transaction each time. The transaction is serialized once,
/// and the bytes before the input are not hashed again for a later input: that halves the work, but
/// the time remains quadratic in the number of inputs. Bound the weight if the inputs are hostile.
/// Not thread-safe.
class SighashCache {
public:
    /// The transaction must outlive the cache. Its witnesses and scriptSigs may change meanwhile,
    /// the rest may not.
    /// spent_outputs   the outputs that the inputs spend, in their order; empty if not all are
    ///                 known. Only taproot's hashes cover them
    explicit SighashCache(const Transaction& transaction,
                          std::span<const TxOutput> spent_outputs = {});
    explicit SighashCache(Transaction&&, std::span<const TxOutput> = {}) = delete;

    const Transaction& transaction() const { return transaction_; }
    bool knows_spent_outputs() const { return knows_spent_outputs_; }

    /// The hash before segwit (Bitcoin Core: SignatureHash, SigVersion::BASE). OP_CODESEPARATORs in
    /// `script_code` are left out; signatures in it are not removed (FindAndDelete), as no standard
    /// template has any. SIGHASH_SINGLE at an input without an output of the same index gives the
    /// number 1. `input_index` is that of an input of the transaction.
    Hash256 legacy_hash(std::size_t input_index, ByteView script_code,
                        std::uint32_t hash_type) const;

    /// The hash of BIP143, which covers the amount that is spent.
    Hash256 segwit_hash(std::size_t input_index, ByteView script_code, Satoshis amount,
                        std::uint32_t hash_type) const;

    /// Whether BIP341 defines a hash for this type at this input; see taproot_hash().
    bool has_taproot_hash(std::size_t input_index, std::uint32_t hash_type) const;

    /// The hash of BIP341 for a key path spend of `spent`. 0 is SIGHASH_DEFAULT, which covers the
    /// same as SIGHASH_ALL. Nothing if BIP341 defines no hash: for another type than its seven, and
    /// for SIGHASH_SINGLE at an input without an output of the same index. If the type covers other
    /// inputs, the cache must know the spent outputs.
    /// annex   the last item of the input's witness, if it is an annex
    std::optional<std::array<Byte, 32>> taproot_hash(
        std::size_t input_index, const TxOutput& spent, std::uint32_t hash_type,
        std::optional<ByteView> annex = std::nullopt) const;

private:
    Hash256 outputs_hash(std::size_t input_index, std::uint32_t hash_type) const;
    Hash256 legacy_hash_of_all(std::size_t input_index, ByteView script_code,
                               std::uint32_t hash_type) const;

    const Transaction& transaction_;
    // The single SHA-256 of BIP341; BIP143 hashes them once more.
    std::array<Byte, 32> prevouts_;
    std::array<Byte, 32> sequences_;
    std::array<Byte, 32> outputs_;
    std::array<Byte, 32> amounts_{};
    std::array<Byte, 32> scripts_{};
    bool knows_spent_outputs_ = false;
    // Set at the first hash from before segwit: the transaction, and the hash state up to the
    // script of an input.
    mutable Bytes without_scripts_;
    mutable Sha256Prefix prefix_;
};

}  // namespace petal::chain
