/// Signed messages: BIP322, and the older forms from which the key can be recovered.
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

/// How a signed message is written.
enum class MessageFormat : std::uint8_t {
    legacy,    ///< a signature from which the key can be recovered, for P2PKH (Bitcoin Core:
               ///< signmessage)
    bip137,    ///< the same for P2WPKH or P2SH-P2WPKH, as the first byte states (Trezor)
    electrum,  ///< the same for P2WPKH or P2SH-P2WPKH, which the first byte does not state
    simple,    ///< the witness of BIP322's transaction
    full,      ///< the complete transaction, for addresses that need a scriptSig
};

std::string_view name_of(MessageFormat format);

/// The format in which petal signs for addresses of this type: the shortest one.
MessageFormat usual_format(ScriptKind kind);
/// Whether petal signs in this format for addresses of this type.
bool has_format(ScriptKind kind, MessageFormat format);

/// No signature is longer, in bytes before base64: a transaction that a node would relay.
inline constexpr std::size_t kMaxMessageSignature = 400'000;

/// BIP322's transaction that signs a message, and the output that it spends. Neither can be in a
/// block.
struct MessageToSign {
    chain::Transaction transaction;  ///< to_sign, without signature
    chain::TxOutput spent;           ///< the output of to_spend
};
MessageToSign message_to_sign(std::string_view message, chain::ByteView script_pubkey);

/// The signature as text, of a signed MessageToSign::transaction.
/// format   simple or full
std::string message_signature(const chain::Transaction& signed_transaction, MessageFormat format);
/// The legacy signature as text. Throws as PrivateKey::sign_ecdsa().
std::string legacy_message_signature(std::string_view message, const PrivateKey& key);

enum class MessageError : std::uint8_t {
    not_base64,
    malformed,           ///< none of the formats
    needs_key_address,   ///< a recoverable signature with an address that is not of one key
    other_address_type,  ///< BIP137: for another type of address than this one of the same key
    proof_of_funds,      ///< BIP322: with further inputs, which are not judged here
    other_transaction,   ///< full: not BIP322's transaction for this message and address
    not_judged,          ///< of an address or kind that chain::verify_input() does not judge
    not_sighash_all,     ///< BIP322: valid, but does not commit to the whole transaction
    wrong_signature,     ///< of another message, address or key
};

/// True if the signature may be valid but can't be judged here.
bool is_inconclusive(MessageError error);

/// Part of a sentence about the signature: "it is not base64".
std::string_view describe(MessageError error);

/// A signature that is valid.
struct VerifiedMessage {
    MessageFormat format = MessageFormat::simple;
    /// BIP322, full: from which block height or Unix time on it counts (nLockTime), and which age
    /// of the signed coin it asks for (nSequence, BIP68). 0 for both in all else.
    std::uint32_t lock_time = 0;
    std::uint32_t sequence = 0;
};

/// Checks a signature of any format, base64. Those of BIP322 may lack its prefix. The key of a
/// recoverable signature decides, and a first byte that states a type of address (BIP137).
chain::Expected<VerifiedMessage, MessageError> verify_message(std::string_view message,
                                                              chain::ByteView script_pubkey,
                                                              std::string_view signature);

}  // namespace petal::wallet
