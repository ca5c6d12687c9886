/// A private key on a regtest chain.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "chain/bytes.h"
#include "chain/script/signature_hash.h"
#include "chain/transaction.h"

namespace petal::regtest {

/// Owns a P2WPKH output script, and signs for it. Keys of regtest coins are not secret: the secret
/// is kept in plain memory, and the secrets of of_number() are public.
class RegtestKey {
public:
    /// secret   32 bytes: a number from 1 to the curve's order minus 1
    explicit RegtestKey(chain::ByteView secret);
    /// The key with this number as its secret. Must not be 0.
    static RegtestKey of_number(std::uint32_t number);

    const chain::Bytes& script() const { return script_; }

    /// The witness of an input that spends an output of script() with this value, signed with
    /// SIGHASH_ALL. Deterministic (RFC 6979).
    chain::Witness sign(const chain::SighashCache& cache, std::size_t input_index,
                        chain::Satoshis value) const;

private:
    std::array<chain::Byte, 32> secret_{};
    chain::Bytes public_key_;
    chain::Bytes script_;
};

}  // namespace petal::regtest
