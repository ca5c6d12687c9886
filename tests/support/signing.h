/// Keys and signatures of tests that need real spends.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "chain/bytes.h"
#include "chain/hash.h"
#include "chain/script/script.h"
#include "chain/transaction.h"

namespace petal::test {

/// A private key of 32 bytes, a different one for each number from 1 on.
chain::Bytes private_key(std::uint32_t number = 1);

/// The public key, compressed or uncompressed (65 bytes).
chain::Bytes public_key_of(chain::ByteView private_key, bool compressed = true);

/// The script of the P2WPKH output that the key owns.
chain::Bytes p2wpkh_script_of(chain::ByteView private_key);

/// The output script of this type that the key owns: P2PKH, P2SH around P2WPKH, P2WPKH, P2WSH of a
/// multisig of one key, or P2TR without a script path (BIP86).
chain::Bytes script_of(chain::ScriptType type, chain::ByteView private_key);

/// The signature of a hash: DER, with a low S and without a hash type.
chain::Bytes sign_hash(const chain::Hash256& hash, chain::ByteView private_key);

/// The second valid signature, with an S above half of the curve's order.
/// signature   DER with a hash type. The hash type stays
chain::Bytes with_high_s(const chain::Bytes& signature);

/// The signature of a hash by the key that owns script_of(ScriptType::p2tr) (BIP340, BIP341).
chain::Bytes sign_taproot_hash(const std::array<chain::Byte, 32>& hash,
                               chain::ByteView private_key);

/// Signs the input, which spends `spent`, with the key that owns `spent` (script_of()). Afterwards,
/// only the signatures of other inputs may change.
/// spent_outputs   of all inputs. P2TR is signed with SIGHASH_DEFAULT if `spent_outputs` is given
///                 or there is a single input, otherwise with SIGHASH_ALL | SIGHASH_ANYONECANPAY
void sign_input(chain::Transaction& transaction, std::size_t input_index,
                chain::ByteView private_key, const chain::TxOutput& spent,
                std::span<const chain::TxOutput> spent_outputs = {});

/// The place of the script that spends an output: the output itself, or behind a hash in the
/// output.
enum class ScriptPlace : std::uint8_t { bare, p2sh, p2wsh, p2sh_p2wsh };

inline constexpr std::array kScriptPlaces{ScriptPlace::bare, ScriptPlace::p2sh, ScriptPlace::p2wsh,
                                          ScriptPlace::p2sh_p2wsh};

bool is_segwit(ScriptPlace place);

chain::Bytes output_script_of(ScriptPlace place, const chain::Bytes& script);

/// A signature of the input, followed by the hash type.
chain::Bytes sign_script(const chain::Transaction& transaction, std::size_t input_index,
                         ScriptPlace place, const chain::Bytes& script, chain::Satoshis amount,
                         chain::ByteView private_key, std::uint32_t hash_type = 1);

/// Adds the items that the script takes to the input. The script follows, unless the output has the
/// script itself.
void put_script_items(chain::TxInput& input, ScriptPlace place, const chain::Bytes& script,
                      const std::vector<chain::Bytes>& items);

}  // namespace petal::test
