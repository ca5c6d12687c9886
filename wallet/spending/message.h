/// Signed messages: BIP322, and legacy signatures from which the key is recovered.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "chain/bytes.h"
#include "chain/expected.h"
#include "chain/hash.h"
#include "chain/transaction.h"
#include "wallet/keys/key_path.h"
#include "wallet/keys/secp256k1.h"
#include "wallet/spending/input_coin.h"

namespace petal::wallet {

/// The format of a signed message.
enum class MessageFormat : std::uint8_t {
    legacy,    ///< a recoverable signature for P2PKH (Bitcoin Core: signmessage)
    bip137,    ///< like legacy, for P2WPKH or P2SH-P2WPKH as stated by the first byte (Trezor)
    electrum,  ///< like legacy, for P2WPKH or P2SH-P2WPKH with a first byte for P2PKH
    simple,    ///< BIP322: only the witness
    full,      ///< BIP322: the complete transaction, for addresses that need a scriptSig
};

std::string_view name_of(MessageFormat format);

/// The format in which petal signs for addresses of this type by default: the shortest format.
MessageFormat usual_format(ScriptKind kind);
/// Whether petal can sign in this format for addresses of this type.
bool has_format(ScriptKind kind, MessageFormat format);

/// The maximum size of a signature before base64, in bytes: the size of a transaction that nodes
/// relay.
inline constexpr std::size_t kMaxMessageSignature = 400'000;

/// BIP322's transaction to sign, and its spent output. Neither is valid in a block.
struct MessageToSign {
    chain::Transaction transaction;  ///< to_sign, without signature
    chain::TxOutput spent;           ///< the output of to_spend
};
MessageToSign message_to_sign(std::string_view message, chain::ByteView script_pubkey);

/// Encodes the signature of a signed MessageToSign::transaction.
/// format   simple or full
std::string message_signature(const chain::Transaction& signed_transaction, MessageFormat format);
/// Makes a legacy signature. Throws like PrivateKey::sign_ecdsa().
std::string legacy_message_signature(std::string_view message, const PrivateKey& key);

enum class MessageError : std::uint8_t {
    not_base64,
    malformed,           ///< not a signature of any format
    needs_key_address,   ///< a recoverable signature, but not an address of a single key
    other_address_type,  ///< BIP137: for another type of address of the same key
    proof_of_funds,      ///< BIP322: with further inputs, which are not verified
    other_transaction,   ///< full: not the transaction for this message and address
    not_judged,          ///< not supported by chain::verify_input()
    not_sighash_all,     ///< BIP322: valid, but does not commit to the whole transaction
    wrong_signature,     ///< for another message, address or key
};

/// Whether the signature may be valid but cannot be verified.
bool is_inconclusive(MessageError error);

/// Part of a sentence about the signature: "it is not base64".
std::string_view describe(MessageError error);

/// A valid signature.
struct VerifiedMessage {
    MessageFormat format = MessageFormat::simple;
    /// Only in the full format, otherwise 0: the block height or Unix time from which the signature
    /// is valid (nLockTime), and the required age of the coin (nSequence, BIP68).
    std::uint32_t lock_time = 0;
    std::uint32_t sequence = 0;
};

/// Verifies a base64 signature of any format. The prefix of a BIP322 signature is optional. A
/// legacy signature is valid if the recovered key has this address, and the type of address matches
/// the first byte if the byte states a type (BIP137).
chain::Expected<VerifiedMessage, MessageError> verify_message(std::string_view message,
                                                              chain::ByteView script_pubkey,
                                                              std::string_view signature);

}  // namespace petal::wallet
