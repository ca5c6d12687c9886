#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "regtest/rpc/btc_amount.h"
#include "regtest/rpc/output_script.h"
#include "regtest/rpc/regtest_network.h"
#include "regtest/rpc/wallet_method.h"
#include "regtest/rpc/wallet_methods/wallet_history.h"
#include "regtest/rpc/wallet_methods/wallet_json.h"
#include "wallet/descriptors/address.h"

namespace petal::regtest::rpc {
namespace {

/// What an address has received.
struct Received {
    chain::Satoshis amount = 0;
    std::int64_t confirmations = std::numeric_limits<std::int64_t>::max();  ///< the fewest
    std::vector<chain::Txid> txids;
};

/// By script. Without conflicted transactions.
std::map<chain::Bytes, Received> received_by_script(const wallets::NamedWallet& wallet,
                                                    std::int64_t least, bool has_immature) {
    std::map<chain::Bytes, Received> received;
    if (wallet.keys() == nullptr) return received;
    const WalletHistory history(wallet);
    for (const wallet::HistoryEntry& entry : history.oldest_first()) {
        const std::int64_t depth = history.confirmations(entry);
        if (depth < least || entry.received == 0) continue;
        const bool is_immature = entry.coinbase && depth < kMatureConfirmations;
        if (entry.coinbase && (depth < 1 || (is_immature && !has_immature))) continue;
        const auto transaction = wallet.keys()->known_transaction(entry.txid)->transaction;
        for (const chain::TxOutput& output : transaction.outputs) {
            if (!wallet.keys()->find_path(output.script_pubkey)) continue;
            Received& sum = received[output.script_pubkey];
            sum.amount += output.value;
            sum.confirmations = std::min(sum.confirmations, depth);
            sum.txids.push_back(entry.txid);
        }
    }
    return received;
}

/// The receive addresses that were handed out or labelled, as in Bitcoin Core's address book.
std::vector<wallet::AddressEntry> known_addresses(const wallets::NamedWallet& wallet) {
    if (wallet.keys() == nullptr) return {};
    auto entries = wallet.keys()->addresses(wallet::KeyChain::receive, 0);
    for (auto& entry : wallet.keys()->addresses(wallet::KeyChain::change, 0)) {
        if (!entry.label.empty()) entries.push_back(std::move(entry));
    }
    std::erase_if(entries, [](const auto& entry) { return entry.address.empty(); });
    return entries;
}

Json amount_received(const wallets::NamedWallet& wallet, const std::set<chain::Bytes>& scripts,
                     const Arguments& arguments) {
    chain::Satoshis total = 0;
    const auto received =
        received_by_script(wallet, arguments.number(1, 1), arguments.boolean(2, false));
    for (const auto& [script, sum] : received) {
        if (scripts.contains(script)) total += sum.amount;
    }
    return btc_json(total);
}

Json get_received_by_address(const WalletCall& call, const Arguments& arguments) {
    const wallets::NamedWallet& wallet = call.wallet();
    auto script = script_of_address(arguments.text(0), "Invalid Bitcoin address");
    if (wallet.keys() == nullptr || !wallet.keys()->find_path(script)) {
        throw RpcError(RpcCode::wallet_error, "Address not found in wallet");
    }
    return amount_received(wallet, {std::move(script)}, arguments);
}

Json get_received_by_label(const WalletCall& call, const Arguments& arguments) {
    const wallets::NamedWallet& wallet = call.wallet();
    const std::string label = checked_label(arguments.text(0));
    std::set<chain::Bytes> scripts;
    for (const wallet::AddressEntry& entry : known_addresses(wallet)) {
        if (entry.label == label) scripts.insert(wallet.keys()->script_at(entry.path));
    }
    if (scripts.empty()) throw RpcError(RpcCode::wallet_error, "Label not found in wallet");
    return amount_received(wallet, scripts, arguments);
}

std::int64_t shown_confirmations(const Received& received) {
    return received.txids.empty() ? 0 : received.confirmations;
}

Json list_received_by_address(const WalletCall& call, const Arguments& arguments) {
    const wallets::NamedWallet& wallet = call.wallet();
    const bool has_empty = arguments.boolean(1, false);
    std::optional<chain::Bytes> wanted;
    if (arguments.has(3) && !arguments.text(3).empty()) {
        const auto script = wallet::parse_address(arguments.text(3), regtest_network());
        if (!script) {
            throw RpcError(RpcCode::wallet_error, "address_filter parameter was invalid");
        }
        wanted = *script;
    }
    auto received = received_by_script(wallet, arguments.number(0, 1), arguments.boolean(4, false));
    Json listed = Json::array();
    for (const wallet::AddressEntry& entry : known_addresses(wallet)) {
        const chain::Bytes& script = wallet.keys()->script_at(entry.path);
        if (wanted && *wanted != script) continue;
        if (!has_empty && !received.contains(script)) continue;
        const Received& sum = received[script];
        Json txids = Json::array();
        for (const chain::Txid& txid : sum.txids) txids.push_back(txid.to_hex());
        listed.push_back({{"address", entry.address},
                          {"amount", btc_json(sum.amount)},
                          {"confirmations", shown_confirmations(sum)},
                          {"label", entry.label},
                          {"txids", std::move(txids)}});
    }
    return listed;
}

Json list_received_by_label(const WalletCall& call, const Arguments& arguments) {
    const wallets::NamedWallet& wallet = call.wallet();
    const bool has_empty = arguments.boolean(1, false);
    auto received = received_by_script(wallet, arguments.number(0, 1), arguments.boolean(3, false));
    std::map<std::string, Received> by_label;
    for (const wallet::AddressEntry& entry : known_addresses(wallet)) {
        const chain::Bytes& script = wallet.keys()->script_at(entry.path);
        if (!has_empty && !received.contains(script)) continue;
        const Received& sum = received[script];
        Received& total = by_label[entry.label];
        total.amount += sum.amount;
        total.confirmations = std::min(total.confirmations, sum.confirmations);
        total.txids.insert(total.txids.end(), sum.txids.begin(), sum.txids.end());
    }
    Json listed = Json::array();
    for (const auto& [label, sum] : by_label) {
        listed.push_back({{"amount", btc_json(sum.amount)},
                          {"confirmations", shown_confirmations(sum)},
                          {"label", label}});
    }
    return listed;
}

Json get_addresses_by_label(const WalletCall& call, const Arguments& arguments) {
    const wallets::NamedWallet& wallet = call.wallet();
    const std::string label = checked_label(arguments.text(0));
    Json found = Json::object();
    for (const wallet::AddressEntry& entry : known_addresses(wallet)) {
        if (entry.label == label) append_member(found, entry.address, {{"purpose", "receive"}});
    }
    if (!found.empty()) return found;
    throw RpcError(RpcCode::invalid_label, "No addresses with label " + label);
}

Json list_labels(const WalletCall& call, const Arguments& arguments) {
    std::set<std::string> labels;
    const wallets::NamedWallet& wallet = call.wallet();
    const std::string purpose = arguments.has(0) ? arguments.text(0) : "";
    if (!purpose.empty() && purpose != "send" && purpose != "receive") {
        throw RpcError(RpcCode::invalid_parameter,
                       "Invalid 'purpose' argument, must be a known purpose string, typically "
                       "'send', or 'receive'.");
    }
    if (purpose == "send") return Json::array();  // labels of foreign addresses are not kept
    for (const wallet::AddressEntry& entry : known_addresses(wallet)) labels.insert(entry.label);
    return labels;
}

Json set_label(const WalletCall& call, const Arguments& arguments) {
    wallets::NamedWallet& wallet = call.wallet();
    const auto script = script_of_address(arguments.text(0), "Invalid Bitcoin address");
    const std::string label = checked_label(arguments.text(1));
    if (label.size() > wallet::kMaxLabelBytes) {
        throw RpcError(
            RpcCode::invalid_label,
            "Label is too long: at most " + std::to_string(wallet::kMaxLabelBytes) + " bytes");
    }
    if (wallet.keys() != nullptr) wallet.keys()->set_label(script, label);
    return nullptr;
}

}  // namespace

std::vector<WalletMethod> wallet_received_methods() {
    using enum ArgumentKind;
    return {
        {"getreceivedbyaddress",
         {{"address", text},
          {"minconf", number, false},
          {"include_immature_coinbase", boolean, false}},
         get_received_by_address,
         "what an address has received"},
        {"getreceivedbylabel",
         {{"label", text},
          {"minconf", number, false},
          {"include_immature_coinbase", boolean, false}},
         get_received_by_label,
         "what the addresses with a label have received"},
        {"listreceivedbyaddress",
         {{"minconf", number, false},
          {"include_empty", boolean, false},
          {"include_watchonly", boolean, false},
          {"address_filter", text, false},
          {"include_immature_coinbase", boolean, false}},
         list_received_by_address,
         "what each address has received"},
        {"listreceivedbylabel",
         {{"minconf", number, false},
          {"include_empty", boolean, false},
          {"include_watchonly", boolean, false},
          {"include_immature_coinbase", boolean, false}},
         list_received_by_label,
         "what the addresses with each label have received"},
        {"getaddressesbylabel",
         {{"label", text}},
         get_addresses_by_label,
         "the addresses with a label"},
        {"listlabels", {{"purpose", text, false}}, list_labels, "all labels of addresses"},
        {"setlabel",
         {{"address", text}, {"label", text}},
         set_label,
         "labels an address of the wallet"},
    };
}

}  // namespace petal::regtest::rpc
