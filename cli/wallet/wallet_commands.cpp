#include "cli/wallet/wallet_commands.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <istream>
#include <ostream>
#include <system_error>

#include "cli/command_error.h"
#include "cli/confirmation.h"
#include "cli/data_folder.h"
#include "cli/filter/wallet_filter.h"
#include "cli/headers/stored_chain.h"
#include "cli/json.h"
#include "cli/options/advice.h"
#include "cli/text.h"
#include "cli/wallet/chain_standing.h"
#include "cli/wallet/mnemonic_input.h"
#include "cli/wallet/secret_input.h"
#include "cli/wallet/wallet_text.h"
#include "net/io/clocks.h"

namespace petal::cli {
namespace {

/// The birthday of keys that are made now. Blocks of a private regtest chain may have any time.
chain::Birthday birthday_now(const chain::NetworkParams& network) {
    if (network.name == "regtest") return {};
    constexpr std::chrono::days kMargin{7};
    const auto time = std::chrono::system_clock::now() - kMargin;
    return {0, std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count()};
}

wallet::SecretString read_optional_secret(const SecretFile& file, std::string_view option,
                                          Console& console) {
    return file ? read_secret_file(*file, option, console) : wallet::SecretString{};
}

/// The password of the option's file; else, where a user is there to answer, one that is asked for.
wallet::SecretString read_new_password(const SecretFile& file, std::string_view question,
                                       const GlobalOptions& global, Console& console) {
    if (file) {
        wallet::SecretString password = read_secret_file(*file, "--password-file", console);
        if (password.empty()) {
            throw CommandError(ExitStatus::failed, "empty-password", "the password is empty");
        }
        return password;
    }
    if (!can_ask(global, console)) return {};
    wallet::SecretString password = prompt_secret(question, console);
    if (!password.empty() && prompt_secret("The same again", console) != password) {
        throw CommandError(ExitStatus::failed, "different-passwords",
                           "the passwords differ; nothing was done");
    }
    return password;
}

constexpr std::string_view kAskPassword = "Password to encrypt the keys with (empty for none)";

/// For a wallet whose seed lies on the disk as it is.
void warn_of_clear_seed(const wallet::WalletInfo& info, const GlobalOptions& global,
                        Console& console) {
    if (info.encrypted || info.watch_only) return;
    console.warn("the seed is not encrypted: anyone who can read " +
                 wallet_file(global, global.wallet).string() + " can spend the coins; " +
                 advised("encrypt", global) + " sets a password");
}

/// Before anything is asked or made: a wallet of this name must not be there.
void check_new_wallet(const GlobalOptions& global) {
    check_data_folder(global);
    std::error_code unreadable;
    if (std::filesystem::exists(wallet_file(global, global.wallet), unreadable)) {
        throw CommandError(ExitStatus::failed, "wallet-exists",
                           "there is a wallet '" + global.wallet + "' on " +
                               std::string(global.network->name) +
                               " already; choose another name with --wallet");
    }
}

wallet::Wallet make_wallet(const wallet::NewWallet& wallet, const GlobalOptions& global) {
    return wallet::Wallet::create(wallet_file(global, global.wallet), *global.network, wallet);
}

void check_passphrase(const wallet::Mnemonic& mnemonic, std::string_view passphrase) {
    const auto seed = mnemonic.seed(passphrase);
    if (!seed) {
        throw CommandError(ExitStatus::failed, "bad-passphrase",
                           "the passphrase can't be used: " + std::string(describe(seed.error())));
    }
}

wallet::Account account_of(const AccountOptions& options) {
    return {options.type.value_or(wallet::ScriptKind::wpkh), options.number};
}

/// What its addresses are derived from.
void add_keys(Json& json, const wallet::WalletInfo& info) {
    Json types = Json::array();
    for (const wallet::ScriptKind type : info.types) types.push_back(describe(type));
    json["type"] = types.empty() ? Json(nullptr) : types[0];
    json["types"] = std::move(types);
    json["account"] = info.account ? Json(*info.account) : Json(nullptr);
    json["fingerprint"] = info.fingerprint.empty() ? Json(nullptr) : Json(info.fingerprint);
    json["watch_only"] = info.watch_only;
}

std::string types_text(const wallet::WalletInfo& info) {
    std::string text;
    for (const wallet::ScriptKind type : info.types) {
        text += (text.empty() ? "" : ", ") + std::string(describe(type));
    }
    return text;
}

std::string encrypted_text(const wallet::WalletInfo& info) {
    if (info.watch_only) return "watch-only: no private keys";
    return info.encrypted ? "yes" : "no";
}

Json new_wallet_json(const wallet::WalletInfo& info, const GlobalOptions& global) {
    Json json = {{"wallet", global.wallet}, {"network", global.network->name}};
    add_keys(json, info);
    json["descriptors"] = info.descriptors;
    json["birthday_height"] = birthday_height_json(info.birthday);
    json["birthday_time"] = birthday_time_json(info.birthday);
    json["encrypted"] = info.encrypted;
    return json;
}

std::string new_wallet_text(const wallet::WalletInfo& info, const GlobalOptions& global) {
    std::string text = field("type", types_text(info));
    if (info.types.size() == 1) {
        text = field("type",
                     types_text(info) + " (BIP" + std::to_string(purpose(info.types[0])) + ")");
    }
    if (info.account) text += field("account", std::to_string(*info.account));
    if (!info.fingerprint.empty()) text += field("fingerprint", info.fingerprint);
    return text + field("birthday", birthday_text(info.birthday)) +
           field("encrypted", encrypted_text(info)) +
           field("file", wallet_file(global, global.wallet).string());
}

std::string wallet_title(const GlobalOptions& global, const Console& console) {
    return console.bold("Wallet '" + global.wallet + "' on " + std::string(global.network->name));
}

/// The name of the privacy profile that a filter has; empty for none.
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

Json info_json(const wallet::WalletInfo& info, const GlobalOptions& global) {
    Json json = new_wallet_json(info, global);
    json["synced_height"] = info.synced ? Json(info.synced->height) : Json(nullptr);
    json["tip"] = block_json(info.synced);
    json["file"] = wallet_file(global, global.wallet).string();
    return json;
}

std::string synced_text(const wallet::WalletInfo& info) {
    return info.synced ? "to block " + format_count(info.synced->height) : "not yet";
}

void print_new_wallet(const wallet::WalletInfo& info, const wallet::Mnemonic& mnemonic,
                      bool has_passphrase, const GlobalOptions& global, Console& console) {
    if (global.json) {
        // Not by way of a Json, which would leave copies of the words in memory.
        Json json = new_wallet_json(info, global);
        json["has_passphrase"] = has_passphrase;
        std::string line = to_line(json);
        line.pop_back();
        console.out() << line << ",\"mnemonic\":\"" << mnemonic.words() << "\"}\n";
        return;
    }
    console.out() << wallet_title(global, console) << " is made. Its words:\n\n";
    print_words(mnemonic.words(), console);
    console.out()
        << "\nWrite them down in this order and keep them secret: anyone who\n"
        << (has_passphrase
                ? "reads them and knows the passphrase can spend the coins. They are not\n"
                  "shown again.\n\n"
                  "Keep the passphrase, too, at another place: to restore the wallet you\n"
                  "need both. The words with another passphrase, or with none, make\n"
                  "another wallet, without your coins.\n\n"
                : "reads them can spend the coins. They are not shown again.\n\n")
        << new_wallet_text(info, global);
}

struct ListedWallet {
    std::string name;
    std::optional<wallet::WalletInfo> info;
    std::string problem;  // why there is no info
};

/// All wallets, also those that can't be opened: a list must show what is there.
std::vector<ListedWallet> list_wallets(const GlobalOptions& global) {
    std::vector<ListedWallet> wallets;
    for (std::string& name : wallet_names(global)) {
        ListedWallet listed{std::move(name), {}, {}};
        try {
            listed.info = wallet::Wallet::open(wallet_file(global, listed.name), *global.network,
                                               wallet::Access::read)
                              .info();
        } catch (const wallet::WalletError& error) {
            listed.problem = error.what();
        }
        wallets.push_back(std::move(listed));
    }
    return wallets;
}

Json listed_wallet_json(const ListedWallet& listed, const GlobalOptions& global) {
    Json json = {{"wallet", listed.name}, {"network", global.network->name}};
    if (!listed.info) {
        json["problem"] = listed.problem;
        return json;
    }
    add_keys(json, *listed.info);
    json["encrypted"] = listed.info->encrypted;
    json["birthday_height"] = birthday_height_json(listed.info->birthday);
    json["birthday_time"] = birthday_time_json(listed.info->birthday);
    json["synced_height"] = listed.info->synced ? Json(listed.info->synced->height) : Json(nullptr);
    return json;
}

/// Whether `a` is no later than `b`; nothing for a height and a date of which the headers don't
/// tell. headers   null where none are stored
std::optional<bool> is_no_later(const chain::Birthday& a, const chain::Birthday& b,
                                const chain::HeaderChain* headers) {
    if (a.height <= b.height && a.time <= b.time) return true;
    if (b.height <= a.height && b.time <= a.time) return false;
    if (!headers) return std::nullopt;
    const auto [lower, higher] =
        std::minmax({first_height_of(a, *headers), first_height_of(b, *headers)});
    if (higher <= headers->root().height || lower > headers->tip().height) return std::nullopt;
    return first_height_of(a, *headers) == lower;
}

struct RescanStart {
    chain::Birthday birthday;             // the wallet's from then on, never later than before
    std::optional<chain::BlockRef> kept;  // the last block that stays searched, if any does
};

/// What `rescan --from` means: a later block than the birthday is searched once more, and the
/// birthday stays.
RescanStart start_of_rescan(const chain::Birthday& from, const wallet::Wallet& wallet,
                            const GlobalOptions& global) {
    const wallet::WalletInfo info = wallet.info();
    const auto stored = find_stored_chain(global);
    const chain::HeaderChain* const headers = stored ? &stored->chain : nullptr;
    const auto is_earlier = is_no_later(wallet::with_margin(from), wallet.birthday(), headers);
    if (!is_earlier) {
        throw CommandError(ExitStatus::failed, "unknown-date",
                           "the stored headers don't tell whether " + birthday_text(from) +
                               " or the wallet's birthday, " + birthday_text(info.birthday) +
                               ", is earlier; " + advised("sync", global) +
                               " fetches more of them");
    }
    if (*is_earlier) return {from, {}};
    const RescanStart whole{info.birthday, {}};
    if (!info.synced || !headers || !headers->is_on_best_chain(info.synced->hash)) return whole;
    const std::uint32_t first = first_height_of(wallet::with_margin(from), *headers);
    if (first <= headers->root().height + 1) return whole;
    if (first > info.synced->height) {
        throw CommandError(ExitStatus::failed, "not-searched-yet",
                           "the wallet is searched up to block " +
                               format_count(info.synced->height) + " only; " +
                               advised("sync", global) + " searches the later ones anyway");
    }
    return {info.birthday, chain::BlockRef{first - 1, headers->hash_at(first - 1)}};
}

void confirm_deletion(const GlobalOptions& global, Console& console) {
    confirm("Wallet '" + global.wallet + "' on " + std::string(global.network->name) +
                " will be deleted; only its words, with the passphrase if it has one, bring its "
                "coins back.\n"
                "Type its name to go on: ",
            global.wallet, "deleted", global, console);
}

void confirm_renaming(const std::string& name, const GlobalOptions& global, Console& console) {
    confirm("Wallet '" + global.wallet + "' on " + std::string(global.network->name) +
                " will be called '" + name + "'. Type yes to go on: ",
            kYes, "renamed", global, console);
}

}  // namespace

void run_create(const CreateOptions& options, const GlobalOptions& global, Console& console) {
    check_new_wallet(global);
    const wallet::Mnemonic mnemonic = wallet::Mnemonic::generate(options.words);
    const auto passphrase =
        read_optional_secret(options.passphrase_file, "--passphrase-file", console);
    check_passphrase(mnemonic, passphrase);
    const auto password = read_new_password(options.password_file, kAskPassword, global, console);

    wallet::NewWallet recipe;
    recipe.mnemonic = mnemonic.words();
    recipe.passphrase = passphrase;
    recipe.account = account_of(options.account);
    recipe.birthday = birthday_now(*global.network);
    recipe.password = password;
    const wallet::WalletInfo info = make_wallet(recipe, global).info();
    print_new_wallet(info, mnemonic, !passphrase.empty(), global, console);
    if (!console.out().flush()) {
        // Nobody has seen the words, so that nobody may be paid at its addresses.
        wallet::Wallet::remove(wallet_file(global, global.wallet));
        throw CommandError(ExitStatus::failed, "output",
                           "cannot write the words to standard output; no wallet was made");
    }
    warn_of_clear_seed(info, global, console);
}

void run_restore(const RestoreOptions& options, const GlobalOptions& global, Console& console) {
    check_new_wallet(global);
    const wallet::Mnemonic mnemonic = read_mnemonic(options.mnemonic_file, global, console);
    const auto passphrase =
        read_optional_secret(options.passphrase_file, "--passphrase-file", console);
    check_passphrase(mnemonic, passphrase);
    const auto password = read_new_password(options.password_file, kAskPassword, global, console);

    wallet::NewWallet recipe;
    recipe.mnemonic = mnemonic.words();
    recipe.passphrase = passphrase;
    recipe.account = account_of(options.account);
    recipe.birthday = options.birthday;
    recipe.password = password;
    const wallet::WalletInfo info = make_wallet(recipe, global).info();
    warn_of_clear_seed(info, global, console);
    if (global.json) {
        console.out() << to_line(new_wallet_json(info, global)) << '\n';
        return;
    }
    console.out() << wallet_title(global, console) << " is restored; " << advised("sync", global)
                  << " finds its coins.\n\n"
                  << new_wallet_text(info, global);
    if (!options.account.type) {
        console.out() << "\nIf another wallet made the words, its addresses may be of another "
                         "type: restore them\nonce more under another --wallet name with "
                         "--type tr, sh-wpkh or pkh.\n";
    }
}

void run_encrypt(const EncryptOptions& options, const GlobalOptions& global, Console& console) {
    wallet::Wallet wallet = open_wallet(global, wallet::Access::sync);
    const bool was_encrypted = wallet.info().encrypted;
    wallet::SecretString old_password =
        read_optional_secret(options.old_password_file, "--old-password-file", console);
    if (was_encrypted && !options.old_password_file) {
        if (!can_ask(global, console)) throw usage_error("--old-password-file is missing");
        old_password = prompt_secret("The password so far", console);
    }
    static_cast<void>(wallet.seed(old_password));  // a wrong one ends it before more is asked
    const auto password = read_new_password(options.password_file, "New password", global, console);
    if (password.empty()) {
        throw usage_error("a password is needed; --password-file names a file with it");
    }
    wallet.encrypt(old_password, password);
    if (global.json) {
        console.out() << to_line(new_wallet_json(wallet.info(), global)) << '\n';
        return;
    }
    console.out()
        << wallet_title(global, console)
        << (was_encrypted ? " has a new password.\n" : " is encrypted.\n")
        << "Copies of its file that were made before, such as backups, are as they were.\n";
}

void run_rescan(const RescanOptions& options, const GlobalOptions& global, Console& console) {
    wallet::Wallet wallet = open_wallet(global, wallet::Access::sync);
    RescanStart start{wallet.info().birthday, {}};
    if (options.from) start = start_of_rescan(*options.from, wallet, global);
    if (start.kept) {
        wallet.undo_to(*start.kept);
    } else {
        wallet.rescan(start.birthday);
    }
    if (global.json) {
        console.out() << to_line(info_json(wallet.info(), global)) << '\n';
        return;
    }
    console.out() << "The next " << advised("sync", global) << " searches from "
                  << (start.kept ? "block " + format_count(start.kept->height + 1)
                                 : birthday_text(start.birthday))
                  << " on.\n";
}

void run_rename(const RenameOptions& options, const GlobalOptions& global, Console& console) {
    check_wallet_exists(global);
    if (!options.yes) confirm_renaming(options.name, global, console);
    wallet::Wallet::rename(wallet_file(global, global.wallet), wallet_file(global, options.name));
    if (global.json) {
        console.out() << to_line({{"wallet", options.name},
                                  {"network", global.network->name},
                                  {"file", wallet_file(global, options.name).string()}})
                      << '\n';
        return;
    }
    console.out() << "Wallet '" << global.wallet << "' is now '" << options.name << "'.\n";
}

void run_delete(const DeleteOptions& options, const GlobalOptions& global, Console& console) {
    check_wallet_exists(global);
    if (!options.yes) confirm_deletion(global, console);
    wallet::Wallet::remove(wallet_file(global, global.wallet));
    if (global.json) {
        console.out() << to_line({{"wallet", global.wallet},
                                  {"network", global.network->name},
                                  {"deleted", true}})
                      << '\n';
        return;
    }
    console.out() << "Wallet '" << global.wallet << "' is deleted.\n";
}

void run_wallets(const GlobalOptions& global, Console& console) {
    check_data_folder(global);
    const std::vector<ListedWallet> wallets = list_wallets(global);
    if (global.json) {
        Json list = Json::array();
        for (const ListedWallet& listed : wallets)
            list.push_back(listed_wallet_json(listed, global));
        console.out() << to_line({{"wallets", list}}) << '\n';
        return;
    }
    if (wallets.empty()) {
        console.out() << "no wallets on " << global.network->name << '\n';
        return;
    }
    Table table({{"wallet"}, {"type"}, {"account"}, {"synced"}, {"birthday"}, {"encrypted"}, {""}});
    for (const ListedWallet& listed : wallets) {
        if (listed.info) {
            const auto& account = listed.info->account;
            table.add_row(
                {listed.name, types_text(*listed.info), account ? std::to_string(*account) : "",
                 synced_text(*listed.info), birthday_text(listed.info->birthday),
                 listed.info->watch_only ? "watch-only" : (listed.info->encrypted ? "yes" : "no"),
                 ""});
        } else {
            table.add_row({listed.name, "", "", "", "", "", listed.problem});
        }
    }
    console.out() << table.to_string();
}

void run_info(const GlobalOptions& global, Console& console) {
    const wallet::WalletInfo info = open_wallet(global, wallet::Access::read).info();
    const ChainStanding standing = standing_of(info, global);
    if (global.json) {
        Json json = info_json(info, global);
        json["filter"] = wallet_filter_json(wallet_filter(global, {}));
        add_standing(json, standing);
        console.out() << to_line(json) << '\n';
        return;
    }
    console.out() << wallet_title(global, console) << "\n\n"
                  << new_wallet_text(info, global) << field("synced", synced_text(info));
    for (const std::string& descriptor : info.descriptors) {
        console.out() << field("descriptor", descriptor);
    }
    console.out() << wallet_filter_text(wallet_filter(global, {}), global);
    console.out() << standing_text(standing, global);
}

}  // namespace petal::cli
