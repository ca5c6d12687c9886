// The wallet's addresses: which it hands out, which a transaction concerns, and what they are
// called.
#include <algorithm>
#include <array>
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
        store.for_each_label([&](std::string_view type, std::string ref, std::string label) {
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

AddressEntry Wallet::State::describe_address(KeyPath path,
                                             const std::map<KeyPath, chain::Satoshis>& received) {
    const KeyRing& ring = wallet_state().ring();
    const auto payments = received.find(path);
    AddressEntry entry;
    entry.address = address_of(ring.script_at(path), network);
    entry.path = path;
    entry.path_text = full_path_to_string(ring.kind(), network.coin_type, path);
    entry.used = payments != received.end();
    if (entry.used) entry.received = payments->second;
    store.read([&] { entry.label = store.label(kLabelTypes[0], entry.address).value_or(""); });
    return entry;
}

std::vector<AddressEntry> Wallet::addresses(KeyChain chain, std::uint32_t unused_ahead) const {
    const WalletState& wallet_state = state_->wallet_state();
    const auto received = wallet_state.ledger().received();
    const std::uint32_t issued = wallet_state.ring().issued_end(chain);
    const std::uint32_t ahead = std::min(unused_ahead, wallet_state.ring().watched(chain) - issued);
    std::vector<AddressEntry> result;
    for (std::uint32_t index = 0; index < issued + ahead; ++index) {
        result.push_back(state_->describe_address({chain, index}, received));
    }
    const Labels labels = state_->labels();
    if (labels.empty()) return result;
    for (std::uint32_t index = issued + ahead; index < wallet_state.ring().watched(chain);
         ++index) {
        if (find_label(labels, 0, address_at({chain, index})).empty()) continue;
        result.push_back(state_->describe_address({chain, index}, received));
    }
    return result;
}

std::optional<AddressEntry> Wallet::address(chain::ByteView script_pubkey) const {
    const WalletState& wallet_state = state_->wallet_state();
    const auto path = wallet_state.ring().find(script_pubkey);
    if (!path) return std::nullopt;
    return state_->describe_address(*path, wallet_state.ledger().received());
}

chain::Satoshis Wallet::received(chain::ByteView script_pubkey, std::uint32_t confirmations) const {
    const WalletState& wallet_state = state_->wallet_state();
    const auto path = wallet_state.ring().find(script_pubkey);
    if (!path) return 0;
    const auto received = wallet_state.ledger().received(confirmations);
    const auto payments = received.find(*path);
    return payments == received.end() ? 0 : payments->second;
}

AddressEntry Wallet::receive_address(bool hand_out) {
    const auto ring = [&]() -> const KeyRing& { return state_->wallet_state().ring(); };
    KeyPath path{KeyChain::receive, ring().issued_end(KeyChain::receive)};
    const auto hand_out_path = [&] {
        state_->change(&WalletStore::write_durably, [&](WalletState& wallet_state) {
            state_->hand_out(wallet_state, path);
            state_->store_new_scripts(wallet_state);
        });
    };
    const auto describe = [&] {
        // A payment to a wrong address is lost.
        if (!ring().is_genuine(path)) throw state_->store.damaged("a wrong address");
        return state_->describe_address(path, {});
    };
    const auto was_labelled = [&](const AddressEntry& described) {
        std::optional<std::string> label;
        state_->store.read([&] { label = state_->store.label(kLabelTypes[0], described.address); });
        return label.has_value();
    };
    AddressEntry entry = describe();
    // An address that was labelled is not handed out, and those before it may be.
    while (was_labelled(entry)) {
        const bool is_last = path.index + 1 == ring().watched(KeyChain::receive);
        if (is_last && !hand_out) return entry;  // there is no further one before it is handed out
        if (is_last) hand_out_path();
        ++path.index;
        entry = describe();
    }
    if (hand_out) hand_out_path();
    return entry;
}

AddressEntry Wallet::current_address(bool remember) {
    std::uint32_t end = 0;
    state_->store.read([&] { end = state_->store.current_address_end(); });
    const WalletState& wallet_state = state_->wallet_state();
    if (end > wallet_state.ring().watched(KeyChain::receive)) {
        throw state_->store.damaged("scripts are missing");
    }
    if (end > 0) {
        const KeyPath path{KeyChain::receive, end - 1};
        if (!wallet_state.ring().is_genuine(path)) throw state_->store.damaged("a wrong address");
        AddressEntry entry = state_->describe_address(path, wallet_state.ledger().received());
        if (!entry.used && entry.label.empty()) return entry;
    }
    AddressEntry fresh = receive_address(remember);
    if (remember) {
        state_->change(&WalletStore::write_durably, [&](WalletState&) {
            state_->store.set_current_address_end(fresh.path.index + 1);
        });
    }
    return fresh;
}

std::string Wallet::address_at(KeyPath path) const {
    return address_of(state_->wallet_state().ring().script_at(path), state_->network);
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

bool Wallet::set_label(const LabelTarget& target, const std::string& label) {
    const WalletState& known = state_->wallet_state();
    std::string ref;
    std::optional<KeyPath> path;
    if (const auto* script = std::get_if<chain::Bytes>(&target)) {
        path = known.ring().find(*script);
        if (!path) return false;
        ref = address_of(*script, state_->network);
    } else if (const auto* txid = std::get_if<chain::Txid>(&target)) {
        if (!known.ledger().entry(*txid)) return false;
        ref = txid->to_hex();
    } else {
        const auto& outpoint = std::get<chain::Outpoint>(target);
        if (known.ledger().credit(outpoint) == nullptr) return false;
        ref = outpoint.to_string();
    }
    state_->change(&WalletStore::write_durably, [&](WalletState& wallet_state) {
        const char* const type = kLabelTypes.at(target.index());
        // Of an address that is still to be handed out, an empty label remembers that it had one:
        // a payer may have it.
        const bool remembers = path && state_->store.label(type, ref) &&
                               path->index >= wallet_state.ring().issued_end(path->chain);
        if (label.empty() && !remembers) {
            state_->store.remove_label(type, ref);
        } else {
            state_->store.set_label(type, ref, label);
        }
    });
    return true;
}

}  // namespace petal::wallet
