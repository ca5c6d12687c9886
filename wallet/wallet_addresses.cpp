// The parts of wallet.h about addresses and labels.
#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

#include "wallet/descriptors/address.h"
#include "wallet/wallet_changes.h"

namespace petal::wallet {

namespace {

void add_unconfirmed(std::span<AddressEntry> entries, const WalletState& current) {
    const auto confirmed = current.view().received(1);
    const KeyRing& ring = current.ring();
    for (AddressEntry& entry : entries) {
        // Payments are counted for the first path of the script.
        const auto sum = confirmed.find(ring.find(ring.script_at(entry.path)).value());
        entry.unconfirmed = entry.received - (sum == confirmed.end() ? 0 : sum->second);
    }
}

}  // namespace

std::vector<AddressEntry> Wallet::addresses(KeyChain chain, std::uint32_t unused_ahead) const {
    const WalletState& current = state_->wallet_state();
    std::vector<AddressEntry> result;
    for (std::uint32_t number = 0; number < current.ring().size(); ++number) {
        if (current.descriptor(number).stored.chain != chain || !current.is_shown(number)) continue;
        auto entries = state_->addresses.addresses_of(current, number, unused_ahead);
        std::ranges::move(entries, std::back_inserter(result));
    }
    add_unconfirmed(result, current);
    return result;
}

std::optional<KeyPath> Wallet::find_path(chain::ByteView script_pubkey) const {
    return state_->wallet_state().ring().find(script_pubkey);
}

bool Wallet::has_transaction(const chain::Txid& txid) const {
    return state_->wallet_state().ledger().find(txid) != nullptr;
}

std::optional<AddressEntry> Wallet::address(chain::ByteView script_pubkey) const {
    const WalletState& wallet_state = state_->wallet_state();
    const auto path = wallet_state.ring().find(script_pubkey);
    if (!path) return std::nullopt;
    AddressEntry entry =
        state_->addresses.describe(wallet_state, *path, wallet_state.view().received());
    add_unconfirmed({&entry, 1}, wallet_state);
    return entry;
}

chain::Satoshis Wallet::received(chain::ByteView script_pubkey, std::uint32_t confirmations) const {
    const WalletState& wallet_state = state_->wallet_state();
    const auto path = wallet_state.ring().find(script_pubkey);
    if (!path) return 0;
    const auto received = wallet_state.view().received(confirmations);
    const auto payments = received.find(*path);
    return payments == received.end() ? 0 : payments->second;
}

AddressEntry Wallet::receive_address(bool hand_out, std::optional<DescriptorNumber> of) {
    AddressEntry entry;
    if (hand_out) {
        state_->change(&WalletStore::write_durably, [&](WalletState& wallet_state) {
            const auto receive = state_->addresses.receive_descriptor(wallet_state, of);
            entry = state_->addresses.hand_out_next(wallet_state, state_->intake, receive);
        });
    } else {
        state_->read([&](WalletState& wallet_state) {
            const auto receive = state_->addresses.receive_descriptor(wallet_state, of);
            entry = state_->addresses.next_address(wallet_state, receive);
        });
    }
    return entry;
}

AddressEntry Wallet::current_address(bool remember, std::optional<DescriptorNumber> of) {
    AddressEntry entry;
    DescriptorNumber receive;
    const auto choose = [&](WalletState& wallet_state) {
        receive = state_->addresses.receive_descriptor(wallet_state, of);
        auto known = state_->addresses.fixed_address(wallet_state, receive);
        if (!known) known = state_->addresses.shown_address(wallet_state, receive);
        const bool is_known = known.has_value();
        entry =
            is_known ? *std::move(known) : state_->addresses.next_address(wallet_state, receive);
        return is_known;
    };
    bool is_known = false;
    state_->read([&](WalletState& wallet_state) { is_known = choose(wallet_state); });
    if (is_known || !remember) return entry;
    state_->change(&WalletStore::write_durably, [&](WalletState& current) {
        if (choose(current)) return;  // another process has already chosen an address
        entry = state_->addresses.hand_out_next(current, state_->intake, receive);
        state_->store.watched().set_current_address(receive, entry.path.index);
    });
    return entry;
}

KeyChain Wallet::chain_of(DescriptorNumber number) const {
    return state_->wallet_state().descriptor(number).stored.chain;
}

std::string Wallet::address_at(KeyPath path) const {
    return address_of(state_->wallet_state().ring().script_at(path), state_->network);
}

std::string Wallet::path_text(KeyPath path) const {
    return state_->wallet_state().descriptor(path.descriptor).path_text(path.index);
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

std::set<std::string> Wallet::seen_explanations() const {
    std::set<std::string> names;
    state_->store.read([&] { names = state_->store.explanations().names(); });
    return names;
}

void Wallet::remember_explanations(const std::filesystem::path& file,
                                   const std::set<std::string>& names) {
    // Opening an earlier version for a change would upgrade it.
    auto reader = WalletStore::open(file, Access::read);
    bool has_table = false;
    reader.read([&] { has_table = reader.explanations().has_table(); });
    if (!has_table) return;
    auto writer = WalletStore::open(file, Access::change);
    writer.write([&] {
        for (const std::string& name : names) writer.explanations().add(name);
    });
}

std::optional<std::string> Wallet::label(const LabelTarget& target) const {
    std::optional<std::string> label;
    state_->read(
        [&](const WalletState& current) { label = state_->addresses.label_at(current, target); });
    return label;
}

std::optional<std::string> Wallet::set_label(const LabelTarget& target, const std::string& label) {
    std::optional<std::string> previous;
    state_->change(&WalletStore::write_durably, [&](const WalletState& current) {
        previous = state_->addresses.set_label(current, target, label);
    });
    return previous;
}

}  // namespace petal::wallet
