#include "cli/command_options.h"

#include <memory>

#include "cli/amount.h"
#include "cli/command_error.h"
#include "cli/connection_options.h"
#include "cli/filter_options.h"
#include "cli/option_values.h"

namespace petal::cli {
namespace {

constexpr const char* kWallets = "Wallets";
constexpr const char* kSyncing = "Syncing and looking";
constexpr const char* kSpending = "Spending";
constexpr const char* kFilters = "Filters";
constexpr const char* kTrying = "Trying it";

CLI::App* add_command(CLI::App& parent, const char* group, const char* name,
                      const char* description) {
    CLI::App* app = parent.add_subcommand(name, description);
    app->group(group);
    return app;
}

/// A command whose options need no second look.
template <typename Options>
CommandEntry plain_entry(CLI::App* app, std::shared_ptr<Options> options) {
    return {app, [options](const GlobalOptions&) -> Command { return std::move(*options); }};
}

CLI::Option* add_secret_file(CLI::App* app, const char* name, SecretFile& file,
                             const char* description) {
    return app
        ->add_option_function<std::string>(
            name, [&file](const std::string& path) { file = path; }, description)
        ->type_name("FILE");
}

CLI::Option* add_type(CLI::App* app) {
    const auto check = [](std::string& text) -> std::string {
        if (text == "wpkh") return {};
        if (text == "tr" || text == "sh-wpkh" || text == "pkh") {
            return text + " is not there yet; wpkh is";
        }
        return "must be wpkh";
    };
    return app
        ->add_option_function<std::string>(
            "--type", [](const std::string&) {}, "kind of addresses: wpkh (the default), BIP84")
        ->type_name("wpkh")
        ->check(CLI::Validator(check, "", "type"));
}

template <typename Options>
void add_password_and_passphrase(CLI::App* app, Options& options) {
    add_secret_file(app, "--password-file", options.password_file,
                    "file with the password that encrypts the wallet's\n"
                    "keys on disk; - is standard input");
    add_secret_file(app, "--passphrase-file", options.passphrase_file,
                    "file with a BIP39 passphrase, which makes other keys\n"
                    "of the same words; - is standard input");
}

/// Standard input can be read only once.
void refuse_two_readers(std::initializer_list<const SecretFile*> files) {
    int readers = 0;
    for (const SecretFile* file : files) readers += (*file && **file == "-") ? 1 : 0;
    if (readers > 1) throw usage_error("only one of the files can be standard input (-)");
}

CommandEntry add_create(CLI::App& root) {
    CLI::App* app =
        add_command(root, kWallets, "create", "make a new wallet, print its words once");
    auto options = std::make_shared<CreateOptions>();
    auto words = std::make_shared<int>(12);
    app->add_option("--words", *words, "how many words: 12 (the default) or 24")
        ->type_name("12|24")
        ->check(CLI::Validator(
            [](std::string& text) -> std::string {
                return text == "12" || text == "24" ? "" : "must be 12 or 24";
            },
            "", "words"));
    add_type(app);
    add_password_and_passphrase(app, *options);
    app->footer(
        "The words are the wallet: whoever has them has the coins. They are shown this once.\n"
        "On a terminal, a password is asked for unless --password-file is given.\n\n"
        "Examples:\n"
        "  petal --network regtest create\n"
        "  petal create --words 24 --password-file pw.txt --wallet savings");
    return {app, [options, words](const GlobalOptions&) -> Command {
                options->words =
                    *words == 24 ? wallet::MnemonicSize::words_24 : wallet::MnemonicSize::words_12;
                refuse_two_readers({&options->password_file, &options->passphrase_file});
                return *options;
            }};
}

CommandEntry add_restore(CLI::App& root) {
    CLI::App* app = add_command(root, kWallets, "restore", "make a wallet again from its words");
    auto options = std::make_shared<RestoreOptions>();
    add_secret_file(app, "--mnemonic-file", options->mnemonic_file,
                    "file with the words; - is standard input. Without it,\n"
                    "they are asked for on the terminal");
    app->add_option_function<std::string>(
           "--birthday",
           [options](const std::string& text) { options->birthday = *parse_birthday(text); },
           "the first block that can concern the wallet, or the day\n"
           "it was made; without it, the first of the network")
        ->type_name("HEIGHT|YYYY-MM-DD")
        ->check(CLI::Validator(
            [](std::string& text) -> std::string {
                return parse_birthday(text) ? "" : "must be a height or a date as 2024-05-31";
            },
            "", "birthday"));
    add_type(app);
    add_password_and_passphrase(app, *options);
    app->footer(
        "Words are never taken from the command line, where others could read them.\n\n"
        "Examples:\n"
        "  petal restore --mnemonic-file words.txt --birthday 2024-05-31\n"
        "  pass show btc/words | petal --wallet old restore --mnemonic-file -");
    return {app, [options](const GlobalOptions&) -> Command {
                refuse_two_readers(
                    {&options->mnemonic_file, &options->password_file, &options->passphrase_file});
                return *options;
            }};
}

CommandEntry add_encrypt(CLI::App& root) {
    CLI::App* app = add_command(root, kWallets, "encrypt", "encrypt the wallet's seed on disk");
    auto options = std::make_shared<EncryptOptions>();
    add_secret_file(app, "--password-file", options->password_file,
                    "file with the new password; - is standard input.\n"
                    "Without it, it is asked for on the terminal");
    add_secret_file(app, "--old-password-file", options->old_password_file,
                    "file with the password so far, of a wallet that is\n"
                    "encrypted; - is standard input");
    app->footer(
        "Puts the seed under a password, or changes the password. Addresses and history are not\n"
        "encrypted. Copies of the wallet's file that were made before, and what the disk keeps of\n"
        "overwritten data, may still hold the seed as it was. A password that is forgotten can be\n"
        "replaced only by restoring the wallet from its words.\n\n"
        "Examples:\n"
        "  petal encrypt\n"
        "  petal --wallet savings encrypt --password-file pw.txt");
    return {app, [options](const GlobalOptions&) -> Command {
                refuse_two_readers({&options->password_file, &options->old_password_file});
                return *options;
            }};
}

CommandEntry add_wallets(CLI::App& root) {
    CLI::App* app = add_command(root, kWallets, "wallets", "list the wallets of the network");
    return plain_entry(app, std::make_shared<WalletsOptions>());
}

CommandEntry add_info(CLI::App& root) {
    CLI::App* app =
        add_command(root, kWallets, "info", "type, public descriptors, birthday, how far synced");
    return plain_entry(app, std::make_shared<InfoOptions>());
}

std::optional<net::CrossCheckMode> find_cross_check(std::string_view name) {
    using enum net::CrossCheckMode;
    for (const auto mode : {none, sample, all}) {
        if (code_of(mode) == name) return mode;
    }
    return std::nullopt;
}

CommandEntry add_sync(CLI::App& root) {
    CLI::App* app =
        add_command(root, kSyncing, "sync", "bring headers and the wallet up to the best chain");
    auto options = std::make_shared<SyncCommandOptions>();
    const auto read_connection =
        add_connection_options(app,
                               "give up after so long, with exit status 3; peers that\n"
                               "are not there yet are waited for meanwhile");
    app->add_option_function<std::string>(
           "--cross-check",
           [options](const std::string& name) { options->cross_check = *find_cross_check(name); },
           "which blocks are asked of a second peer, to notice what\n"
           "the first left out: none, sample (one in twenty, the\n"
           "default) or all")
        ->type_name("none|sample|all")
        ->check(CLI::Validator(
            [](std::string& name) -> std::string {
                return find_cross_check(name) ? "" : "must be none, sample or all";
            },
            "", "cross-check"));
    add_privacy(app, options->privacy,
                "what a peer's filter hides the wallet among: of strangers'\n"
                "addresses 1 in 100,000 (fast, the default), 1 in 20,000\n"
                "(balanced) or 1 in 4,000 (private), whose transactions are\n"
                "fetched too; a wallet keeps what it was synced by");
    app->add_flag("--full-blocks", options->full_blocks,
                  "download full blocks and search them here: much more\n"
                  "traffic, but the peers learn nothing about the wallet");
    add_seconds(app, "--wait-unconfirmed", options->wait_unconfirmed,
                "afterwards, listen so long for unconfirmed transactions;\n"
                "without it, there is no waiting for any");
    auto* wait = app->get_option("--wait-unconfirmed");
    app->add_flag("--follow", options->follow,
                  "then go on: tell of new blocks, of payments before they\n"
                  "confirm, and of whatever becomes of them, until\n"
                  "interrupted; with --json, one object a line")
        ->excludes(wait);
    app->add_flag("--from-genesis", options->from_genesis,
                  "fetch the headers from the first block on, instead of from\n"
                  "a block shortly before the wallet's birthday");
    app->add_option_function<std::string>(
           "--minimum-chainwork",
           [options](const std::string& hex) { options->minimum_chainwork = parse_chainwork(hex); },
           "the work that a chain must carry before anything of it\n"
           "counts, whoever serves it; without it, what the network\n"
           "is known to have; 0 takes any chain, for tests")
        ->type_name("HEX")
        ->check(chainwork_hex());
    app->footer(
        "Without --connect, petal finds nodes that serve Bloom filters (Bitcoin Core:\n"
        "peerbloomfilters=1) by itself; on regtest, that is 127.0.0.1:18444 unless petal peers\n"
        "knows another. Ctrl-C at any moment loses nothing that was verified.\n\n"
        "Examples:\n"
        "  petal sync\n"
        "  petal --network regtest sync\n"
        "  petal sync --connect mynode.lan --wait-unconfirmed 10 --json\n"
        "  petal sync --connect mynode.lan --follow\n"
        "  petal sync --connect mynode.lan --connect 203.0.113.5 --peers 2\n"
        "  petal sync --proxy 127.0.0.1:9050 --connect mynode.lan");
    return {app, [options, read_connection](const GlobalOptions& global) -> Command {
                options->connection = read_connection(global);
                return *options;
            }};
}

CommandEntry add_balance(CLI::App& root) {
    CLI::App* app = add_command(root, kSyncing, "balance", "what the wallet holds");
    return plain_entry(app, std::make_shared<BalanceOptions>());
}

CommandEntry add_utxos(CLI::App& root) {
    CLI::App* app = add_command(root, kSyncing, "utxos", "its coins, one by one");
    auto options = std::make_shared<UtxosOptions>();
    app->add_option("--min-conf", options->min_confirmations,
                    "only coins with at least so many confirmations")
        ->type_name("N")
        ->check(whole_number(0, 100'000'000));
    return plain_entry(app, options);
}

CommandEntry add_history(CLI::App& root) {
    CLI::App* app = add_command(root, kSyncing, "history", "its transactions, newest first");
    auto options = std::make_shared<HistoryOptions>();
    app->add_option("--limit", options->limit, "only the newest so many")
        ->type_name("N")
        ->check(whole_number(1, 1'000'000'000));
    return plain_entry(app, options);
}

CommandEntry add_addresses(CLI::App& root) {
    CLI::App* app = add_command(root, kSyncing, "addresses", "its addresses, used and next");
    auto options = std::make_shared<AddressesOptions>();
    app->add_flag("--change", options->change, "those for change instead of those for receiving");
    app->add_flag("--unused", options->unused, "only those that were never paid");
    return plain_entry(app, options);
}

CommandEntry add_receive(CLI::App& root) {
    CLI::App* app = add_command(root, kSyncing, "receive", "an address to be paid at");
    auto options = std::make_shared<ReceiveOptions>();
    app->add_flag("--new", options->hand_out, "one that no call gives out again");
    app->add_flag("--qr", options->qr, "a QR code, also where standard output is no terminal");
    app->add_option_function<std::string>(
           "--amount",
           [options](const std::string& text) { options->amount = *parse_amount(text); },
           "how much to ask for: 0.001 in bitcoin, or 100000sat")
        ->type_name("AMOUNT")
        ->check(CLI::Validator(
            [](std::string& text) -> std::string {
                const auto amount = parse_amount(text);
                return amount ? "" : std::string(describe(amount.error()));
            },
            "", "amount"));
    app->add_option("--label", options->label,
                    "what it is for: kept with the address, and shown to the\n"
                    "payer (BIP21)")
        ->type_name("TEXT")
        ->check(CLI::Validator(
            [](std::string& text) -> std::string {
                return text.size() <= 200 ? "" : "must be at most 200 bytes long";
            },
            "", "label"));
    app->footer("Example:\n  petal receive --new --amount 0.001 --label \"Lunch\"");
    return plain_entry(app, options);
}

CommandEntry add_broadcast(CLI::App& root) {
    CLI::App* app = add_command(root, kSpending, "broadcast", "announce a signed transaction");
    auto options = std::make_shared<BroadcastCommandOptions>();
    app->add_option("HEX|FILE|-", options->transaction, "hexadecimal, a file, or standard input")
        ->required();
    const auto read_connection =
        add_connection_options(app, "give up after so long; 120 where it isn't said");
    app->footer(
        "HEX|FILE|- is the transaction: in hexadecimal, the name of a file with that or with the\n"
        "plain bytes, or - for standard input. Half of the peers are told of it, the others show\n"
        "by announcing it that it spreads; a single peer is asked for it back. Peers that take no\n"
        "transactions are passed over, and those that ask a higher fee where the wallet knows\n"
        "what is paid. No wallet is needed; where the transaction spends the wallet's coins, the\n"
        "wallet keeps it, and petal sync --follow announces it again until it is confirmed.\n\n"
        "Exit status: 0 accepted by a peer or more; 1 seen nowhere, with the likely reason; 3 no\n"
        "peer that takes transactions, or not seen within --timeout.\n\n"
        "Examples:\n"
        "  petal broadcast signed.hex\n"
        "  petal broadcast - --connect mynode.lan < signed.hex\n"
        "  petal broadcast 02000000000101… --json --timeout 30");
    return {app, [options, read_connection](const GlobalOptions& global) -> Command {
                options->connection = read_connection(global);
                return *options;
            }};
}

CommandEntry add_abandon(CLI::App& root) {
    CLI::App* app = add_command(root, kSpending, "abandon",
                                "forget an unconfirmed transaction that will not confirm");
    auto options = std::make_shared<AbandonOptions>();
    app->add_option_function<std::string>(
           "TXID",
           [options](const std::string& hex) { options->txid = *chain::Txid::from_hex(hex); },
           "as petal history shows it")
        ->required()
        ->check(CLI::Validator(
            [](std::string& hex) -> std::string {
                return chain::Txid::from_hex(hex) ? "" : "must be 64 hexadecimal digits";
            },
            "", "txid"));
    app->footer(
        "The coins that it spends can be spent again, unconfirmed transactions that spend its\n"
        "outputs are forgotten with it, and petal sync --follow no longer announces it. Nodes "
        "that\n"
        "have it keep it: if one shows it again or a block confirms it, it is back. What only "
        "peers\n"
        "have shown is forgotten by itself after 14 days.\n\n"
        "Exit status: 0 forgotten; 1 the wallet does not have it, or a block does.\n\n"
        "Example:\n"
        "  petal abandon 4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b");
    return plain_entry(app, options);
}

std::vector<CommandEntry> add_headers(CLI::App& root) {
    CLI::App* headers = add_command(root, kSyncing, "headers", "look at the stored headers");
    CLI::App* status =
        headers->add_subcommand("status", "how far the headers go, and what they take");
    CLI::App* verify =
        headers->add_subcommand("verify", "check every stored header by every rule again");
    CLI::App* export_app =
        headers->add_subcommand("export", "write the best chain's headers, 80 bytes each");
    auto export_options = std::make_shared<HeadersExportOptions>();
    CLI::App* import_app =
        headers->add_subcommand("import", "take headers from a file, 80 bytes each");
    auto import_options = std::make_shared<HeadersImportOptions>();
    export_app->add_option("FILE", export_options->file, "where to")->required();
    import_app->add_option("FILE", import_options->file, "where from")->required();
    import_app->add_flag("--from-genesis", import_options->from_genesis,
                         "take them also where they contradict a block that petal knows");
    import_app->footer(
        "Each header is checked as if a peer had sent it; what comes before a bad one is kept.\n"
        "Of a file that ends within a header nothing is taken.");
    return {plain_entry(status, std::make_shared<HeadersStatusOptions>()),
            plain_entry(verify, std::make_shared<HeadersVerifyOptions>()),
            plain_entry(export_app, export_options), plain_entry(import_app, import_options)};
}

CommandEntry add_demo(CLI::App& root) {
    CLI::App* app =
        add_command(root, kTrying, "demo", "a chain, payments, a wallet and its sync, in seconds");
    auto options = std::make_shared<DemoOptions>();
    options->blocks = 4'000;
    app->add_option("--blocks", options->blocks, "how long the chain is (default 4,000)")
        ->type_name("N")
        ->check(whole_number(500, 50'000));
    app->footer("Everything happens in memory and in a temporary folder. Nothing is left behind.");
    return plain_entry(app, options);
}

CommandEntry add_regtest_node(CLI::App& root) {
    CLI::App* app = add_command(root, kTrying, "regtest-node",
                                "a small regtest node that serves Bloom filters");
    auto options = std::make_shared<RegtestNodeOptions>();
    options->port = 18'444;
    options->blocks = 120;
    app->add_option("--port", options->port, "where to listen on 127.0.0.1 (default 18444; 0: any)")
        ->type_name("P")
        ->check(whole_number(0, 65'535));
    app->add_option("--blocks", options->blocks, "how long the chain is (default 120)")
        ->type_name("N")
        ->check(whole_number(1, 100'000));
    repeatable(app->add_option("--pay", options->pay,
                               "pay 1 BTC there in one of the last blocks; may be repeated"))
        ->type_name("ADDRESS");
    add_seconds(app, "--mine-every", options->mine_every, "mine another block so often");
    app->add_option("--block-delay-ms", options->block_delay_ms,
                    "take so long for each block that a client asks for")
        ->type_name("MS")
        ->check(whole_number(0, 60'000));
    app->add_flag("--control", options->control,
                  "take commands from standard input, one a line, and answer\n"
                  "each with one line of JSON; ends with the input");
    app->footer(
        "Prints one line once it listens (JSON with --json), and serves until it is "
        "interrupted.\n\n"
        "Commands with --control:\n"
        "  mine [COUNT] [ADDRESS]      mine blocks, their coinbases to the address\n"
        "  pay ADDRESS AMOUNT          put a payment into the mempool\n"
        "  reorganise DEPTH            replace the last DEPTH blocks by one more, empty ones\n"
        "  status                      height, tip, mempool, connections\n\n"
        "Example:\n"
        "  petal regtest-node --port 0 --pay bcrt1q… --json --control");
    return plain_entry(app, options);
}

}  // namespace

std::vector<CommandEntry> add_commands(CLI::App& root) {
    std::vector<CommandEntry> entries{
        add_create(root),  add_restore(root),   add_encrypt(root), add_wallets(root),
        add_info(root),    add_sync(root),      add_balance(root), add_utxos(root),
        add_history(root), add_addresses(root), add_receive(root), add_broadcast(root),
        add_abandon(root),
    };
    for (CommandEntry& entry : add_headers(root)) entries.push_back(std::move(entry));
    CLI::App* peers = add_command(root, kSyncing, "peers", "which peers petal knows, and why");
    for (CommandEntry& entry : add_peers_commands(peers)) entries.push_back(std::move(entry));
    CLI::App* filter =
        add_command(root, kFilters, "filter", "make BIP37 filters, and take them apart");
    for (CommandEntry& entry : add_filter_commands(*filter)) entries.push_back(std::move(entry));
    entries.push_back(add_demo(root));
    entries.push_back(add_regtest_node(root));
    return entries;
}

}  // namespace petal::cli
