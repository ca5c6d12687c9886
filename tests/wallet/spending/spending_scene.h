/// Coins to pay with, and the keys of the coins.
#pragma once

#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "chain/script/script.h"
#include "chain/transaction.h"
#include "wallet/keys/extended_key.h"
#include "wallet/keys/key_path.h"
#include "wallet/spending/input_coin.h"
#include "wallet/spending/payment.h"
#include "wallet/spending/signing.h"

namespace petal::test {

/// The account of a fixed seed.
inline const wallet::ExtendedPrivateKey& spending_account() {
    static const auto account =
        wallet::ExtendedPrivateKey::from_seed(chain::Bytes(32, 0x17)).value();
    return account;
}

/// The key of a path of the account. The account has the descriptors 0 and 1.
inline wallet::PrivateKey key_at(wallet::KeyPath path) {
    static std::array<wallet::PrivateChildren, 2> chains{
        wallet::PrivateChildren(spending_account().derive(0).value()),
        wallet::PrivateChildren(spending_account().derive(1).value())};
    return chains.at(path.descriptor.value).key(path.index).value();
}

/// The script of one of the account's keys.
inline chain::Bytes own_script(wallet::ScriptKind kind, wallet::KeyPath path) {
    return wallet::script_for(kind, key_at(path).public_key());
}

/// A coin of the account. Each `number` has an outpoint and, unless `index` is given, an address of
/// its own.
inline wallet::InputCoin coin_of(std::uint32_t number, chain::Satoshis value,
                                 wallet::ScriptKind kind = wallet::ScriptKind::wpkh,
                                 std::int64_t index = -1) {
    wallet::InputCoin coin;
    for (unsigned i = 0; i < 4; ++i) {
        coin.outpoint.txid.bytes.at(i) = static_cast<chain::Byte>(number >> (8 * i));
    }
    coin.outpoint.txid.bytes.at(31) = 1;
    coin.path = {wallet::KeyChain::receive, index < 0 ? number : static_cast<std::uint32_t>(index)};
    coin.output = {value, own_script(kind, coin.path)};
    coin.form = kind;
    return coin;
}

/// Random bits that are the same for the same seed.
inline wallet::RandomBits random_bits(std::uint64_t seed) {
    return [generator = std::mt19937_64(seed)]() mutable { return generator(); };
}

/// A P2WPKH script that is not the account's.
inline chain::Bytes recipient_script(chain::Byte number = 1) {
    return chain::witness_program_script(0, chain::Bytes(20, number));
}

/// A payment of one amount at 2 sat/vB.
inline wallet::PaymentRequest request_of(chain::Satoshis amount) {
    wallet::PaymentRequest request;
    request.recipients = {{recipient_script(), amount}};
    request.fee_rate = wallet::FeeRate{2'000};
    request.change.script_pubkey =
        own_script(wallet::ScriptKind::wpkh, {wallet::KeyChain::change, 0});
    return request;
}

/// The total amount of the coins.
inline chain::Satoshis total_of(const std::vector<wallet::InputCoin>& coins) {
    chain::Satoshis sum = 0;
    for (const wallet::InputCoin& coin : coins) sum += coin.output.value;
    return sum;
}

/// Signs with the account's keys.
inline auto sign_payment(wallet::Payment& payment) {
    return wallet::sign_transaction(payment.transaction, payment.coins,
                                    [](const wallet::InputCoin& coin) { return key_at(coin.path); },
                                    {});
}

}  // namespace petal::test
