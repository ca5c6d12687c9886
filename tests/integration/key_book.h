/// The keys of a scenario's wallet, and signatures by them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "chain/transaction.h"
#include "wallet/extended_key.h"
#include "wallet/key_path.h"

namespace petal::test {

/// An output, and what it is to be spent with.
struct SpendableOutput {
    chain::Outpoint outpoint;
    chain::TxOutput output;
};

/// Private keys by the P2WPKH scripts that they spend.
class KeyBook {
public:
    /// Adds a key and returns its script.
    chain::Bytes add(const wallet::PrivateKey& key);
    bool owns(const chain::Bytes& script) const { return keys_.contains(script); }

    /// Gives the inputs their witnesses (BIP143, SIGHASH_ALL). `spent` are the outputs that they
    /// spend, in the same order. Throws std::out_of_range where a key is missing.
    void sign(chain::Transaction& transaction, const std::vector<SpendableOutput>& spent) const;

private:
    std::map<chain::Bytes, wallet::PrivateKey> keys_;
};

/// The first account of a wallet of P2WPKH outputs (BIP84), on a test network.
class AccountKeys {
public:
    /// mnemonic   valid words; without a passphrase
    explicit AccountKeys(const std::string& mnemonic);

    /// The script of a key, which is in the book from then on.
    chain::Bytes script(wallet::KeyChain chain, std::uint32_t index);
    chain::Bytes receive(std::uint32_t index) { return script(wallet::KeyChain::receive, index); }
    chain::Bytes change(std::uint32_t index) { return script(wallet::KeyChain::change, index); }

    const KeyBook& book() const { return book_; }

private:
    wallet::ExtendedPrivateKey account_;
    std::map<wallet::KeyPath, chain::Bytes> scripts_;
    KeyBook book_;
};

}  // namespace petal::test
