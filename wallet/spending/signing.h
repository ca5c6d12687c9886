/// Signs transactions that spend the wallet's coins.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "chain/expected.h"
#include "chain/transaction.h"
#include "wallet/keys/extended_key.h"
#include "wallet/keys/key_path.h"
#include "wallet/keys/secp256k1.h"
#include "wallet/keys/secret_bytes.h"
#include "wallet/spending/input_coin.h"

namespace petal::wallet {

/// The private keys of an account. Wiped when it is destroyed.
class AccountSigner {
public:
    /// account   the account's key (depth 3)
    explicit AccountSigner(const ExtendedPrivateKey& account);

    PrivateKey key(KeyChain chain, std::uint32_t index);

private:
    /// The key of one chain, and what its children are derived with: faster, one by one, than
    /// ExtendedPrivateKey.
    struct Chain {
        explicit Chain(const ExtendedPrivateKey& chain)
            : key(chain.key()), children(chain.public_key()) {}
        PrivateKey key;
        PublicChildren children;
    };

    std::array<Chain, kKeyChains.size()> chains_;
};

/// Finds the private key of a coin.
using KeySource = std::function<PrivateKey(const InputCoin&)>;

enum class SigningError : std::uint8_t {
    wrong_key,  ///< the key that was found does not own the coin
};

/// Signs all inputs: ECDSA with SIGHASH_ALL, taproot with SIGHASH_DEFAULT. Throws
/// std::runtime_error if the signed transaction does not pass chain::find_invalid_input(). On
/// failure the transaction is as it was.
/// coins       what the inputs spend, in their order
/// auxiliary   fresh random bytes (BIP340)
chain::Expected<void, SigningError> sign_transaction(chain::Transaction& transaction,
                                                     std::span<const InputCoin> coins,
                                                     const KeySource& key_of,
                                                     const SecretArray<32>& auxiliary);

}  // namespace petal::wallet
