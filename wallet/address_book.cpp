#include "wallet/address_book.h"

#include <algorithm>
#include <array>
#include <variant>

#include "wallet/descriptors/address.h"

namespace petal::wallet {

namespace {

// BIP329's types, in the order of LabelTarget's alternatives.
constexpr std::array<const char*, 3> kLabelTypes{"addr", "tx", "output"};

std::string find_label(const Labels& labels, std::size_t type, const std::string& ref) {
    const auto found = labels.find({kLabelTypes.at(type), ref});
    return found == labels.end() ? std::string() : found->second;
}

WalletError no_new_address(std::string_view reason) {
    return {WalletError::Kind::no_new_address, std::string(reason)};
}

}  // namespace

Labels AddressBook::labels() const {
    Labels labels;
    store_.read([&] {
        store_.labels().for_each([&](std::string_view type, std::string ref, std::string label) {
            labels.insert_or_assign({std::string(type), std::move(ref)}, std::move(label));
        });
    });
    return labels;
}

std::string AddressBook::label_of(const WalletState& current, const Coin& coin,
                                  const Labels& labels) const {
    std::string own = find_label(labels, 2, coin.outpoint.to_string());
    if (!own.empty()) return own;
    return find_label(labels, 0, address_of(current.ring().script_at(coin.path), network_));
}

std::string AddressBook::label_of(const WalletState& current, const HistoryEntry& entry,
                                  const Labels& labels) const {
    if (labels.empty()) return {};
    std::string text = find_label(labels, 1, entry.txid.to_hex());
    if (!text.empty()) return text;
    std::vector<std::string> seen;
    for (const Credit& credit : current.ledger().find(entry.txid)->credits) {
        const std::string address = address_of(current.ring().script_at(credit.path), network_);
        std::string label = find_label(labels, 0, address);
        if (label.empty() || std::ranges::find(seen, label) != seen.end()) continue;
        text += (text.empty() ? "" : ", ") + label;
        seen.push_back(std::move(label));
    }
    return text;
}

AddressEntry AddressBook::describe(const WalletState& current, KeyPath path,
                                   const std::map<KeyPath, chain::Satoshis>& received) const {
    const KeyRing& ring = current.ring();
    expect_genuine(store_, current, path);
    // Payments are counted for the first path of the script.
    const auto payments = received.find(ring.find(ring.script_at(path)).value());
    AddressEntry entry;
    entry.address = address_of(ring.script_at(path), network_);
    entry.path = path;
    entry.path_text = current.descriptor(path.descriptor).path_text(path.index);
    entry.used = payments != received.end();
    if (entry.used) entry.received = payments->second;
    std::optional<std::string> label;
    store_.read([&] { label = store_.labels().find(kLabelTypes[0], entry.address); });
    entry.label = label.value_or("");
    const bool is_receive = current.descriptor(path.descriptor).stored.chain == KeyChain::receive;
    entry.handed_out =
        is_receive && (path.index < ring.issued_end(path.descriptor) || label.has_value());
    return entry;
}

DescriptorNumber AddressBook::receive_descriptor(const WalletState& current,
                                                 std::optional<DescriptorNumber> named) const {
    if (!named) {
        if (const auto first = current.receive_descriptor()) return *first;
        throw no_new_address("the wallet has no descriptor to receive with");
    }
    const std::string number = std::to_string(named->value);
    const bool is_there = named->value < current.descriptors().size() && current.is_shown(*named);
    if (!is_there) {
        throw no_new_address("the wallet has no descriptor " + number);
    }
    if (current.descriptor(*named).stored.chain == KeyChain::receive) return *named;
    throw no_new_address("descriptor " + number + " is for change");
}

AddressEntry AddressBook::next_address(const WalletState& current, DescriptorNumber receive) const {
    const KeyRing& ring = current.ring();
    if (!ring.is_ranged(receive)) {
        throw no_new_address("descriptor " + std::to_string(receive.value) +
                             " has only one address, and no new one");
    }
    KeyPath path{receive, ring.issued_end(receive)};
    for (;; ++path.index) {
        AddressEntry entry = describe(current, path, {});
        // Skips addresses that a payer may know. Addresses before a skipped address may still be
        // handed out.
        const bool is_last = path.index + 1 == ring.watched(receive);
        if (is_last || !is_named(current, path)) return entry;
    }
}

std::optional<AddressEntry> AddressBook::fixed_address(const WalletState& current,
                                                       DescriptorNumber receive) const {
    if (current.ring().is_ranged(receive)) return std::nullopt;
    AddressEntry entry = describe(current, {receive, 0}, current.view().received());
    if (!entry.address.empty()) return entry;
    throw no_new_address("the script of descriptor " + std::to_string(receive.value) +
                         " has no address");
}

AddressEntry AddressBook::hand_out_next(WalletState& current, TransactionIntake& intake,
                                        DescriptorNumber receive) {
    for (;;) {
        AddressEntry entry = next_address(current, receive);
        current.hand_out(store_, entry.path);
        intake.store_new_scripts(current);
        if (!is_named(current, entry.path)) return entry;
    }
}

bool AddressBook::is_named(const WalletState& current, KeyPath path) const {
    const KeyRing& ring = current.ring();
    const std::string address = address_of(ring.script_at(path), network_);
    return ring.is_also_watched_alone(path) ||
           store_.labels().find(kLabelTypes[0], address).has_value();
}

bool AddressBook::payer_may_know(const WalletState& current, KeyPath path) const {
    const WalletDescriptor& descriptor = current.descriptor(path.descriptor);
    const bool is_handed_out = descriptor.stored.chain == KeyChain::receive &&
                               path.index < store_.watched().handed_out(path.descriptor);
    return !descriptor.source.ranged || is_handed_out || is_named(current, path);
}

std::optional<AddressEntry> AddressBook::shown_address(const WalletState& current,
                                                       DescriptorNumber receive) const {
    const auto index = store_.watched().current_address(receive);
    if (!index) return std::nullopt;
    if (*index >= current.ring().watched(receive)) throw store_.damaged("scripts are missing");
    AddressEntry entry = describe(current, {receive, *index}, current.view().received());
    if (entry.used || !entry.label.empty()) return std::nullopt;
    return entry;
}

std::vector<AddressEntry> AddressBook::addresses_of(const WalletState& current,
                                                    DescriptorNumber number,
                                                    std::uint32_t unused_ahead) const {
    const KeyRing& ring = current.ring();
    const auto received = current.view().received();
    const std::uint32_t issued = ring.issued_end(number);
    const std::uint32_t ahead = std::min(unused_ahead, ring.watched(number) - issued);
    std::vector<AddressEntry> result;
    for (std::uint32_t index = 0; index < issued + ahead; ++index) {
        result.push_back(describe(current, {number, index}, received));
    }
    const Labels known_labels = labels();
    if (known_labels.empty()) return result;
    for (std::uint32_t index = issued + ahead; index < ring.watched(number); ++index) {
        const std::string address = address_of(ring.script_at({number, index}), network_);
        if (find_label(known_labels, 0, address).empty()) continue;
        result.push_back(describe(current, {number, index}, received));
    }
    return result;
}

std::optional<std::string> AddressBook::label_ref(const WalletState& current,
                                                  const LabelTarget& target) const {
    if (const auto* script = std::get_if<chain::Bytes>(&target)) {
        if (!current.ring().find(*script)) return std::nullopt;
        return address_of(*script, network_);
    }
    if (const auto* txid = std::get_if<chain::Txid>(&target)) {
        if (current.ledger().find(*txid) == nullptr) return std::nullopt;
        return txid->to_hex();
    }
    const auto& outpoint = std::get<chain::Outpoint>(target);
    if (current.ledger().credit(outpoint) == nullptr) return std::nullopt;
    return outpoint.to_string();
}

std::optional<std::string> AddressBook::label_at(const WalletState& current,
                                                 const LabelTarget& target) const {
    const auto ref = label_ref(current, target);
    if (!ref) return std::nullopt;
    return store_.labels().find(kLabelTypes.at(target.index()), *ref).value_or("");
}

std::optional<std::string> AddressBook::set_label(const WalletState& current,
                                                  const LabelTarget& target,
                                                  const std::string& label) {
    const auto ref = label_ref(current, target);
    if (!ref) return std::nullopt;
    const char* const type = kLabelTypes.at(target.index());
    const auto stored = store_.labels().find(type, *ref);
    // An empty label records that an address had a label, so that a payer may know the address.
    const bool remembers = stored && std::holds_alternative<chain::Bytes>(target);
    if (label.empty() && !remembers) {
        store_.labels().remove(type, *ref);
    } else {
        store_.labels().set(type, *ref, label);
    }
    return stored.value_or("");
}

}  // namespace petal::wallet
