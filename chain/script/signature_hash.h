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
/// and so on). The lowest five bits decide about the outputs; kSighashAnyoneCanPay is added to
/// leave out other inputs.
inline constexpr std::uint32_t kSighashAll = 1;
inline constexpr std::uint32_t kSighashNone = 2;
inline constexpr std::uint32_t kSighashSingle = 3;
inline constexpr std::uint32_t kSighashAnyoneCanPay = 0x80;

/// True for the six types that have a name; the others hash as SIGHASH_ALL does, but are not
/// standard (Bitcoin Core: IsDefinedHashtypeSignature).
bool is_defined_hash_type(std::uint32_t hash_type);

/// True where the hash commits to all inputs, and so with taproot to all outputs that are spent.
bool covers_other_inputs(std::uint32_t hash_type);

/// The signature hashes of one transaction. What BIP143 and BIP341 have the inputs share is hashed
/// once, so that hashing every input takes time linear in the transaction's size. A hash from
/// before segwit covers the whole transaction each time. That is serialized once, and what stands
/// before the input is not hashed again for a later input: half of all, so that hashing takes time
/// quadratic in the number of inputs. Where they are hostile, bound the weight. Not thread-safe.
class SighashCache {
public:
    /// The transaction must outlive the cache. Its witnesses and scriptSigs may change meanwhile,
    /// the rest may not.
    /// spent_outputs   what the inputs spend, in their order; empty where not all of it is known.
    ///                 Taproot's hashes alone cover it
    explicit SighashCache(const Transaction& transaction,
                          std::span<const TxOutput> spent_outputs = {});
    explicit SighashCache(Transaction&&, std::span<const TxOutput> = {}) = delete;

    const Transaction& transaction() const { return transaction_; }
    bool knows_spent_outputs() const { return knows_spent_outputs_; }

    /// The hash before segwit (Bitcoin Core: SignatureHash, SigVersion::BASE). OP_CODESEPARATORs in
    /// `script_code` are left out; signatures in it are not looked for (FindAndDelete), as no
    /// standard template has any. SIGHASH_SINGLE at an input without an output beside it gives the
    /// number 1. `input_index` is that of an input of the transaction.
    Hash256 legacy_hash(std::size_t input_index, ByteView script_code,
                        std::uint32_t hash_type) const;

    /// The hash of BIP143, which covers the amount that is spent.
    Hash256 segwit_hash(std::size_t input_index, ByteView script_code, Satoshis amount,
                        std::uint32_t hash_type) const;

    /// Whether BIP341 defines a hash for this type at this input; see taproot_hash().
    bool has_taproot_hash(std::size_t input_index, std::uint32_t hash_type) const;

    /// The hash of BIP341 for a key path spend of `spent`. 0 is SIGHASH_DEFAULT, which covers what
    /// SIGHASH_ALL does. Nothing where BIP341 defines no hash: for another type than its seven, and
    /// for SIGHASH_SINGLE at an input without an output beside it. If the type covers other inputs,
    /// the cache knows the outputs that are spent.
    /// annex   the last item of the input's witness, where it is one
    std::optional<std::array<Byte, 32>> taproot_hash(
        std::size_t input_index, const TxOutput& spent, std::uint32_t hash_type,
        std::optional<ByteView> annex = std::nullopt) const;

private:
    Hash256 outputs_hash(std::size_t input_index, std::uint32_t hash_type) const;
    Hash256 legacy_hash_of_all(std::size_t input_index, ByteView script_code,
                               std::uint32_t hash_type) const;

    const Transaction& transaction_;
    // As BIP341 has them, of one SHA-256; BIP143 hashes them once more.
    std::array<Byte, 32> prevouts_;
    std::array<Byte, 32> sequences_;
    std::array<Byte, 32> outputs_;
    std::array<Byte, 32> amounts_{};
    std::array<Byte, 32> scripts_{};
    bool knows_spent_outputs_ = false;
    // Once a hash before segwit was asked for: the transaction, and what is hashed of it up to the
    // script of an input.
    mutable Bytes without_scripts_;
    mutable Sha256Prefix prefix_;
};

}  // namespace petal::chain
