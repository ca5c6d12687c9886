#include "cli/wallet/info_commands.h"

#include <algorithm>
#include <cmath>
#include <ostream>
#include <vector>

#include "cli/filter/input/wallet_filter.h"
#include "cli/options/advice.h"
#include "cli/options/confirmation.h"
#include "cli/options/data_folder.h"
#include "cli/terminal/table.h"
#include "cli/text/amount.h"
#include "cli/text/command_error.h"
#include "cli/text/text.h"
#include "cli/text/wallet_failure.h"
#include "cli/wallet/sync_status_text.h"
#include "cli/wallet/wallet_text.h"

namespace petal::cli {
namespace {

/// Adds the source of the wallet's addresses.
void add_keys(Json& json, const wallet::WalletInfo& info) {
    Json types = Json::array();
    for (const wallet::ScriptKind type : info.types) types.push_back(describe(type));
    json["type"] = types.empty() ? Json(nullptr) : types[0];
    json["types"] = std::move(types);
    json["account"] = info.account;
    json["accounts"] = info.accounts;
    json["fingerprint"] = info.fingerprint.empty() ? Json(nullptr) : Json(info.fingerprint);
    json["watch_only"] = info.watch_only;
    json["has_words"] = info.has_words;
}

/// The height is null if only the time is known. The time is null if it is unknown.
void add_birthday(Json& json, const chain::Birthday& birthday) {
    const bool has_time = birthday.time != 0;
    json["birthday_height"] =
        has_time && birthday.height == 0 ? Json(nullptr) : Json(birthday.height);
    json["birthday_time"] = has_time ? Json(birthday.time) : Json(nullptr);
}

std::string types_text(const wallet::WalletInfo& info) {
    std::string text;
    for (const wallet::ScriptKind type : info.types) {
        text += (text.empty() ? "" : ", ") + std::string(describe(type));
    }
    for (const std::string& form : info.other_forms) text += (text.empty() ? "" : ", ") + form;
    return text;
}

std::string accounts_text(const wallet::WalletInfo& info) {
    std::string text;
    for (const std::uint32_t account : info.accounts) {
        text += (text.empty() ? "" : ", ") + std::to_string(account);
    }
    return text;
}

/// A note on accounts that restore --discover-accounts does not search. Empty without a sign of
/// further accounts.
std::string more_accounts_text(const wallet::WalletInfo& info) {
    if (!info.may_have_more_accounts) return "";
    const std::uint32_t last = info.accounts.back();
    return "Account " + std::to_string(last) +
           " was used, and is the last that this wallet looks for: there may be more. "
           "petal --wallet NAME restore --account " +
           std::to_string(last + 1) + " looks for the next.\n";
}

std::string encrypted_text(const wallet::WalletInfo& info) {
    if (info.watch_only) return "watch-only: no private keys";
    return info.encrypted ? "yes" : "no";
}

bool is_unset(const chain::Birthday& birthday) {
    return birthday.height == 0 && birthday.time == 0;
}

std::string synced_text(const wallet::WalletInfo& info) {
    return info.synced ? "to block " + format_count(info.synced->height) : "not yet";
}

/// The name of the privacy profile that a filter has. Empty for none.
std::string privacy_name(const WalletFilter& filter) {
    using enum net::Privacy;
    for (const auto privacy : {fast, balanced, private_}) {
        if (net::rate_of(privacy) == filter.truth.design_rate) {
            return std::string(net::key_of(privacy));
        }
    }
    return {};
}

Json wallet_filter_json(const WalletFilter& filter) {
    const std::string privacy = privacy_name(filter);
    return {{"privacy", privacy.empty() ? Json(nullptr) : Json(privacy)},
            {"fpr", filter.truth.design_rate},
            {"bytes", filter.filter.bytes().size()},
            {"hash_functions", filter.filter.hash_functions()},
            {"tweak", filter.filter.tweak()}};
}

std::string wallet_filter_text(const WalletFilter& filter, const GlobalOptions& global) {
    const std::string privacy = privacy_name(filter);
    const auto strangers = static_cast<std::uint64_t>(std::llround(1 / filter.truth.design_rate));
    return field("privacy", (privacy.empty() ? "" : privacy + ": ") + "1 in " +
                                format_count(strangers) +
                                " of strangers' addresses matches the filter that peers get") +
           field("filter", format_count(filter.filter.bytes().size()) + " bytes, " +
                               std::to_string(filter.filter.hash_functions()) +
                               " hash functions, tweak " + std::to_string(filter.filter.tweak())) +
           field("", advised("filter inspect --wallet-filter", global) + " tells more");
}

struct ListedWallet {
    std::string name;
    std::optional<wallet::WalletInfo> info;
    wallet::Balance balance;
    std::string problem;  // why there is no info
};

/// All wallets, including wallets that can't be opened.
std::vector<ListedWallet> list_wallets(const GlobalOptions& global) {
    std::vector<ListedWallet> wallets;
    for (std::string& name : data_of(global).wallet_names()) {
        ListedWallet listed{std::move(name), {}, {}, {}};
        try {
            const auto wallet = wallet::Wallet::open(data_of(global).wallet_file(listed.name),
                                                     *global.network, wallet::Access::read);
            listed.balance = wallet.balance();
            listed.info = wallet.info();
        } catch (const wallet::WalletError& error) {
            listed.problem = command_error(error).what();
        }
        wallets.push_back(std::move(listed));
    }
    return wallets;
}

template <typename List>
bool have_common(const List& a, const List& b) {
    return std::ranges::find_first_of(a, b) != a.end();
}

/// The words and account, or the descriptor, that two wallets share. Empty if the wallets share no
/// keys.
std::string common_keys(const wallet::WalletInfo& a, const wallet::WalletInfo& b) {
    const bool are_of_words = a.has_words && b.has_words;
    if (are_of_words && a.fingerprint == b.fingerprint && have_common(a.accounts, b.accounts)) {
        return "the same words and account";
    }
    return have_common(a.descriptors, b.descriptors) ? "the same descriptor" : "";
}

Json listed_wallet_json(const ListedWallet& listed, const GlobalOptions& global) {
    Json json = {{"wallet", listed.name}, {"network", global.network->name}};
    if (!listed.info) {
        json["problem"] = listed.problem;
        return json;
    }
    add_keys(json, *listed.info);
    json["total_sat"] = listed.balance.total();
    json["encrypted"] = listed.info->encrypted;
    add_birthday(json, listed.info->birthday);
    json["synced_height"] = listed.info->synced ? Json(listed.info->synced->height) : Json(nullptr);
    return json;
}

std::vector<wallet::SecretString> private_descriptors(const InfoOptions& options,
                                                      const GlobalOptions& global,
                                                      Console& console) {
    const wallet::Wallet wallet = open_wallet(global, wallet::Access::read);
    const wallet::WalletInfo info = wallet.info();
    if (!options.yes && !info.watch_only) {
        confirm("Anyone who sees the private descriptors of wallet '" + global.wallet +
                    "' can spend its coins. Type yes to show them: ",
                kYes, "shown", global, console);
    }
    return wallet.private_descriptors(unlock(wallet, options.password_file, global, console));
}

/// Written without a Json object, which would leave copies of the keys in memory.
void print_private_descriptors(const InfoOptions& options, const GlobalOptions& global,
                               Console& console) {
    const auto descriptors = private_descriptors(options, global, console);
    std::ostream& out = console.out();
    if (!global.json) {
        for (const wallet::SecretString& descriptor : descriptors) out << descriptor << '\n';
        return;
    }
    std::string line = to_line({{"wallet", global.wallet}, {"network", global.network->name}});
    line.pop_back();
    out << line << ",\"private_descriptors\":[";
    for (std::size_t i = 0; i < descriptors.size(); ++i) {
        out << (i == 0 ? "\"" : ",\"") << descriptors[i] << '"';
    }
    out << "]}\n";
}

void print_key_expression(const InfoOptions& options, const GlobalOptions& global,
                          Console& console) {
    const wallet::Wallet wallet = open_wallet(global, wallet::Access::read);
    const auto expression = wallet.key_expression(
        *options.key_path, unlock(wallet, options.password_file, global, console));
    if (!expression) {
        throw CommandError(ExitStatus::failed, "no-such-key",
                           "the wallet has no key at this path: it was not made of words, or the "
                           "path has more than 255 steps");
    }
    if (global.json) {
        return console.print_json({{"wallet", global.wallet},
                                   {"network", global.network->name},
                                   {"key_expression", *expression}});
    }
    console.out() << *expression << '\n';
}

}  // namespace

void warn_of_shared_keys(const wallet::WalletInfo& info, const GlobalOptions& global,
                         Console& console) {
    for (const ListedWallet& other : list_wallets(global)) {
        if (other.name == global.wallet || !other.info) continue;
        const std::string common = common_keys(info, *other.info);
        if (common.empty()) continue;
        console.warn("wallet '" + other.name + "' has " + common +
                     ": both hand out the same addresses, to different payers. Take addresses "
                     "from one of them only");
    }
}

Json wallet_json(const wallet::WalletInfo& info, const GlobalOptions& global) {
    Json json = {{"wallet", global.wallet}, {"network", global.network->name}};
    add_keys(json, info);
    json["descriptors"] = info.descriptors;
    json["descriptor_numbers"] = info.descriptor_numbers;
    json["receive_descriptor"] = info.receive_descriptor;
    add_birthday(json, info.birthday);
    json["encrypted"] = info.encrypted;
    return json;
}

Json info_json(const wallet::WalletInfo& info, const GlobalOptions& global) {
    Json json = wallet_json(info, global);
    json["synced_height"] = info.synced ? Json(info.synced->height) : Json(nullptr);
    json["tip"] = info.synced;
    json["file"] = wallet_file(global).string();
    return json;
}

std::string wallet_lines(const wallet::WalletInfo& info, const GlobalOptions& global) {
    std::string text = field("type", types_text(info));
    if (info.is_ranged && info.types.size() == 1 && info.other_forms.empty()) {
        text = field("type",
                     types_text(info) + " (BIP" + std::to_string(purpose(info.types[0])) + ")");
    }
    if (!info.accounts.empty()) text += field("account", accounts_text(info));
    if (!info.fingerprint.empty()) text += field("fingerprint", info.fingerprint);
    return text +
           field("birthday", is_unset(info.birthday) ? "none; searched from the first block"
                                                     : birthday_text(info.birthday)) +
           field("encrypted", encrypted_text(info)) + field("file", wallet_file(global).string());
}

std::string descriptor_lines(const wallet::WalletInfo& info) {
    std::string text;
    for (std::size_t i = 0; i < info.descriptors.size(); ++i) {
        const std::uint32_t number = info.descriptor_numbers.at(i);
        text += field("descriptor " + std::to_string(number), info.descriptors[i]);
    }
    if (info.receive_descriptor && info.descriptors.size() > 1) {
        text += field("receives with", "descriptor " + std::to_string(*info.receive_descriptor));
    }
    return text;
}

std::string wallet_title(const GlobalOptions& global, const Console& console) {
    return console.bold("Wallet '" + global.wallet + "' on " + std::string(global.network->name));
}

namespace {

/// The account is left out if all wallets have the first account.
std::string listed_wallets_text(const std::vector<ListedWallet>& wallets,
                                const GlobalOptions& global, const Console& console) {
    Table table({{"wallet"},
                 {"BTC", Table::Align::right},
                 {"type"},
                 {"synced", Table::Align::right},
                 {"birthday", Table::Align::left, Table::Narrow::omit},
                 {"encrypted"},
                 {"", Table::Align::left, Table::Narrow::below}});
    for (const ListedWallet& listed : wallets) {
        if (!listed.info) {
            table.add_row({listed.name, "", "", "", "", "", listed.problem});
            continue;
        }
        const std::string accounts = accounts_text(*listed.info);
        const bool is_first_account = accounts.empty() || accounts == "0";
        table.add_row(
            {listed.name, format_btc(listed.balance.total()), types_text(*listed.info),
             listed.info->synced ? format_count(listed.info->synced->height) : "not yet",
             is_unset(listed.info->birthday) ? "none" : birthday_text(listed.info->birthday),
             listed.info->watch_only ? "watch-only" : (listed.info->encrypted ? "yes" : "no"),
             is_first_account ? "" : "account " + accounts});
    }
    return fitted(table, global.full, console);
}

/// A line for each further network that has wallets.
std::string elsewhere_text(const std::vector<NetworkWallets>& others) {
    std::string text;
    for (const NetworkWallets& other : others) {
        text += "On " + other.network + " (--network " + other.network +
                "): " + printable(comma_list(other.names), kMaxShown) + "\n";
    }
    return text;
}

}  // namespace

void run_wallets(const GlobalOptions& global, Console& console) {
    data_of(global).check();
    const std::vector<ListedWallet> wallets = list_wallets(global);
    const std::vector<NetworkWallets> others = wallets_of_other_networks(global);
    if (global.json) {
        Json list = Json::array();
        for (const ListedWallet& listed : wallets) {
            list.push_back(listed_wallet_json(listed, global));
        }
        Json elsewhere = Json::object();
        for (const NetworkWallets& other : others) elsewhere[other.network] = other.names;
        console.print_json({{"wallets", list}, {"other_networks", elsewhere}});
        return;
    }
    if (wallets.empty()) {
        console.prose() << "No wallets on " << global.network->name << ".\n";
    } else {
        console.out() << console.bold("Wallets on " + std::string(global.network->name)) << "\n\n"
                      << listed_wallets_text(wallets, global, console);
    }
    if (!others.empty()) console.prose() << '\n' << elsewhere_text(others);
}

void run_info(const InfoOptions& options, const GlobalOptions& global, Console& console) {
    if (options.with_private_keys) return print_private_descriptors(options, global, console);
    if (options.key_path) return print_key_expression(options, global, console);
    const wallet::WalletInfo info = open_wallet(global, wallet::Access::read).info();
    const auto sync_status = client::wallet_sync_status(info, data_of(global));
    if (global.json) {
        Json json = info_json(info, global);
        json["filter"] = wallet_filter_json(wallet_filter(global, {}));
        return console.print_json(with_sync_status(std::move(json), sync_status));
    }
    console.prose() << wallet_title(global, console) << "\n\n"
                    << wallet_lines(info, global) << field("synced", synced_text(info));
    console.prose() << descriptor_lines(info);
    console.prose() << wallet_filter_text(wallet_filter(global, {}), global);
    console.prose() << more_accounts_text(info) << sync_status_text(sync_status, global);
}

}  // namespace petal::cli
