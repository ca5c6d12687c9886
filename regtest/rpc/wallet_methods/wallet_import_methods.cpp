#include <algorithm>
#include <map>
#include <utility>

#include "regtest/rpc/coin_choice.h"
#include "regtest/rpc/regtest_network.h"
#include "regtest/rpc/wallet_method.h"
#include "regtest/rpc/wallet_methods/wallet_json.h"
#include "wallet/descriptors/new_descriptors.h"

namespace petal::regtest::rpc {
namespace {

/// Blocks may have a time before that of an earlier payment (Bitcoin Core: TIMESTAMP_WINDOW).
constexpr std::int64_t kTimestampWindow = 2 * 60 * 60;

Json list_descriptors(const WalletCall& call, const Arguments& arguments) {
    wallets::NamedWallet& wallet = call.wallet();
    const bool shows_private = arguments.boolean(0, false);
    if (shows_private && !wallet.flags().has_private_keys) {
        throw RpcError(RpcCode::wallet_error,
                       "Can't get private descriptor string for watch-only wallets");
    }
    if (shows_private) require_unlocked(wallet);
    Json listed = Json::array();
    if (const wallet::Wallet* const keys = wallet.keys()) {
        const wallet::WalletInfo info = keys->info();
        std::vector<std::string> texts = info.descriptors;
        if (shows_private && wallet.secret() != nullptr) {
            const auto secrets = keys->private_descriptors(*wallet.secret());
            for (std::size_t i = 0; i < secrets.size(); ++i) {
                texts[i].assign(secrets[i].begin(), secrets[i].end());
            }
        }
        constexpr std::uint32_t kAll = 1'000'000;
        std::map<std::uint32_t, std::pair<std::uint32_t, std::uint32_t>> counts;  // all, issued
        for (const auto chain : wallet::kKeyChains) {
            for (const auto& entry : keys->addresses(chain, kAll)) {
                auto& [all, issued] = counts[entry.path.descriptor.value];
                all = std::max(all, entry.path.index + 1);
                if (entry.used || entry.handed_out) issued = std::max(issued, entry.path.index + 1);
            }
        }
        const auto time = info.birthday.time;
        for (std::size_t i = 0; i < texts.size(); ++i) {
            const std::uint32_t number = info.descriptor_numbers[i];
            const bool is_ranged = texts[i].find('*') != std::string::npos;
            Json json = {{"desc", texts[i]}, {"timestamp", time}, {"active", is_ranged}};
            if (is_ranged) {
                json["internal"] = keys->chain_of(number) == wallet::KeyChain::change;
                const auto [all, issued] = counts[number];
                json["range"] = Json::array({0, std::max(all, 1U) - 1});
                json["next"] = issued;
                json["next_index"] = issued;
            }
            listed.push_back(std::move(json));
        }
    }
    std::sort(listed.begin(), listed.end(), [](const Json& a, const Json& b) {
        return a["desc"].get_ref<const std::string&>() < b["desc"].get_ref<const std::string&>();
    });
    return {{"wallet_name", wallet.name()}, {"descriptors", std::move(listed)}};
}

/// A descriptor to import.
struct ImportRequest {
    std::string text;
    bool is_internal = false;
    std::string label;
    std::uint32_t from = 0;  ///< the height from which blocks are searched
};

/// The first block whose time is not before this one. The next block if there is none.
std::uint32_t height_at(const wallets::WalletChain& chain, std::int64_t time) {
    std::uint32_t height = 0;
    while (height <= chain.tip().height && chain.header_at(height).time < time) ++height;
    return height;
}

ImportRequest parse_import(const wallets::WalletChain& chain, const Json& given) {
    ImportRequest request;
    if (!given.is_object()) {
        throw RpcError(RpcCode::wrong_type, "JSON value of type " + std::string(type_name(given)) +
                                                " is not of expected type object");
    }
    if (!given.contains("desc")) {
        throw RpcError(RpcCode::invalid_parameter, "Descriptor not found.");
    }
    check_option(given, "desc", "string");
    check_option(given, "internal", "bool");
    check_option(given, "active", "bool");
    check_option(given, "label", "string");
    request.text = given["desc"].get<std::string>();
    if (request.text.find('#') == std::string::npos) {
        throw RpcError(RpcCode::not_found, "Missing checksum");
    }
    request.is_internal = given.value("internal", Json(false)) == true;
    if (given.contains("label")) {
        request.label = checked_label(given["label"].get<std::string>());
        if (request.is_internal) {
            throw RpcError(RpcCode::invalid_parameter,
                           "Internal addresses should not have a label");
        }
        if (request.text.find('*') != std::string::npos && !request.label.empty()) {
            throw RpcError(RpcCode::invalid_parameter,
                           "Ranged descriptors should not have a label");
        }
    }
    if (!given.contains("timestamp")) {
        throw RpcError(RpcCode::wrong_type, "Missing required timestamp field for key");
    }
    const Json& timestamp = given["timestamp"];
    if (timestamp == "now") {
        const std::int64_t now = chain.header_at(chain.tip().height).time;
        request.from = height_at(chain, now - kTimestampWindow);
    } else if (timestamp.is_number()) {
        request.from = height_at(chain, Arguments::whole_number(timestamp) - kTimestampWindow);
    } else {
        throw RpcError(RpcCode::wrong_type,
                       "Expected number or \"now\" timestamp value for key. got type " +
                           std::string(type_name(timestamp)));
    }
    return request;
}

bool has_private_key(const std::string& text) {
    const auto parsed = wallet::Descriptor::parse(text, regtest_network());
    return parsed && parsed->has_private_keys();
}

/// Parses all descriptors, which must be private or public together. Throws `not_found`.
wallet::NewDescriptors parse_all(const std::vector<ImportRequest>& requests, bool is_private) {
    std::vector<std::string> texts;
    wallet::SecretString file;
    for (const ImportRequest& request : requests) {
        texts.push_back(request.text);
        file += request.text;
        file += '\n';
    }
    auto parsed = is_private ? wallet::parse_private_descriptors(file, regtest_network())
                             : wallet::parse_new_descriptors(texts, regtest_network());
    if (!parsed) throw RpcError(RpcCode::not_found, parsed.error().reason);
    for (wallet::NewDescriptor& one : parsed->descriptors) {
        one.chain =
            requests[one.given].is_internal ? wallet::KeyChain::change : wallet::KeyChain::receive;
    }
    return *std::move(parsed);
}

void import_all(wallets::NamedWallet& wallet, const std::vector<ImportRequest>& requests) {
    const auto is_private = [](const ImportRequest& request) {
        return has_private_key(request.text);
    };
    const auto secret = std::ranges::count_if(requests, is_private);
    if (secret > 0 && !wallet.flags().has_private_keys) {
        throw RpcError(RpcCode::wallet_error,
                       "Cannot import private keys to a wallet with private keys disabled");
    }
    if (secret == 0 && wallet.flags().has_private_keys && wallet.keys() == nullptr) {
        throw RpcError(RpcCode::wallet_error,
                       "Cannot import descriptor without private keys to a wallet with private "
                       "keys enabled");
    }
    if (secret > 0 && (secret < std::ssize(requests) || wallet.keys() != nullptr)) {
        throw RpcError(RpcCode::wallet_error,
                       "private keys can only be imported all at once, into a blank wallet");
    }
    const auto parsed = parse_all(requests, secret > 0);
    std::uint32_t from = wallet.chain().tip().height + 1;
    for (const ImportRequest& request : requests) from = std::min(from, request.from);
    if (const auto refused = wallet.import(parsed.descriptors, from)) {
        throw RpcError(RpcCode::wallet_error, *refused);
    }
    for (const wallet::NewDescriptor& one : parsed.descriptors) {
        const std::string& label = requests[one.given].label;
        if (!label.empty()) wallet.keys()->set_label(one.first_scripts.at(0), label);
    }
}

Json import_descriptors(const WalletCall& call, const Arguments& arguments) {
    wallets::NamedWallet& wallet = call.wallet();
    require_unlocked(wallet);
    std::vector<ImportRequest> requests;
    Json results = Json::array();
    const auto refusal = [](const RpcError& error) -> Json {
        return {{"success", false},
                {"error", {{"code", static_cast<int>(error.code())}, {"message", error.what()}}}};
    };
    for (const Json& given : arguments.at(0)) {
        try {
            requests.push_back(parse_import(wallet.chain(), given));
            results.push_back({{"success", true}});
        } catch (const RpcError& error) {
            results.push_back(refusal(error));
        }
    }
    if (requests.empty()) return results;
    try {
        import_all(wallet, requests);
    } catch (const RpcError& error) {
        for (Json& result : results) {
            if (result["success"] == true) result = refusal(error);
        }
    }
    return results;
}

Json rescan_blockchain(const WalletCall& call, const Arguments& arguments) {
    wallets::NamedWallet& wallet = call.wallet();
    const std::int64_t tip = wallet.chain().tip().height;
    const std::int64_t first = arguments.number(0, 0);
    if (first < 0 || first > tip) {
        throw RpcError(RpcCode::invalid_parameter, "Invalid start_height");
    }
    const std::int64_t last = arguments.has(1) ? arguments.number(1) : tip;
    if (last < 0 || last > tip) {
        throw RpcError(RpcCode::invalid_parameter, "Invalid stop_height");
    }
    if (last < first) {
        throw RpcError(RpcCode::invalid_parameter, "stop_height must be greater than start_height");
    }
    // Up to the tip, because a wallet is in step with the whole chain.
    wallet.search_again(static_cast<std::uint32_t>(first));
    return {{"start_height", first}, {"stop_height", last}};
}

}  // namespace

std::vector<WalletMethod> wallet_import_methods() {
    using enum ArgumentKind;
    return {
        {"importdescriptors",
         {{"requests", array}},
         import_descriptors,
         "adds descriptors to a wallet without private keys, or keys to a blank one"},
        {"listdescriptors",
         {{"private", boolean, false}},
         list_descriptors,
         "the descriptors of the wallet"},
        {"rescanblockchain",
         {{"start_height", number, false}, {"stop_height", number, false}},
         rescan_blockchain,
         "searches blocks again"},
    };
}

}  // namespace petal::regtest::rpc
