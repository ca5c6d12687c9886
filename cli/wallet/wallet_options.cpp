#include "cli/wallet/wallet_options.h"

#include "cli/options/option_values.h"
#include "cli/secrets/word_check.h"
#include "cli/text/command_error.h"
#include "cli/text/text.h"
#include "cli/wallet/info_commands.h"
#include "cli/wallet/wallet_commands.h"
#include "cli/wallet/watch_commands.h"
#include "net/io/clocks.h"
#include "wallet/keys/key_path.h"

namespace petal::cli {
namespace {

CLI::Option* add_secret_file(CLI::App* app, const char* name, SecretFile& file,
                             const char* description) {
    return app
        ->add_option_function<std::string>(
            name, [&file](const std::string& path) { file = path; }, description)
        ->type_name("FILE");
}

void add_account(CLI::App* app, AccountOptions& account, const char* description) {
    const auto check = [](std::string& text) -> std::string {
        if (wallet::find_script_kind(text)) return {};
        return "must be wpkh (native segwit), tr (taproot), sh-wpkh (nested segwit) or pkh "
               "(legacy)";
    };
    CLI::Option* const type = app->add_option_function<std::string>(
        "--type",
        [&account](const std::string& text) { account.type = wallet::find_script_kind(text); },
        description);
    suggest_words(type, {"wpkh", "tr", "sh-wpkh", "pkh"})
        ->type_name("wpkh|tr|sh-wpkh|pkh")
        ->check(CLI::Validator(check, "", "type"));
    app->add_option("--account", account.number, "account number, BIP44 (default: 0)")
        ->type_name("N")
        ->check(whole_number(0, wallet::kHardened - 1));
}

template <typename Birthday>
void add_birthday(CLI::App* app, const char* name, Birthday& value, const char* description) {
    app->add_option_function<std::string>(
           name,
           [&value](const std::string& text) {
               value = *parse_birthday(text, net::unix_time_now());
           },
           description)
        ->type_name("HEIGHT|YYYY-MM-DD")
        ->check(birthday());
}

template <typename Options>
void add_password_and_passphrase(CLI::App* app, Options& options) {
    add_secret_file(app, "--password-file", options.password_file,
                    "file with the password that encrypts the wallet's keys on disk; - is "
                    "standard input");
    add_secret_file(app, "--passphrase-file", options.passphrase_file,
                    "file with a BIP39 passphrase, which changes all keys: both words and "
                    "passphrase are needed to restore the wallet; - is standard input");
}

CommandEntry add_create(CLI::App& root) {
    CLI::App* app =
        add_command(root, kWallets, "create", "create a new wallet and print its words");
    auto options = std::make_shared<CreateOptions>();
    using enum wallet::MnemonicSize;
    add_choice<wallet::MnemonicSize>(
        app, "--words", options->words,
        {{"12", words_12}, {"15", words_15}, {"18", words_18}, {"21", words_21}, {"24", words_24}},
        "number of words: 12, 15, 18, 21 or 24 (default: 12)");
    add_account(app, options->account,
                "kind of addresses: wpkh (BIP84, bc1q…), tr (BIP86, bc1p…), sh-wpkh (BIP49, "
                "3…) or pkh (BIP44, 1…) (default: wpkh)");
    add_password_and_passphrase(app, *options);
    app->add_flag("--no-check", options->no_check,
                  "do not ask for three of the words, as create does on a terminal");
    app->footer(
        "The words are the wallet: anyone who reads them can spend its coins. They "
        "are shown this once. On a terminal, a password is asked for unless "
        "--password-file is given.\n\n"
        "Examples:\n"
        "  petal --network regtest create\n"
        "  petal --wallet savings create --password-file pw.txt");
    return {app, [options](const GlobalOptions&) {
                refuse_two_readers({options->password_file, options->passphrase_file});
                return make_action(std::move(*options), run_create);
            }};
}

CommandEntry add_restore(CLI::App& root) {
    CLI::App* app = add_command(root, kWallets, "restore",
                                "restore a wallet from its words or private descriptors");
    auto options = std::make_shared<RestoreOptions>();
    add_secret_file(app, "--mnemonic-file", options->mnemonic_file,
                    "file with the words; - is standard input (default: ask on the terminal)");
    add_secret_file(app, "--descriptor-file", options->descriptor_file,
                    "instead of words: file with descriptors that have private keys (xprv, tprv "
                    "or WIF), one a line; - is standard input")
        ->excludes("--mnemonic-file");
    add_birthday(app, "--birthday", options->birthday,
                 "the first block that can concern the wallet, or the day it was made "
                 "(searched from a day before) (default: the first block of the network)");
    add_account(app, options->account,
                "kind of addresses: wpkh (BIP84, bc1q…), tr (BIP86, bc1p…), sh-wpkh (BIP49, "
                "3…), pkh (BIP44, 1…) (default: look for all, and show those that were used)");
    app->add_flag("--discover-accounts", options->discover_accounts,
                  "look for all types in accounts 0 to 4, and show those that were used")
        ->excludes("--type", "--account");
    add_password_and_passphrase(app, *options);
    for (const char* of_words :
         {"--type", "--account", "--discover-accounts", "--passphrase-file"}) {
        app->get_option(of_words)->excludes("--descriptor-file");
    }
    app->footer(
        "Words and keys are never taken from the command line, where other users "
        "could read them. --discover-accounts finds accounts 0 to 4, as other BIP44 "
        "wallets create them, in one sync; petal info says if account 4 was used, so "
        "that there may be more. Filters hold all of these accounts from then on, "
        "each with fewer addresses ahead of the used ones (100).\n\n"
        "Descriptors are pkh, wpkh, sh(wpkh), tr (without scripts) or combo, as "
        "petal info --private and Bitcoin Core export them; lines that begin with # "
        "are comments. Public ones are for petal watch.\n\n"
        "Examples:\n"
        "  petal restore --birthday 2024-05-31\n"
        "  petal restore --mnemonic-file words.txt --type tr\n"
        "  petal restore --discover-accounts\n"
        "  pass show btc/words |\n"
        "    petal --wallet old restore --mnemonic-file -\n"
        "  bitcoin-cli listdescriptors true |\n"
        "    jq -r '.descriptors[].desc' |\n"
        "    petal --wallet core restore --descriptor-file -");
    return {app, [options](const GlobalOptions&) {
                refuse_two_readers({options->mnemonic_file, options->descriptor_file,
                                    options->password_file, options->passphrase_file});
                return make_action(std::move(*options), run_restore);
            }};
}

CommandEntry add_check_words(CLI::App& root) {
    CLI::App* app = add_command(root, kWallets, "check-words",
                                "check whether words that you wrote down are the wallet's");
    auto options = std::make_shared<CheckWordsOptions>();
    add_secret_file(app, "--mnemonic-file", options->mnemonic_file,
                    "file with the words; - is standard input (default: ask on the terminal, "
                    "without showing them)");
    add_secret_file(app, "--passphrase-file", options->passphrase_file,
                    "file with the BIP39 passphrase, if the wallet has one; - is standard input");
    app->footer(
        "Compares the keys that the words make with the public keys of the wallet. "
        "The wallet's password is not needed. Ends with status 0 if they are the "
        "same, and with status 1 if not.\n\n"
        "Examples:\n"
        "  petal check-words\n"
        "  pass show btc/words | petal --wallet savings check-words --mnemonic-file -");
    return reading({app, [options](const GlobalOptions&) {
                        refuse_two_readers({options->mnemonic_file, options->passphrase_file});
                        return make_action(std::move(*options), run_check_words);
                    }});
}

void add_descriptors(CLI::App* app, WatchOptions& options) {
    app->add_option("DESCRIPTOR", options.descriptors,
                    "an output descriptor (BIP380), an extended public key (xpub, ypub, zpub and "
                    "their test forms), an address, or a public key in hex")
        ->required();
    add_birthday(app, "--birthday", options.birthday,
                 "the first block that can concern them, or the day they were made (searched "
                 "from a day before) (default: the first block of the network)");
}

CommandEntry add_watch(CLI::App& root) {
    CLI::App* app = add_command(root, kWallets, "watch", "create a watch-only wallet");
    auto options = std::make_shared<WatchOptions>();
    add_descriptors(app, *options);
    app->footer(
        "Watches addresses, and can't spend. A descriptor with <0;1> covers receive "
        "and change addresses, as does .../0/* together with .../1/*. Private keys "
        "are not accepted.\n\n"
        "Examples:\n"
        "  petal --wallet cold watch \\\n"
        "    \"wpkh([73c5da0a/84h/1h/0h]tpub.../<0;1>/*)\"\n"
        "  petal --wallet gifts watch tb1q... --birthday 2024-05-31");
    return plain_entry(app, options, run_watch);
}

CommandEntry add_import(CLI::App& root) {
    CLI::App* app = add_command(root, kWallets, "import", "watch more descriptors or addresses");
    auto options = std::make_shared<WatchOptions>();
    add_descriptors(app, *options);
    app->footer(
        "The next petal sync searches the blocks since the birthday again. Private "
        "keys are not accepted: imported addresses are only watched.\n\n"
        "Example:\n"
        "  petal import --birthday 2024-05-31 \\\n"
        "    \"sh(wsh(sortedmulti(2,tpub.../0/*,tpub.../0/*)))\"");
    return plain_entry(app, options, run_import);
}

CommandEntry add_encrypt(CLI::App& root) {
    CLI::App* app = add_command(root, kWallets, "encrypt", "encrypt the wallet's seed on disk");
    auto options = std::make_shared<EncryptOptions>();
    add_secret_file(app, "--password-file", options->password_file,
                    "file with the new password; - is standard input (default: ask on the "
                    "terminal)");
    add_secret_file(app, "--old-password-file", options->old_password_file,
                    "file with the current password of an encrypted wallet; - is standard input");
    app->footer(
        "Encrypts the seed with a password, or changes the password. Addresses and "
        "history are not encrypted. Earlier copies of the wallet's file, and remains "
        "of overwritten data on the disk, may still hold the seed in its former "
        "form. If the password is forgotten, the wallet can only be restored from "
        "its words or private descriptors.\n\n"
        "Examples:\n"
        "  petal encrypt\n"
        "  petal --wallet savings encrypt --password-file pw.txt");
    return {app, [options](const GlobalOptions&) {
                refuse_two_readers({options->password_file, options->old_password_file});
                return make_action(std::move(*options), run_encrypt);
            }};
}

CommandEntry add_wallets(CLI::App& root) {
    CLI::App* app = add_command(root, kWallets, "wallets", "list the wallets of the network");
    return reading(plain_entry(app, run_wallets));
}

CommandEntry add_info(CLI::App& root) {
    CLI::App* app = add_command(root, kWallets, "info",
                                "show type, public descriptors, birthday, filter, sync state");
    auto options = std::make_shared<InfoOptions>();
    app->add_flag("--private", options->with_private_keys,
                  "print the descriptors with their private keys instead");
    app->add_option_function<std::string>(
           "--key-origin",
           [options](const std::string& text) {
               options->key_path = wallet::parse_master_path(text);
               if (!options->key_path) {
                   throw CLI::ValidationError(
                       "--key-origin", "not a path such as m/48h/1h/0h/2h: " + printable(text, 80));
               }
           },
           "print the public key at this path instead, for a multisig "
           "descriptor with keys of others (BIP48, BIP87)")
        ->type_name("PATH")
        ->excludes("--private");
    app->add_flag("--yes", options->yes, "do so without asking");
    add_secret_file(app, "--password-file", options->password_file,
                    "file with the password of an encrypted wallet; - is standard input");
    app->footer(
        "Anyone who has a private descriptor can spend the coins. On a terminal, you "
        "are asked first; elsewhere --private needs --yes.\n\n"
        "Examples:\n"
        "  petal info\n"
        "  petal --wallet savings info --private\n"
        "  petal info --key-origin m/48h/1h/0h/2h");
    return reading(plain_entry(app, options, run_info));
}

CommandEntry add_rescan(CLI::App& root) {
    CLI::App* app = add_command(root, kWallets, "rescan", "make the next sync search blocks again");
    auto options = std::make_shared<RescanOptions>();
    add_birthday(app, "--from", options->from,
                 "the first block to search, or the first day (default: the wallet's birthday)");
    app->add_flag("--yes", options->yes, "do so without asking");
    app->footer(
        "Moves the wallet's birthday back if --from is earlier. Transactions of "
        "these blocks are unconfirmed until petal sync has searched them again. On a "
        "terminal, you are asked first, with the number of blocks.\n\n"
        "Examples:\n"
        "  petal rescan\n"
        "  petal rescan --from 2024-05-31");
    return plain_entry(app, options, run_rescan);
}

CommandEntry add_rename(CLI::App& root) {
    CLI::App* app = add_command(root, kWallets, "rename", "give the wallet another name");
    auto options = std::make_shared<RenameOptions>();
    app->add_option("NAME", options->name, "the new name")
        ->required()
        ->check(CLI::Validator(
            [](std::string& name) -> std::string {
                return client::is_wallet_name(name)
                           ? ""
                           : "must be 1 to 64 letters, digits, '.', '_' and '-', "
                             "a letter or digit first";
            },
            "", "wallet name"));
    app->add_flag("--yes", options->yes, "do so without asking");
    app->footer(
        "On a terminal, you are asked first; elsewhere --yes is needed.\n\n"
        "Example:\n"
        "  petal --wallet old rename savings --yes");
    return plain_entry(app, options, run_rename);
}

CommandEntry add_delete(CLI::App& root) {
    CLI::App* app = add_command(root, kWallets, "delete", "delete the wallet permanently");
    auto options = std::make_shared<DeleteOptions>();
    app->add_flag("--yes", options->yes, "do so without asking");
    app->footer(
        "Only a backup, or its words (with the passphrase, if it has one) or private "
        "descriptors, bring the coins back. On a terminal, the wallet's name is "
        "asked for; elsewhere --yes is needed.\n\n"
        "Example:\n"
        "  petal --wallet old delete");
    return plain_entry(app, options, run_delete);
}

}  // namespace

std::vector<CommandEntry> add_wallet_commands(CLI::App& root) {
    return {add_create(root), add_restore(root), add_check_words(root), add_watch(root),
            add_import(root), add_encrypt(root), add_wallets(root),     add_info(root),
            add_rescan(root), add_rename(root),  add_delete(root)};
}

}  // namespace petal::cli
