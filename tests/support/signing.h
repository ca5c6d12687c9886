/// Keys and signatures of tests that need real spends.
#pragma once

#include <cstddef>
#include <cstdint>

#include "chain/bytes.h"
#include "chain/hash.h"
#include "chain/transaction.h"

namespace petal::test {

/// A private key of 32 bytes; each number, from 1 on, has another.
chain::Bytes private_key(std::uint32_t number = 1);

/// The compressed public key, or the one of 65 bytes.
chain::Bytes public_key_of(chain::ByteView private_key, bool compressed = true);

/// The script of the P2WPKH output that the key owns.
chain::Bytes p2wpkh_script_of(chain::ByteView private_key);

/// The signature of a hash: DER, with a low S and without a hash type.
chain::Bytes sign_hash(const chain::Hash256& hash, chain::ByteView private_key);

/// Gives the input the witness by which the key's owner spends `spent`, the P2WPKH output of its
/// prevout. The transaction may not change afterwards, but for its other witnesses.
void sign_p2wpkh(chain::Transaction& transaction, std::size_t input_index,
                 chain::ByteView private_key, const chain::TxOutput& spent);

}  // namespace petal::test
