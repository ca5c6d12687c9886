// The wallet's addresses: which it hands out, which a transaction concerns, and what they are
// called.
#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "wallet/descriptors/address.h"
#include "wallet/wallet_changes.h"

namespace petal::wallet {

namespace {

// BIP329's types, in the order of LabelTarget's alternatives.
constexpr std::array<const char*, 3> kLabelTypes{"addr", "tx", "output"};

std::string find_label(const Labels& labels, std::size_t type, const std::string& ref) {
    const auto found = labels.find({kLabelTypes.at(type), ref});
    return found == labels.end() ? std::string() : found->second;
}

}  // namespace

Labels Wallet::State::labels() {
    Labels labels;
    store.read([&] {
        store.labels().for_each([&](std::string_view type, std::string ref, std::string label) {
            labels.insert_or_assign({std::string(type), std::move(ref)}, std::move(label));
        });
    });
    return labels;
}

std::string Wallet::State::label_of(const Coin& coin, const Labels& labels) {
    const std::string own = find_label(labels, 2, coin.outpoint.to_string());
    if (!own.empty()) return own;
    return find_label(labels, 0, address_of(wallet_state().ring().script_at(coin.path), network));
}

std::string Wallet::State::label_of(const HistoryEntry& entry, const Labels& labels) {
    if (labels.empty()) return {};
    std::string text = find_label(labels, 1, entry.txid.to_hex());
    if (!text.empty()) return text;
    std::vector<std::string> seen;
    for (const Credit& credit : wallet_state().ledger().find(entry.txid)->credits) {
        const std::string address =
            address_of(wallet_state().ring().script_at(credit.path), network);
        std::string label = find_label(labels, 0, address);
        if (label.empty() || std::ranges::find(seen, label) != seen.end()) continue;
        text += (text.empty() ? "" : ", ") + label;
        seen.push_back(std::move(label));
    }
    return text;
}

std::string Wallet::State::path_text(KeyPath path) {
    return wallet_state().descriptor(path.descriptor).path_text(path.index);
}

AddressEntry Wallet::State::describe_address(KeyPath path,
                                             const std::map<KeyPath, chain::Satoshis>& received) {
    const KeyRing& ring = wallet_state().ring();
    const auto payments = received.find(path);
    AddressEntry entry;
    entry.address = address_of(ring.script_at(path), network);
    entry.path = path;
    entry.path_text = path_text(path);
    entry.used = payments != received.end();
    if (entry.used) entry.received = payments->second;
    std::optional<std::string> label;
    store.read([&] { label = store.labels().find(kLabelTypes[0], entry.address); });
    entry.label = label.value_or("");
    const bool is_receive = wallet_state().chain_of(path.descriptor) == KeyChain::receive;
    entry.handed_out =
        is_receive && (path.index < ring.issued_end(path.descriptor) || label.has_value());
    return entry;
}

AddressEntry Wallet::State::next_address(WalletState& current) {
    const KeyRing& ring = current.ring();
    const auto receive = current.receive_descriptor();
    if (!receive) throw no_new_addresses();
    KeyPath path{*receive, ring.issued_end(*receive)};
    for (;; ++path.index) {
        // A payment to a wrong address is lost.
        if (!ring.is_genuine(path)) throw store.damaged("a wrong address");
        AddressEntry entry = describe_address(path, {});
        // An address that was labelled is not handed out, and those before it may be.
        const bool is_last = path.index + 1 == ring.watched(*receive);
        if (is_last || !was_labelled(entry)) return entry;
    }
}

std::optional<AddressEntry> Wallet::State::fixed_address(WalletState& current) {
    if (current.receive_descriptor()) return std::nullopt;
    for (std::uint32_t number = 0; number < current.ring().size(); ++number) {
        if (current.chain_of(number) != KeyChain::receive) continue;
        AddressEntry entry = describe_address({number, 0}, current.view().received());
        if (!entry.address.empty()) return entry;
    }
    throw no_new_addresses();
}

WalletError Wallet::State::no_new_addresses() const {
    return {
        WalletError::Kind::no_new_address,
        "the wallet has no ranged descriptor to take a new address from; petal import adds one"};
}

AddressEntry Wallet::State::hand_out_next(WalletState& current) {
    for (;;) {
        AddressEntry entry = next_address(current);
        current.hand_out(store, entry.path);
        intake.store_new_scripts(current);
        if (!was_labelled(entry)) return entry;
    }
}

bool Wallet::State::was_labelled(const AddressEntry& entry) {
    return store.labels().find(kLabelTypes[0], entry.address).has_value();
}

std::optional<AddressEntry> Wallet::State::shown_address(WalletState& current) {
    const auto path = store.watched().current_address();
    if (!path) return std::nullopt;
    const KeyRing& ring = current.ring();
    if (path->descriptor.value >= ring.size() || path->index >= ring.watched(path->descriptor)) {
        throw store.damaged("scripts are missing");
    }
    if (path->descriptor != current.receive_descriptor()) return std::nullopt;
    if (!ring.is_genuine(*path)) throw store.damaged("a wrong address");
    AddressEntry entry = describe_address(*path, current.view().received());
    if (entry.used || !entry.label.empty()) return std::nullopt;
    return entry;
}

std::vector<AddressEntry> Wallet::State::addresses_of(DescriptorNumber number,
                                                      std::uint32_t unused_ahead) {
    const WalletState& current = wallet_state();
    const KeyRing& ring = current.ring();
    const auto received = current.view().received();
    const std::uint32_t issued = ring.issued_end(number);
    const std::uint32_t ahead = std::min(unused_ahead, ring.watched(number) - issued);
    std::vector<AddressEntry> result;
    for (std::uint32_t index = 0; index < issued + ahead; ++index) {
        result.push_back(describe_address({number, index}, received));
    }
    const Labels known_labels = labels();
    if (known_labels.empty()) return result;
    for (std::uint32_t index = issued + ahead; index < ring.watched(number); ++index) {
        const std::string address = address_of(ring.script_at({number, index}), network);
        if (find_label(known_labels, 0, address).empty()) continue;
        result.push_back(describe_address({number, index}, received));
    }
    return result;
}

std::vector<AddressEntry> Wallet::addresses(KeyChain chain, std::uint32_t unused_ahead) const {
    const WalletState& current = state_->wallet_state();
    std::vector<AddressEntry> result;
    for (std::uint32_t number = 0; number < current.ring().size(); ++number) {
        if (current.chain_of(number) != chain || !current.is_shown(number)) continue;
        auto entries = state_->addresses_of(number, unused_ahead);
        std::ranges::move(entries, std::back_inserter(result));
    }
    return result;
}

std::optional<AddressEntry> Wallet::address(chain::ByteView script_pubkey) const {
    const WalletState& wallet_state = state_->wallet_state();
    const auto path = wallet_state.ring().find(script_pubkey);
    if (!path) return std::nullopt;
    return state_->describe_address(*path, wallet_state.view().received());
}

chain::Satoshis Wallet::received(chain::ByteView script_pubkey, std::uint32_t confirmations) const {
    const WalletState& wallet_state = state_->wallet_state();
    const auto path = wallet_state.ring().find(script_pubkey);
    if (!path) return 0;
    const auto received = wallet_state.view().received(confirmations);
    const auto payments = received.find(*path);
    return payments == received.end() ? 0 : payments->second;
}

AddressEntry Wallet::receive_address(bool hand_out) {
    AddressEntry entry;
    if (hand_out) {
        state_->change(&WalletStore::write_durably, [&](WalletState& wallet_state) {
            entry = state_->hand_out_next(wallet_state);
        });
    } else {
        state_->read(
            [&](WalletState& wallet_state) { entry = state_->next_address(wallet_state); });
    }
    return entry;
}

AddressEntry Wallet::current_address(bool remember) {
    AddressEntry entry;
    const auto choose = [&](WalletState& wallet_state) {
        if (auto fixed = state_->fixed_address(wallet_state)) {
            entry = *std::move(fixed);
            return true;
        }
        auto shown = state_->shown_address(wallet_state);
        const bool is_shown = shown.has_value();
        entry = is_shown ? *std::move(shown) : state_->next_address(wallet_state);
        return is_shown;
    };
    bool is_shown = false;
    state_->read([&](WalletState& wallet_state) { is_shown = choose(wallet_state); });
    if (is_shown || !remember) return entry;
    state_->change(&WalletStore::write_durably, [&](WalletState& current) {
        if (choose(current)) return;  // another process has chosen one
        entry = state_->hand_out_next(current);
        state_->store.watched().set_current_address(entry.path);
    });
    return entry;
}

KeyChain Wallet::chain_of(DescriptorNumber number) const {
    return state_->wallet_state().chain_of(number);
}

std::string Wallet::address_at(KeyPath path) const {
    return address_of(state_->wallet_state().ring().script_at(path), state_->network);
}

std::string Wallet::path_text(KeyPath path) const {
    return state_->path_text(path);
}

const chain::Bytes& Wallet::script_at(KeyPath path) const {
    return state_->wallet_state().ring().script_at(path);
}

OwnKeys Wallet::own_keys(const chain::Txid& txid) const {
    OwnKeys keys;
    const Ledger& ledger = state_->wallet_state().ledger();
    const LedgerTransaction* transaction = ledger.find(txid);
    if (transaction == nullptr) return keys;
    for (const Credit& credit : transaction->credits) keys.paid.push_back(credit.path);
    for (const chain::Outpoint& input : transaction->inputs) {
        if (const Credit* spent = ledger.credit(input)) keys.spent.push_back(spent->path);
    }
    return keys;
}

std::optional<std::string> Wallet::State::label_ref(const WalletState& current,
                                                    const LabelTarget& target) const {
    if (const auto* script = std::get_if<chain::Bytes>(&target)) {
        if (!current.ring().find(*script)) return std::nullopt;
        return address_of(*script, network);
    }
    if (const auto* txid = std::get_if<chain::Txid>(&target)) {
        if (!current.view().entry(*txid)) return std::nullopt;
        return txid->to_hex();
    }
    const auto& outpoint = std::get<chain::Outpoint>(target);
    if (current.ledger().credit(outpoint) == nullptr) return std::nullopt;
    return outpoint.to_string();
}

bool Wallet::State::is_ahead(const WalletState& current, const LabelTarget& target) const {
    const auto* script = std::get_if<chain::Bytes>(&target);
    if (script == nullptr) return false;
    const auto path = current.ring().find(*script);
    return path && path->index >= current.ring().issued_end(path->descriptor);
}

std::optional<std::string> Wallet::set_label(const LabelTarget& target, const std::string& label) {
    std::optional<std::string> previous;
    state_->change(&WalletStore::write_durably, [&](WalletState& wallet_state) {
        const auto ref = state_->label_ref(wallet_state, target);
        if (!ref) return;
        const char* const type = kLabelTypes.at(target.index());
        const auto stored = state_->store.labels().find(type, *ref);
        previous = stored.value_or("");
        // Of an address that is still to be handed out, an empty label remembers that it had one:
        // a payer may have it.
        const bool remembers = stored && state_->is_ahead(wallet_state, target);
        if (label.empty() && !remembers) {
            state_->store.labels().remove(type, *ref);
        } else {
            state_->store.labels().set(type, *ref, label);
        }
    });
    return previous;
}

}  // namespace petal::wallet
