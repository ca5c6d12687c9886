#include "wallet/spending/signing.h"

#include <algorithm>
#include <cassert>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "chain/script/input_verification.h"
#include "chain/script/script.h"
#include "chain/script/signature_hash.h"

namespace petal::wallet {

namespace {

using chain::Bytes;

Bytes bytes_of(const CompressedKey& key) {
    return {key.begin(), key.end()};
}

Bytes ecdsa_signature(const PrivateKey& key, const PublicKey& public_key,
                      const chain::Hash256& hash) {
    Bytes signature = key.sign_ecdsa(hash, public_key);
    signature.push_back(static_cast<chain::Byte>(chain::kSighashAll));
    return signature;
}

/// Signs the inputs of a transaction. Changes only scriptSigs and witnesses.
class InputSigner {
public:
    InputSigner(chain::Transaction& transaction, std::span<const chain::TxOutput> spent,
                const SecretArray<32>& auxiliary)
        : transaction_(transaction), cache_(transaction, spent), auxiliary_(auxiliary) {}

    /// Returns false if the key is not the coin's.
    bool sign(std::size_t index, const InputCoin& coin, const PrivateKey& key) {
        if (!coin.form.kind) return false;
        const ScriptKind kind = *coin.form.kind;
        if (kind == ScriptKind::tr) return sign_taproot(index, coin, key);
        const PublicKey public_key = key.public_key();
        if (script_for(kind, public_key) != coin.output.script_pubkey) return false;
        if (kind == ScriptKind::pkh) {
            sign_legacy(index, coin, key, public_key);
            return true;
        }
        if (kind == ScriptKind::sh_wpkh) {
            transaction_.inputs[index].script_sig =
                chain::push_data(chain::p2wpkh_script(chain::hash160(public_key.compressed())));
        }
        sign_segwit(index, coin, key, public_key);
        return true;
    }

private:
    void sign_segwit(std::size_t index, const InputCoin& coin, const PrivateKey& key,
                     const PublicKey& public_key) {
        const auto script_code = chain::p2pkh_script(chain::hash160(public_key.compressed()));
        const auto hash =
            cache_.segwit_hash(index, script_code, coin.output.value, chain::kSighashAll);
        transaction_.inputs[index].witness = {ecdsa_signature(key, public_key, hash),
                                              bytes_of(public_key.compressed())};
    }

    void sign_legacy(std::size_t index, const InputCoin& coin, const PrivateKey& key,
                     const PublicKey& public_key) {
        const auto hash = cache_.legacy_hash(index, coin.output.script_pubkey, chain::kSighashAll);
        Bytes script_sig = chain::push_data(ecdsa_signature(key, public_key, hash));
        const Bytes pushed_key = chain::push_data(public_key.compressed());
        script_sig.insert(script_sig.end(), pushed_key.begin(), pushed_key.end());
        transaction_.inputs[index].script_sig = std::move(script_sig);
    }

    bool sign_taproot(std::size_t index, const InputCoin& coin, const PrivateKey& key) {
        const Bytes& script = coin.output.script_pubkey;
        if (chain::classify(script) != chain::ScriptType::p2tr) return false;
        XOnlyKey output_key{};  // after OP_1 and the length
        std::copy(script.end() - output_key.size(), script.end(), output_key.begin());
        const auto hash = cache_.taproot_hash(index, coin.output, 0);
        assert(hash);
        const auto signature = key.sign_taproot(*hash, output_key, auxiliary_);
        if (!signature) return false;
        transaction_.inputs[index].witness = {Bytes(signature->begin(), signature->end())};
        return true;
    }

    chain::Transaction& transaction_;
    chain::SighashCache cache_;
    const SecretArray<32>& auxiliary_;
};

void check_signed(const chain::Transaction& transaction, std::span<const InputCoin> coins) {
    std::vector<std::optional<chain::TxOutput>> spent;
    spent.reserve(coins.size());
    for (const InputCoin& coin : coins) spent.emplace_back(coin.output);
    const auto invalid = chain::find_invalid_input(transaction, spent);
    if (!invalid) return;
    throw std::runtime_error("input " + std::to_string(invalid->index) +
                             " was signed wrongly: " + std::string(describe(invalid->error)));
}

}  // namespace

chain::Expected<void, SigningError> sign_transaction(chain::Transaction& transaction,
                                                     std::span<const InputCoin> coins,
                                                     const KeySource& key_of,
                                                     const SecretArray<32>& auxiliary) {
    assert(transaction.inputs.size() == coins.size());
    std::vector<chain::TxOutput> spent;
    spent.reserve(coins.size());
    for (const InputCoin& coin : coins) spent.push_back(coin.output);
    chain::Transaction copy = transaction;
    InputSigner signer(copy, spent, auxiliary);
    for (std::size_t i = 0; i < coins.size(); ++i) {
        assert(copy.inputs[i].prevout == coins[i].outpoint);
        if (!signer.sign(i, coins[i], key_of(coins[i]))) {
            return chain::Unexpected(SigningError::wrong_key);
        }
    }
    check_signed(copy, coins);
    transaction = std::move(copy);
    return {};
}

}  // namespace petal::wallet
