// The parts of wallet.h about spending: coins, change addresses, signatures.
#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "chain/script/script.h"
#include "wallet/private_keys.h"
#include "wallet/spending/message.h"
#include "wallet/spending/signing.h"
#include "wallet/wallet_changes.h"

namespace petal::wallet {

namespace {

/// The maximum number of unconfirmed transactions in a chain that nodes relay (Bitcoin Core before
/// version 31: DEFAULT_ANCESTOR_LIMIT, which counts the transaction itself).
constexpr std::size_t kMaxUnconfirmedChain = 25;

using IsPaidWith = std::function<bool(const WalletDescriptor& descriptor)>;

bool can_be_spent(const WalletDescriptor& descriptor) {
    return descriptor.spend_form().has_value();
}

/// A path of the script whose descriptor payments can spend from, a ranged descriptor before a
/// single key. A script has several paths if an address of a range is also watched on its own.
/// Empty if there is none.
std::optional<KeyPath> paying_path(const WalletState& current, const KeyPath& path,
                                   const IsPaidWith& is_paid_with) {
    std::optional<KeyPath> of_single_key;
    for (const KeyPath& one : current.ring().paths_of(current.ring().script_at(path))) {
        const WalletDescriptor& descriptor = current.descriptor(one.descriptor);
        if (!is_paid_with(descriptor)) continue;
        if (descriptor.source.ranged) return one;
        if (!of_single_key) of_single_key = one;
    }
    return of_single_key;
}

/// The transactions of `family` that no node is known to have.
std::vector<chain::Txid> unshown_of(const Ledger& ledger, const std::set<chain::Txid>& family) {
    std::vector<chain::Txid> unshown;
    for (const chain::Txid& txid : family) {
        if (ledger.find(txid)->evidence.sources.empty()) unshown.push_back(txid);
    }
    return unshown;
}

/// Adds an unconfirmed transaction and its unconfirmed ancestors to `needed`, if only the user can
/// replace them:
/// - all are the user's own broadcasts,
/// - all spend only coins that this payment may spend, and
/// - all fit, together with `needed`, the relay limit on ancestors.
///
/// Otherwise adds nothing and returns false.
bool add_own_payment(const WalletState& current, const LedgerTransaction& transaction,
                     const IsPaidWith& is_paid_with, std::set<chain::Txid>& needed) {
    const Ledger& ledger = current.ledger();
    std::set<chain::Txid> seen = needed;
    std::vector<const LedgerTransaction*> unconfirmed;
    if (seen.insert(transaction.txid).second) unconfirmed.push_back(&transaction);
    for (std::size_t next = 0; next < unconfirmed.size(); ++next) {
        if (!unconfirmed[next]->announced || seen.size() >= kMaxUnconfirmedChain) return false;
        for (const chain::Outpoint& input : unconfirmed[next]->inputs) {
            const Credit* const spent = ledger.credit(input);
            if (spent == nullptr || !paying_path(current, spent->path, is_paid_with)) return false;
            const LedgerTransaction& parent = *ledger.find(input.txid);
            if (!parent.placement && seen.insert(input.txid).second) {
                unconfirmed.push_back(&parent);
            }
        }
    }
    needed = std::move(seen);
    return true;
}

/// The wallet's unconfirmed change.
struct OwnUnconfirmed {
    std::set<chain::Outpoint> spendable;
    std::set<chain::Outpoint> unshown;  ///< no node is known to have the payment
    std::set<chain::Txid> unshown_payments;
};

/// The unconfirmed coins that add_own_payment() allows together in one payment: `beside` first,
/// then by descending value, because small coins are easier to do without.
OwnUnconfirmed own_unconfirmed_coins(const WalletState& current, std::vector<Coin> coins,
                                     const IsPaidWith& is_paid_with,
                                     const std::optional<chain::Outpoint>& beside) {
    std::erase_if(coins, [](const Coin& coin) { return coin.height.has_value(); });
    std::ranges::sort(coins, [&](const Coin& a, const Coin& b) {
        return std::pair(a.outpoint == beside, a.value) > std::pair(b.outpoint == beside, b.value);
    });
    std::set<chain::Txid> needed;
    OwnUnconfirmed result;
    for (const Coin& coin : coins) {
        const LedgerTransaction& transaction = *current.ledger().find(coin.outpoint.txid);
        if (!paying_path(current, coin.path, is_paid_with)) continue;
        std::set<chain::Txid> family;
        if (!add_own_payment(current, transaction, is_paid_with, family)) continue;
        const auto unshown = unshown_of(current.ledger(), family);
        if (!unshown.empty()) {
            result.unshown.insert(coin.outpoint);
            result.unshown_payments.insert(unshown.begin(), unshown.end());
        } else if (add_own_payment(current, transaction, is_paid_with, needed)) {
            result.spendable.insert(coin.outpoint);
        }
    }
    return result;
}

/// The value of the confirmed coins that these payments spend.
chain::Satoshis confirmed_coins_of(const Ledger& ledger, std::span<const chain::Txid> payments) {
    chain::Satoshis sum = 0;
    for (const chain::Txid& txid : payments) {
        for (const chain::Outpoint& input : ledger.find(txid)->inputs) {
            const Credit* const credit = ledger.credit(input);
            const bool is_confirmed = credit != nullptr && ledger.find(input.txid)->placement;
            if (is_confirmed) sum = add_amounts(sum, credit->value);
        }
    }
    return sum;
}

/// The types of the recipients' addresses that a wallet may also have, in Bitcoin Core's order.
std::vector<ScriptKind> kinds_of(std::span<const Recipient> recipients) {
    std::vector<ScriptKind> result;
    for (const ScriptKind kind :
         {ScriptKind::tr, ScriptKind::wpkh, ScriptKind::sh_wpkh, ScriptKind::pkh}) {
        const bool is_there = std::ranges::any_of(recipients, [&](const Recipient& recipient) {
            return chain::classify(recipient.script_pubkey) == script_type(kind);
        });
        if (is_there) result.push_back(kind);
    }
    return result;
}

/// The part of a key's path between purpose and chain, e.g. 1h/0h. Empty if the path has no such
/// part.
std::optional<std::string> account_path_in(const WalletDescriptor& descriptor) {
    std::istringstream path(descriptor.path);
    std::array<std::string, 4> steps;  // m, purpose, coin type, account
    for (std::string& step : steps) std::getline(path, step, '/');
    if (steps[0] != "m" || !steps[3].ends_with('h')) return std::nullopt;
    return steps[2] + '/' + steps[3];
}

/// Whether both descriptors, which have private keys, are of the same account: by the wallet's
/// words, or else by the stated origins.
bool is_of_one_account(const WalletDescriptor& a, const WalletDescriptor& b) {
    if (a.account || b.account) return a.account == b.account;
    const auto account = account_path_in(a);
    return a.master && a.master == b.master && account && account == account_path_in(b);
}

/// A shown change descriptor with private keys, of this type and of the account of `own`. Empty if
/// there is none.
std::optional<DescriptorNumber> change_descriptor_of(const WalletState& current, ScriptKind kind,
                                                     const WalletDescriptor& own) {
    for (std::uint32_t number = 0; number < current.descriptors().size(); ++number) {
        const WalletDescriptor& descriptor = current.descriptor(number);
        if (descriptor.kind != kind || !descriptor.has_private_keys()) continue;
        if (!is_of_one_account(descriptor, own)) continue;
        if (descriptor.stored.chain != KeyChain::change || !descriptor.source.ranged) continue;
        if (current.is_shown(number)) return number;
    }
    return std::nullopt;
}

/// The descriptor with private keys for change: the change descriptor of the account of new receive
/// addresses. With words, this is the descriptor after the receive descriptor. Without a change
/// descriptor: a ranged descriptor, or else a single key, and of several the first.
DescriptorNumber own_change_descriptor(const WalletState& current, bool has_words) {
    const auto receive = current.receive_descriptor();
    if (has_words) return receive.value().value + 1;
    const WalletDescriptor& own = current.descriptor(receive.value_or(DescriptorNumber(0)));
    const auto rank_of = [&own](const WalletDescriptor& descriptor) {
        if (!descriptor.has_private_keys() || !descriptor.source.ranged) return 0;
        const int rank = descriptor.stored.chain == KeyChain::change ? 3 : 1;
        const bool is_pair = descriptor.signers == own.signers && descriptor.kind == own.kind;
        return is_pair ? rank + 1 : rank;
    };
    // max_element() returns the first of equal elements.
    const auto& all = current.descriptors();
    const auto best = std::ranges::max_element(all, {}, rank_of);
    return static_cast<std::uint32_t>(std::distance(all.begin(), best));
}

/// The descriptor whose owner's coins a payment of a watch-only wallet spends: the descriptor of
/// the coin `beside` or, without a coin, the first single-key descriptor or, if there is none, the
/// first multisig descriptor. Empty if no descriptor can be spent from.
std::optional<DescriptorNumber> spent_descriptor(const WalletState& current,
                                                 const std::optional<chain::Outpoint>& beside) {
    const Credit* const coin = beside ? current.ledger().credit(*beside) : nullptr;
    if (coin != nullptr) {
        const auto path = paying_path(current, coin->path, can_be_spent);
        return path ? std::optional(path->descriptor) : std::nullopt;
    }
    std::optional<DescriptorNumber> of_multisig;
    for (std::uint32_t number = 0; number < current.descriptors().size(); ++number) {
        const auto path = paying_path(current, {number, 0}, can_be_spent);
        if (!path) continue;
        if (current.descriptor(path->descriptor).kind) return path->descriptor;
        if (!of_multisig) of_multisig = path->descriptor;
    }
    return of_multisig;
}

/// The descriptor for the change of a coin in a watch-only wallet: the next change descriptor with
/// the same keys or, if there is none, the coin's descriptor.
DescriptorNumber paired_change_descriptor(const WalletState& current, DescriptorNumber spent) {
    const WalletDescriptor& own = current.descriptor(spent);
    if (!own.source.ranged || own.stored.chain == KeyChain::change) return spent;
    const auto count = static_cast<std::uint32_t>(current.descriptors().size());
    for (std::uint32_t i = 1; i < count; ++i) {
        const std::uint32_t number = (spent.value + i) % count;
        const WalletDescriptor& descriptor = current.descriptor(number);
        if (descriptor.stored.chain != KeyChain::change || !descriptor.source.ranged) continue;
        if (descriptor.kind == own.kind && has_same_owner(descriptor, own)) return number;
    }
    return spent;
}

/// The descriptor for change, see Wallet::change_for(). Empty if a watch-only wallet has no
/// descriptor that can be spent from.
std::optional<DescriptorNumber> change_descriptor(const WalletState& current, bool has_words,
                                                  std::span<const Recipient> recipients,
                                                  const std::optional<chain::Outpoint>& beside) {
    if (current.is_watch_only()) {
        const auto spent = spent_descriptor(current, beside);
        return spent ? std::optional(paired_change_descriptor(current, *spent)) : std::nullopt;
    }
    const DescriptorNumber own = own_change_descriptor(current, has_words);
    const WalletDescriptor& descriptor = current.descriptor(own);
    for (const ScriptKind kind : kinds_of(recipients)) {
        if (kind == descriptor.kind) return own;
        if (const auto other = change_descriptor_of(current, kind, descriptor)) return other;
    }
    return own;
}

/// The descriptor's first script after all used or handed-out scripts for which is_named() is
/// false, or else the last watched script. Verifies the script, because change to a wrong address
/// is lost. To be called within WalletStore::read() or write().
KeyPath unused_path(const WalletStore& store, const AddressBook& addresses,
                    const WalletState& current, DescriptorNumber descriptor) {
    const KeyRing& ring = current.ring();
    KeyPath path{descriptor, 0};
    if (ring.is_ranged(descriptor)) path.index = ring.issued_end(descriptor);
    const std::uint32_t last = ring.watched(descriptor) - 1;
    while (path.index < last && addresses.is_named(current, path)) ++path.index;
    expect_genuine(store, current, path);
    return path;
}

}  // namespace

SpendableCoins Wallet::spendable_coins(const std::optional<chain::Outpoint>& beside) const {
    const WalletState& wallet_state = state_->wallet_state();
    const bool is_watch_only = wallet_state.is_watch_only();
    const auto spent = is_watch_only ? spent_descriptor(wallet_state, beside) : std::nullopt;
    const auto is_paid_with = [&](const WalletDescriptor& descriptor) {
        if (!is_watch_only) return descriptor.has_private_keys();
        return spent && can_be_spent(descriptor) &&
               has_same_owner(descriptor, wallet_state.descriptor(*spent));
    };
    const std::set<std::string> frozen = state_->frozen_outputs();
    const LedgerView view = wallet_state.view();
    const std::vector<Coin> coins = view.coins();
    const auto own_change = own_unconfirmed_coins(wallet_state, coins, is_paid_with, beside);
    SpendableCoins result;
    result.unshown_payments.assign(own_change.unshown_payments.begin(),
                                   own_change.unshown_payments.end());
    result.undone_payments = view.own_payments_of_undone();
    result.held_by_undone = confirmed_coins_of(wallet_state.ledger(), result.undone_payments);
    for (const Coin& coin : coins) {
        const auto path = paying_path(wallet_state, coin.path, is_paid_with);
        if (!path) {
            if (!is_watch_only) {
                result.watched = add_amounts(result.watched, coin.value);
            } else if (paying_path(wallet_state, coin.path, can_be_spent)) {
                result.other_accounts = add_amounts(result.other_accounts, coin.value);
            }
            continue;
        }
        if (frozen.contains(coin.outpoint.to_string())) {
            result.frozen = add_amounts(result.frozen, coin.value);
        } else if (coin.spendable || own_change.spendable.contains(coin.outpoint)) {
            result.coins.push_back({coin.outpoint,
                                    {coin.value, wallet_state.ring().script_at(*path)},
                                    *wallet_state.descriptor(path->descriptor).spend_form(),
                                    *path,
                                    coin.spendable});
        } else if (own_change.unshown.contains(coin.outpoint)) {
            result.unshown = add_amounts(result.unshown, coin.value);
        } else if (coin.coinbase) {
            result.immature = add_amounts(result.immature, coin.value);
        } else {
            result.unconfirmed = add_amounts(result.unconfirmed, coin.value);
        }
    }
    std::set<chain::Txid> unconfirmed;
    for (const InputCoin& coin : result.coins) {
        if (!coin.confirmed) unconfirmed.insert(coin.outpoint.txid);
    }
    // Last, because relatives_of() may replace the wallet's state.
    if (!unconfirmed.empty()) result.relatives = state_->relatives_of(unconfirmed, std::nullopt);
    return result;
}

ChangeOutput Wallet::change_for(std::span<const Recipient> recipients,
                                const std::optional<chain::Outpoint>& beside) const {
    const WalletState& current = state_->wallet_state();
    const auto chosen =
        change_descriptor(current, state_->identity.has_words(), recipients, beside);
    if (!chosen) {
        throw WalletError(WalletError::Kind::unknown_key,
                          "the key is missing: the wallet watches scripts whose keys it does not "
                          "know, such as addresses, and a PSBT names the key of each coin");
    }
    KeyPath path;
    state_->store.read(
        [&] { path = unused_path(state_->store, state_->addresses, current, *chosen); });
    return {current.ring().script_at(path), *current.descriptor(*chosen).spend_form(), true};
}

chain::Bytes Wallet::reserve_change(chain::ByteView script_pubkey) {
    chain::Bytes reserved(script_pubkey.begin(), script_pubkey.end());
    state_->change(&WalletStore::write_durably, [&](WalletState& current) {
        for (const KeyPath& path : current.ring().paths_of(script_pubkey)) {
            // An imported descriptor may contain the key of a single-key descriptor together with
            // foreign keys.
            if (!current.descriptor(path.descriptor).has_private_keys()) continue;
            if (!current.ring().is_ranged(path.descriptor)) continue;
            const KeyPath unused =
                unused_path(state_->store, state_->addresses, current, path.descriptor);
            reserved = current.ring().script_at(unused);
            current.hand_out(state_->store, unused);
            state_->intake.store_new_scripts(current);
            return;
        }
    });
    return reserved;
}

void Wallet::sign(chain::Transaction& transaction, std::span<const InputCoin> coins,
                  const SecretBytes& secret, const SecretArray<32>& auxiliary) const {
    const WalletState& current = state_->wallet_state();
    if (current.is_watch_only()) throw state_->watch_only();
    PrivateKeys keys(current, secret, state_->network);
    const auto signed_all = sign_transaction(
        transaction, coins, [&](const InputCoin& coin) { return keys.key(coin.path); }, auxiliary);
    if (!signed_all) throw state_->store.damaged("a wrong address");
}

std::optional<ScriptKind> Wallet::signing_kind(chain::ByteView script_pubkey) const {
    const WalletState& current = state_->wallet_state();
    if (current.is_watch_only()) throw state_->watch_only();
    const auto path = current.path_with_keys(script_pubkey);
    return path ? current.descriptor(path->descriptor).kind : std::nullopt;
}

std::string Wallet::sign_message(std::string_view message, chain::ByteView script_pubkey,
                                 MessageFormat format, const SecretBytes& secret,
                                 const SecretArray<32>& auxiliary) const {
    const WalletState& current = state_->wallet_state();
    const KeyPath path = current.path_with_keys(script_pubkey).value();
    if (format == MessageFormat::legacy) {
        const PrivateKey key = PrivateKeys(current, secret, state_->network).key(path);
        const auto own = script_for(ScriptKind::pkh, key.public_key());
        if (!std::ranges::equal(own, script_pubkey)) throw state_->store.damaged("a wrong address");
        return legacy_message_signature(message, key);
    }
    MessageToSign unsigned_message = message_to_sign(message, script_pubkey);
    chain::Transaction& transaction = unsigned_message.transaction;
    const InputCoin coin{transaction.inputs[0].prevout, std::move(unsigned_message.spent),
                         *current.descriptor(path.descriptor).kind, path};
    sign(transaction, {&coin, 1}, secret, auxiliary);
    return message_signature(transaction, format);
}

void Wallet::mark_shown(const chain::Txid& txid) {
    state_->change(&WalletStore::write_durably,
                   [&](WalletState& current) { wallet::mark_shown(state_->store, current, txid); });
}

std::set<chain::Outpoint> outpoints_of(std::span<const Coin> coins) {
    std::set<chain::Outpoint> result;
    for (const Coin& coin : coins) result.insert(coin.outpoint);
    return result;
}

bool Wallet::State::take_payment(WalletState& current, const chain::Transaction& payment,
                                 std::optional<std::size_t> change_index,
                                 const std::set<chain::Outpoint>& usable, std::int64_t time) {
    const bool are_usable = std::ranges::all_of(payment.inputs, [&](const chain::TxInput& input) {
        return usable.contains(input.prevout);
    });
    if (!are_usable || !intake.take_own(current, payment, time)) return false;
    store.change_outputs().put(payment.txid(), change_index);
    return true;
}

bool Wallet::keep_payment(const Payment& payment, std::int64_t time) {
    bool kept = false;
    state_->change(&WalletStore::write_durably, [&](WalletState& current) {
        kept = state_->take_payment(current, payment.transaction, payment.change_index,
                                    outpoints_of(current.view().coins()), time);
    });
    return kept;
}

}  // namespace petal::wallet
