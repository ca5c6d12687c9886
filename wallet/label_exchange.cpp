#include "wallet/label_exchange.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "wallet/descriptors/address.h"
#include "wallet/wallet_changes.h"

namespace petal::wallet {

namespace {

/// The origin of a descriptor in BIP329's format: without keys, steps below the keys, and checksum,
/// and with an apostrophe for hardened steps. `wpkh([d34db33f/84h/0h/0h]xpub…/0/*)#…` gives
/// `wpkh([d34db33f/84'/0'/0'])`.
std::string origin_of(const std::string& descriptor) {
    std::string origin;
    bool is_key = false;
    for (const char c : descriptor.substr(0, descriptor.find('#'))) {
        if (is_key && c != ')' && c != ',' && c != '[') continue;
        is_key = c == ']';
        origin += c;
    }
    return origin;
}

/// The origin in normal form: apostrophes for hardened steps, and a fingerprint in lower case.
std::string normal_form(std::string origin) {
    bool is_path = false;
    for (char& c : origin) {
        if (c == '[' || c == ']') is_path = c == '[';
        if (!is_path) continue;
        if (c == 'h' || c == 'H') c = '\'';
        if (c >= 'A' && c <= 'F') c = static_cast<char>(c - 'A' + 'a');
    }
    return origin;
}

std::size_t count_missing(const std::set<std::string>& of, const std::set<std::string>& in) {
    return static_cast<std::size_t>(
        std::ranges::count_if(of, [&in](const std::string& one) { return !in.contains(one); }));
}

/// The object of a record. Empty if its type is not one of a wallet's labels.
std::optional<LabelTarget> target_of(const LabelRecord& record,
                                     const chain::NetworkParams& network) {
    if (record.type == "addr") {
        const auto script = parse_address(record.ref, network);
        if (script) return LabelTarget(*script);
    } else if (record.type == "tx") {
        const auto txid = chain::Txid::from_hex(record.ref);
        if (txid) return LabelTarget(*txid);
    } else if (record.type == "output") {
        const auto outpoint = chain::Outpoint::from_string(record.ref);
        if (outpoint) return LabelTarget(*outpoint);
    }
    return std::nullopt;
}

/// The BIP329 reference of the object.
std::string ref_of(const LabelTarget& target, const chain::NetworkParams& network) {
    if (const auto* txid = std::get_if<chain::Txid>(&target)) return txid->to_hex();
    if (const auto* outpoint = std::get_if<chain::Outpoint>(&target)) return outpoint->to_string();
    return address_of(std::get<chain::Bytes>(target), network);
}

bool is_of_another_network(const LabelRecord& record, const chain::NetworkParams& network) {
    if (record.type != "addr") return false;
    const auto script = parse_address(record.ref, network);
    return !script && script.error() == AddressError::wrong_network;
}

/// Whether the record has further members to store, besides the label.
bool says_more(const LabelRecord& record) {
    return !record.label || record.origin || record.spendable || !record.other_members.empty();
}

}  // namespace

LabelImport LabelExchange::import(std::span<const LabelRecord> records) {
    Wallet::State& state = *wallet_.state_;
    LabelImport result;
    state.change(&WalletStore::write_durably, [&](WalletState& current) {
        // Includes candidates that are not shown, because they may be paid later.
        std::set<std::string> origins;
        for (const WalletDescriptor& descriptor : current.descriptors()) {
            origins.insert(normal_form(origin_of(descriptor.stored.text)));
        }
        LabelTable table = state.store.labels();
        const auto frozen_before = table.frozen_outputs();
        for (LabelRecord record : records) {
            const bool applies = !record.origin || origins.contains(normal_form(*record.origin));
            const auto target = target_of(record, state.network);
            if (target) record.ref = ref_of(*target, state.network);  // as labels are looked up
            if (applies && record.label) table.set(record.type, record.ref, *record.label);
            if (!applies || says_more(record)) table.put_record(record, applies);
            const bool is_own = applies && target && state.addresses.label_ref(current, *target);
            ++(is_own ? result.own : result.kept);
            if (is_of_another_network(record, state.network)) ++result.foreign;
        }
        const auto frozen = table.frozen_outputs();
        result.frozen = count_missing(frozen, frozen_before);
        result.unfrozen = count_missing(frozen_before, frozen);
    });
    return result;
}

chain::Expected<std::vector<chain::Outpoint>, chain::Outpoint> LabelExchange::set_frozen(
    std::span<const chain::Outpoint> coins, bool is_frozen) {
    Wallet::State& state = *wallet_.state_;
    std::vector<chain::Outpoint> changed;
    std::optional<chain::Outpoint> unknown;
    state.change(&WalletStore::write_durably, [&](const WalletState& current) {
        LabelTable table = state.store.labels();
        std::set<std::string> frozen = table.frozen_outputs();
        for (const chain::Outpoint& coin : coins) {
            const bool is_known =
                current.ledger().credit(coin) != nullptr || frozen.contains(coin.to_string());
            if (!is_known) {
                unknown = coin;
                return;
            }
        }
        for (const chain::Outpoint& coin : coins) {
            LabelRecord record;
            record.type = "output";
            record.ref = coin.to_string();
            record.spendable = !is_frozen;
            const bool is_change =
                is_frozen ? frozen.insert(record.ref).second : frozen.erase(record.ref) > 0;
            if (!is_change) continue;
            table.put_record(record, /*applies=*/true);
            changed.push_back(coin);
        }
    });
    if (unknown) return chain::Unexpected(*unknown);
    return changed;
}

std::vector<LabelRecord> LabelExchange::export_all() const {
    Wallet::State& state = *wallet_.state_;
    std::vector<LabelRecord> records;
    state.store.read([&] {
        const Labels labels = state.addresses.labels();
        std::set<std::pair<std::string, std::string>> described;
        state.store.labels().for_each_record([&](LabelRecord record, bool applies) {
            if (applies) {
                const auto [place, added] = described.emplace(record.type, record.ref);
                const auto label = labels.find(*place);
                if (label != labels.end()) record.label = label->second;
            }
            records.push_back(std::move(record));
        });
        for (const auto& [target, label] : labels) {
            if (described.contains(target)) continue;
            LabelRecord& record = records.emplace_back();
            record.type = target.first;
            record.ref = target.second;
            record.label = label;
        }
    });
    return records;
}

}  // namespace petal::wallet
