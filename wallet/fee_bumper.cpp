#include "wallet/fee_bumper.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "chain/enum_table.h"
#include "wallet/wallet_changes.h"

namespace petal::wallet {

namespace {

std::optional<BumpFailure> find_general_fault(const WalletState& current, const LedgerView& view,
                                              const chain::Txid& txid) {
    const auto entry = view.entry(txid);
    if (!entry) return BumpFailure{BumpError::unknown, {}};
    if (current.ledger().find(txid)->placement) return BumpFailure{BumpError::confirmed, {}};
    if (entry->undone) return BumpFailure{BumpError::undone, {}};
    if (entry->is_replaced_for_certain)
        return BumpFailure{BumpError::conflicted, entry->replaced_by};
    return std::nullopt;
}

/// The path of the key that signs for a coin. Empty if the wallet has no key.
std::optional<KeyPath> signing_path(const WalletState& current, const Credit* credit) {
    if (credit == nullptr) return std::nullopt;
    return current.path_with_keys(current.ring().script_at(credit->path));
}

/// Why a transaction can't be replaced. Within WalletStore::read() or write().
std::optional<BumpFailure> find_replacing_fault(const WalletState& current, WalletStore& store,
                                                const chain::Txid& txid) {
    const LedgerView view = current.view();
    if (auto fault = find_general_fault(current, view, txid)) return fault;
    const Ledger& ledger = current.ledger();
    const LedgerTransaction& transaction = *ledger.find(txid);
    const bool is_own = !transaction.is_coinbase() &&
                        std::ranges::all_of(transaction.inputs, [&](const chain::Outpoint& input) {
                            return signing_path(current, ledger.credit(input)).has_value();
                        });
    if (!is_own) return BumpFailure{BumpError::foreign_inputs, {}};
    if (!transaction.announced) return BumpFailure{BumpError::not_announced, {}};
    for (const LedgerTransaction* child : ledger.spends().unconfirmed_children(txid)) {
        const auto entry = view.entry(child->txid);
        const bool is_conflicted = entry && entry->is_replaced_for_certain;
        if (is_conflicted || !is_known_child(current, store, child->txid, txid)) continue;
        return BumpFailure{BumpError::has_descendant, child->txid};
    }
    return std::nullopt;
}

bool is_for_change(const WalletDescriptor& descriptor) {
    return descriptor.has_private_keys() && descriptor.stored.chain == KeyChain::change;
}

/// The path of a change address's script. In a wallet without change descriptors, receive addresses
/// count as change addresses. Empty for any other script.
std::optional<KeyPath> own_change_path(const WalletStore& store, const WalletState& current,
                                       chain::ByteView script_pubkey) {
    const bool has_change_addresses = std::ranges::any_of(current.descriptors(), is_for_change);
    for (const KeyPath& path : current.ring().paths_of(script_pubkey)) {
        const WalletDescriptor& descriptor = current.descriptor(path.descriptor);
        if (has_change_addresses ? !is_for_change(descriptor) : !descriptor.has_private_keys()) {
            continue;
        }
        expect_genuine(store, current, path);
        return path;
    }
    return std::nullopt;
}

/// The type of a script with a private key in the wallet.
ScriptKind own_kind(const WalletStore& store, const WalletState& current,
                    chain::ByteView script_pubkey) {
    const auto path = current.path_with_keys(script_pubkey);
    if (!path) throw store.damaged("change without a key");
    expect_genuine(store, current, *path);
    return *current.descriptor(path->descriptor).kind;
}

/// Whether `transaction` shows that the address of `credit` is a recipient's: a payment of the
/// wallet has paid it as a recipient, or a confirmed payment with foreign inputs has paid it.
/// Unconfirmed payments may be fabricated.
bool is_recipient(WalletStore& store, const Ledger& ledger, const LedgerTransaction& transaction,
                  const Credit& credit) {
    const auto known = store.change_outputs().find(transaction.txid);
    if (known) return known->output != credit.index;
    return transaction.placement &&
           (transaction.is_coinbase() ||
            std::ranges::any_of(transaction.inputs, [&](const chain::Outpoint& input) {
                return ledger.credit(input) == nullptr;
            }));
}

/// Whether an output can be the change of a payment without stored change. The address must be a
/// change address, unknown to payers (payer_may_know()), and never a recipient's.
bool may_be_change(WalletStore& store, const AddressBook& addresses, const WalletState& current,
                   const chain::Txid& txid, chain::ByteView script_pubkey) {
    const auto path = own_change_path(store, current, script_pubkey);
    if (!path || addresses.payer_may_know(current, *path)) return false;
    const Ledger& ledger = current.ledger();
    const auto first_path = current.ring().find(script_pubkey);
    return std::ranges::none_of(ledger.transactions(), [&](const LedgerTransaction& other) {
        return other.txid != txid && std::ranges::any_of(other.credits, [&](const Credit& credit) {
                   return credit.path == first_path && is_recipient(store, ledger, other, credit);
               });
    });
}

/// The index of a payment's change: as stored with the payment or, if not stored, the only output
/// that may_be_change(). Empty if there is none or several.
std::optional<std::size_t> change_index_of(WalletStore& store, const AddressBook& addresses,
                                           const WalletState& current,
                                           const chain::Transaction& payment) {
    const chain::Txid txid = payment.txid();
    std::optional<std::size_t> index;
    if (const auto known = store.change_outputs().find(txid)) {
        if (known->output >= payment.outputs.size()) throw store.damaged("bad change output");
        return known->output;
    }
    for (std::size_t i = 0; i < payment.outputs.size(); ++i) {
        const chain::Bytes& script = payment.outputs[i].script_pubkey;
        if (!may_be_change(store, addresses, current, txid, script)) continue;
        if (index) return std::nullopt;
        index = i;
    }
    return index;
}

/// Whether a payment's only output is change.
bool pays_only_change(WalletStore& store, const AddressBook& addresses, const WalletState& current,
                      const chain::Txid& txid) {
    const auto payment = chain::decode_transaction(store.transactions().raw(txid));
    if (!payment) throw store.damaged("bad transaction");
    return payment->outputs.size() == 1 && change_index_of(store, addresses, current, *payment);
}

/// The coins that a transaction spends, which must all be the wallet's.
std::vector<InputCoin> coins_spent_by(const WalletState& current,
                                      const chain::Transaction& transaction) {
    std::vector<InputCoin> result;
    for (const chain::TxInput& input : transaction.inputs) {
        const Credit& credit = *current.ledger().credit(input.prevout);
        const KeyPath path = signing_path(current, &credit).value();
        result.push_back({input.prevout,
                          {credit.value, current.ring().script_at(path)},
                          *current.descriptor(path.descriptor).kind,
                          path,
                          current.ledger().find(input.prevout.txid)->placement.has_value()});
    }
    return result;
}

/// Splits the outputs of a payment into change and recipients. If the only output is change, it
/// becomes a recipient with takes_rest.
/// change   the index of the change, if any
void take_outputs(PaymentRequest& request, const WalletStore& store, const WalletState& current,
                  const std::vector<chain::TxOutput>& outputs, std::optional<std::size_t> change) {
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        const chain::Bytes& script = outputs[i].script_pubkey;
        if (i == change) {
            request.change = {script, own_kind(store, current, script)};
        } else {
            request.recipients.push_back({script, outputs[i].value});
        }
    }
    if (request.recipients.empty())
        request.recipients.push_back({request.change.script_pubkey, 0, true});
}

}  // namespace

std::string_view describe(BumpError error) {
    using enum BumpError;
    static constexpr auto kTexts = chain::enum_table<BumpError, std::string_view>({
        {unknown, "it is not in the wallet"},
        {confirmed, "it is confirmed"},
        {undone, "only a block that left the chain had it, and no peer has shown it"},
        {conflicted, "it is replaced already"},
        {foreign_inputs, "not all its inputs are coins that the wallet has the private keys of"},
        {not_announced, "it was not sent with this wallet"},
        {has_descendant, "an unconfirmed transaction spends its outputs, and would vanish with it"},
        {no_own_output, "it has no unspent output that the wallet has the private key of"},
    });
    return kTexts[error];
}

chain::Expected<PaymentRequest, BumpFailure> FeeBumper::replacement_of(
    const chain::Txid& txid) const {
    Wallet::State& state = *wallet_.state_;
    std::optional<BumpFailure> fault;
    state.read(
        [&](const WalletState& now) { fault = find_replacing_fault(now, state.store, txid); });
    if (fault) return chain::Unexpected(*fault);
    const auto known = wallet_.known_transaction(txid);
    // Another process may have removed the transaction.
    if (!known) return chain::Unexpected(BumpFailure{BumpError::unknown, {}});
    const WalletState& current = state.wallet_state();
    const chain::Transaction& transaction = known->transaction;
    PaymentRequest request;
    request.replaced =
        ReplacedPayment{coins_spent_by(current, transaction), wallet_.fee_of(transaction).value(),
                        transaction.virtual_size()};
    std::optional<std::size_t> change;
    state.store.read(
        [&] { change = change_index_of(state.store, state.addresses, current, transaction); });
    take_outputs(request, state.store, current, transaction.outputs, change);
    if (request.change.script_pubkey.empty()) {
        request.change = wallet_.change_for(request.recipients);
    }
    ReplacedPayment& replaced = *request.replaced;
    const std::vector<chain::Txid> parents = parents_of(replaced.coins);
    request.relatives = wallet_.state_->relatives_of({parents.begin(), parents.end()}, txid);
    replaced.package_rate =
        request.relatives.empty()
            ? replaced.fee_rate()
            : package_rate(request.relatives, parents, replaced.virtual_size, replaced.fee);
    return request;
}

chain::Expected<ChildRequest, BumpFailure> FeeBumper::child_of(const chain::Txid& txid) const {
    const auto known = wallet_.known_transaction(txid);
    const WalletState& current = wallet_.state_->wallet_state();
    if (const auto fault = find_general_fault(current, current.view(), txid)) {
        return chain::Unexpected(*fault);
    }
    ChildRequest child;
    const std::set<std::string> frozen = wallet_.state_->frozen_outputs();
    for (const Coin& coin : current.view().coins_of(txid)) {
        if (coin.coinbase || frozen.contains(coin.outpoint.to_string())) continue;
        const chain::Bytes& script = current.ring().script_at(coin.path);
        const auto path = current.path_with_keys(script);
        if (!path) continue;
        child.coins.push_back({coin.outpoint,
                               {coin.value, script},
                               *current.descriptor(path->descriptor).kind,
                               *path,
                               false});
    }
    if (child.coins.empty()) return chain::Unexpected(BumpFailure{BumpError::no_own_output, {}});
    child.parent_fee = wallet_.fee_of(known.value().transaction);
    child.request.spends_all_given = true;
    child.request.change = wallet_.change_for({});
    child.request.recipients = {{child.request.change.script_pubkey, 0, true}};
    child.request.relatives = wallet_.state_->relatives_of({txid}, std::nullopt);
    return child;
}

bool FeeBumper::keep_replacement(const Payment& payment, const chain::Txid& replaced,
                                 std::int64_t time) {
    Wallet::State& state = *wallet_.state_;
    bool kept = false;
    state.change(&WalletStore::write_durably, [&](WalletState& current) {
        if (find_replacing_fault(current, state.store, replaced)) return;
        auto usable = outpoints_of(current.view().coins());
        const auto& old_inputs = current.ledger().find(replaced)->inputs;
        usable.insert(old_inputs.begin(), old_inputs.end());
        const auto change_index = pays_only_change(state.store, state.addresses, current, replaced)
                                      ? std::optional<std::size_t>(0)
                                      : payment.change_index;
        kept = state.take_payment(current, payment.transaction, change_index, usable, time);
        if (!kept) return;
        state.store.replacements().put(payment.transaction.txid());
        const auto label = state.store.labels().find("tx", replaced.to_hex());
        if (label) state.addresses.set_label(current, payment.transaction.txid(), *label);
    });
    return kept;
}

bool FeeBumper::keep_child(const Payment& child, const chain::Txid& parent, std::int64_t time) {
    Wallet::State& state = *wallet_.state_;
    bool kept = false;
    state.change(&WalletStore::write_durably, [&](WalletState& current) {
        const auto usable = outpoints_of(current.view().coins_of(parent));
        kept = state.take_payment(current, child.transaction, 0, usable, time);
    });
    return kept;
}

}  // namespace petal::wallet
