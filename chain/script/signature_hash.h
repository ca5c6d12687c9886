/// The hashes that signatures sign: those before segwit, and those of BIP143.
#pragma once

#include <cstddef>
#include <cstdint>

#include "chain/bytes.h"
#include "chain/hash.h"
#include "chain/transaction.h"

namespace petal::chain {

/// What a signature commits to (Bitcoin Core: interpreter.h, SIGHASH_ALL and so on). The lowest
/// five bits decide about the outputs; kSighashAnyoneCanPay is added to leave out other inputs.
inline constexpr std::uint32_t kSighashAll = 1;
inline constexpr std::uint32_t kSighashNone = 2;
inline constexpr std::uint32_t kSighashSingle = 3;
inline constexpr std::uint32_t kSighashAnyoneCanPay = 0x80;

/// True for the six types that have a name; the others hash as SIGHASH_ALL does, but are not
/// standard (Bitcoin Core: IsDefinedHashtypeSignature).
bool is_defined_hash_type(std::uint32_t hash_type);

/// The signature hashes of one transaction. What BIP143 has the inputs share is hashed once, so
/// that hashing every input takes time linear in the transaction's size. A hash from before segwit
/// covers the whole transaction each time: where such inputs are hostile, bound its weight.
class SighashCache {
public:
    /// The transaction must outlive the cache. Its witnesses and scriptSigs may change meanwhile,
    /// the rest may not.
    explicit SighashCache(const Transaction& transaction);
    explicit SighashCache(Transaction&&) = delete;

    const Transaction& transaction() const { return transaction_; }

    /// The hash before segwit (Bitcoin Core: SignatureHash, SigVersion::BASE). OP_CODESEPARATORs in
    /// `script_code` are left out; signatures in it are not looked for (FindAndDelete), as no
    /// standard template has any. SIGHASH_SINGLE at an input without an output beside it gives the
    /// number 1. `input_index` is that of an input of the transaction.
    Hash256 legacy_hash(std::size_t input_index, ByteView script_code,
                        std::uint32_t hash_type) const;

    /// The hash of BIP143, which covers the amount that is spent.
    Hash256 segwit_hash(std::size_t input_index, ByteView script_code, Satoshis amount,
                        std::uint32_t hash_type) const;

private:
    Hash256 outputs_hash(std::size_t input_index, std::uint32_t hash_type) const;

    const Transaction& transaction_;
    Hash256 prevouts_;
    Hash256 sequences_;
    Hash256 outputs_;
};

}  // namespace petal::chain
