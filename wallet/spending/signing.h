/// Signs transactions that spend the wallet's coins.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "chain/expected.h"
#include "chain/transaction.h"
#include "wallet/keys/secp256k1.h"
#include "wallet/keys/secret_bytes.h"
#include "wallet/spending/input_coin.h"

namespace petal::wallet {

/// Returns the private key of a coin.
using KeySource = std::function<PrivateKey(const InputCoin&)>;

enum class SigningError : std::uint8_t {
    wrong_key,  ///< the key is not the coin's
};

/// Signs all inputs: ECDSA with SIGHASH_ALL, taproot with SIGHASH_DEFAULT. Throws
/// std::runtime_error if the signed transaction does not pass chain::find_invalid_input(). On
/// failure the transaction is unchanged.
/// coins       the spent outputs, in the order of the inputs
/// auxiliary   fresh random bytes (BIP340)
chain::Expected<void, SigningError> sign_transaction(chain::Transaction& transaction,
                                                     std::span<const InputCoin> coins,
                                                     const KeySource& key_of,
                                                     const SecretArray<32>& auxiliary);

}  // namespace petal::wallet
