#include "cli/options/command_options.h"

#include <algorithm>
#include <iterator>
#include <memory>

#include "cli/amount.h"
#include "cli/command_error.h"
#include "cli/filter/filter_options.h"
#include "cli/options/option_values.h"
#include "cli/sync/connection_options.h"
#include "cli/wallet/coin_options.h"
#include "cli/wallet/wallet_options.h"

namespace petal::cli {
namespace {

std::optional<net::CrossCheckMode> find_cross_check(std::string_view name) {
    using enum net::CrossCheckMode;
    for (const auto mode : {none, sample, all}) {
        if (code_of(mode) == name) return mode;
    }
    return std::nullopt;
}

/// What every command that syncs has beside the options of its connections. `options` must outlive
/// the parsing.
void add_block_options(CLI::App* app, SyncCommandOptions& options) {
    app->add_option_function<std::string>(
           "--cross-check",
           [&options](const std::string& name) { options.cross_check = *find_cross_check(name); },
           "which blocks are asked of a second peer, to notice what\n"
           "the first left out: none, sample (one in twenty, the\n"
           "default) or all")
        ->type_name("none|sample|all")
        ->check(one_of({"none", "sample", "all"}));
    add_privacy(app, options.privacy,
                "what a peer's filter hides the wallet among: of strangers'\n"
                "addresses 1 in 100,000 (fast, the default), 1 in 20,000\n"
                "(balanced) or 1 in 4,000 (private), whose transactions are\n"
                "fetched too; a wallet keeps what it was synced by");
    app->add_flag("--full-blocks", options.full_blocks,
                  "download full blocks and search them here: much more\n"
                  "traffic, but the peers learn nothing about the wallet");
    app->add_option_function<std::string>(
           "--progress",
           [&options](const std::string& name) {
               options.progress = name == "json"   ? ProgressFormat::json
                                  : name == "none" ? ProgressFormat::none
                                                   : ProgressFormat::automatic;
           },
           "how far the sync is, on standard error: auto (a bar on a\n"
           "terminal, lines elsewhere), json (an object a line) or none")
        ->type_name("auto|json|none")
        ->check(one_of({"auto", "json", "none"}));
    app->add_flag("--from-genesis", options.from_genesis,
                  "fetch the headers from the first block on, instead of from\n"
                  "a block shortly before the wallet's birthday");
    app->add_option_function<std::string>(
           "--minimum-chainwork",
           [&options](const std::string& hex) { options.minimum_chainwork = parse_chainwork(hex); },
           "the work that a chain must carry before anything of it\n"
           "counts (default: the network's); 0 takes any chain, for\n"
           "tests")
        ->type_name("HEX")
        ->check(chainwork_hex());
}

CommandEntry add_sync(CLI::App& root) {
    CLI::App* app =
        add_command(root, kSyncing, "sync", "bring headers and the wallet up to the best chain");
    auto options = std::make_shared<SyncCommandOptions>();
    const auto read_connection =
        add_connection_options(app,
                               "give up after this many seconds, with exit status 3;\n"
                               "unreachable peers are retried until then");
    add_block_options(app, *options);
    add_seconds(app, "--wait-unconfirmed", options->wait_unconfirmed,
                "then listen for unconfirmed transactions for this long\n"
                "(default: 0)",
                /*may_be_zero=*/true);
    auto* wait = app->get_option("--wait-unconfirmed");
    app->add_flag("--follow", options->follow,
                  "then stay connected and report new blocks, payments\n"
                  "before and after they confirm, and reorganisations, until\n"
                  "interrupted; with --json, one object a line")
        ->excludes(wait);
    app->add_option("--notify", options->notify,
                    "with --follow: run this shell command for each transaction,\n"
                    "reorganisation, synced block and peer, with the event as\n"
                    "JSON on its standard input")
        ->type_name("COMMAND");
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
                if (!options->notify.empty() && !options->follow) {
                    throw usage_error("--notify goes with --follow");
                }
                if (options->wait_unconfirmed == std::chrono::milliseconds::zero()) {
                    options->wait_unconfirmed.reset();
                }
                options->connection = read_connection(global);
                return *options;
            }};
}

CommandEntry add_wait(CLI::App& root) {
    CLI::App* app = add_command(root, kSyncing, "wait", "sync until something has happened");
    auto options = std::make_shared<WaitOptions>();
    auto* address = app->add_option("--address", options->address,
                                    "until this address of the wallet's has been paid");
    address->type_name("ADDRESS");
    app->add_option_function<std::string>(
           "--amount",
           [options](const std::string& text) { options->amount = *parse_amount(text); },
           "at least this much in all (0.001 in bitcoin, or 100000sat)")
        ->type_name("AMOUNT")
        ->needs(address)
        ->check(CLI::Validator(
            [](std::string& text) -> std::string {
                const auto amount = parse_amount(text);
                if (!amount) return std::string(describe(amount.error()));
                return *amount > 0 ? "" : "must be more than 0";
            },
            "", "amount"));
    auto* tx = app->add_option_function<std::string>(
        "--tx", [options](const std::string& hex) { options->txid = chain::Txid::from_hex(hex); },
        "until this transaction of the wallet's is confirmed");
    tx->type_name("TXID")->check(CLI::Validator(
        [](std::string& hex) -> std::string {
            return chain::Txid::from_hex(hex) ? "" : "must be 64 hexadecimal digits";
        },
        "", "txid"));
    auto confirmations = std::make_shared<std::optional<std::uint32_t>>();
    app->add_option_function<std::uint32_t>(
           "--conf", [confirmations](std::uint32_t count) { *confirmations = count; },
           "until it, or the payments to the address, have this many\n"
           "confirmations (default: 1 for --tx, 0 for --address); 0: until\n"
           "it is seen")
        ->type_name("N")
        ->check(whole_number(0, 100'000'000));
    app->add_option_function<std::uint32_t>(
           "--height", [options](std::uint32_t height) { options->height = height; },
           "until the wallet is synced to this block")
        ->type_name("H")
        ->check(whole_number(0, 100'000'000));
    const auto read_connection =
        add_connection_options(app, "give up after this many seconds, with exit status 3");
    add_block_options(app, options->sync);
    app->footer(
        "Without --conf, an address counts as paid before a block confirms the payment, which\n"
        "proves nothing: its sender can take it back.\n\n"
        "Examples:\n"
        "  petal wait --address bc1q… --amount 0.001 --conf 1 --timeout 3600\n"
        "  petal wait --tx 4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b "
        "--conf 6");
    return {app, [options, confirmations, read_connection](const GlobalOptions& global) -> Command {
                const int given = (options->address.empty() ? 0 : 1) + (options->txid ? 1 : 0) +
                                  (options->height ? 1 : 0);
                if (given != 1) {
                    throw usage_error("give one of --address, --tx and --height to wait for");
                }
                if (*confirmations && options->height) {
                    throw usage_error("--conf goes with --address or --tx");
                }
                options->confirmations = confirmations->value_or(options->txid ? 1 : 0);
                options->sync.connection = read_connection(global);
                return *options;
            }};
}

CommandEntry add_broadcast(CLI::App& root) {
    CLI::App* app = add_command(root, kSpending, "broadcast", "announce a signed transaction");
    auto options = std::make_shared<BroadcastCommandOptions>();
    app->add_option("HEX|FILE|-", options->transaction, "hexadecimal, a file, or standard input")
        ->required();
    const auto read_connection =
        add_connection_options(app, "give up after this many seconds (default: 120)");
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
    export_app->add_option("FILE", export_options->file, "where to; - is standard output")
        ->required();
    import_app->add_option("FILE", import_options->file, "where from; - is standard input")
        ->required();
    import_app->add_flag("--from-genesis", import_options->from_genesis,
                         "take them also where they contradict a block that petal knows");
    import_app->footer(
        "Each header is checked as if a peer had sent it; what comes before a bad one is kept.\n"
        "Of a file that ends within a header nothing is taken.");
    CLI::App* reset_app =
        headers->add_subcommand("reset", "forget the stored headers, and what they confirmed");
    auto reset_options = std::make_shared<HeadersResetOptions>();
    reset_app->add_flag("--yes", reset_options->yes, "do so without asking");
    reset_app->footer(
        "For a node whose chain was made anew, on regtest for instance: its chain has less work\n"
        "than the stored one, which petal follows until then. Each wallet of the network is\n"
        "searched from its birthday by its own next sync; labels and addresses stay.");
    return {plain_entry(status, std::make_shared<HeadersStatusOptions>()),
            plain_entry(reset_app, reset_options),
            plain_entry(verify, std::make_shared<HeadersVerifyOptions>()),
            {export_app,
             [export_options](const GlobalOptions& global) -> Command {
                 if (global.json && export_options->file == "-") {
                     throw usage_error("standard output can't take both the headers and --json");
                 }
                 return *export_options;
             }},
            plain_entry(import_app, import_options)};
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
    app->add_option("--port", options->port, "where to listen on 127.0.0.1 (default 18444; 0: any)")
        ->type_name("P")
        ->check(whole_number(0, 65'535));
    app->add_option("--blocks", options->blocks,
                    "how long the chain is, payments included (default: 120, or\n"
                    "as long as the payments need)")
        ->type_name("N")
        ->check(whole_number(1, 100'000));
    repeatable(app->add_option("--pay", options->pay,
                               "pay 1 BTC there in one of the last blocks, each in its own;\n"
                               "may be repeated"))
        ->type_name("ADDRESS");
    add_seconds(app, "--mine-every", options->mine_every,
                "mine a block at this interval (default: never)");
    app->add_option("--block-delay-ms", options->block_delay_ms,
                    "delay each requested block by this long (default: 0)")
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
    std::vector<CommandEntry> entries;
    const auto add = [&entries](std::vector<CommandEntry> more) {
        std::ranges::move(more, std::back_inserter(entries));
    };
    add(add_wallet_commands(root));
    entries.push_back(add_sync(root));
    entries.push_back(add_wait(root));
    add(add_coin_commands(root));
    add(add_headers(root));
    add(add_peers_commands(
        add_command(root, kSyncing, "peers", "which peers petal knows, and why")));
    entries.push_back(add_broadcast(root));
    entries.push_back(add_abandon(root));
    add(add_filter_commands(
        *add_command(root, kFilters, "filter", "make BIP37 filters, and take them apart")));
    entries.push_back(add_demo(root));
    entries.push_back(add_regtest_node(root));
    return entries;
}

}  // namespace petal::cli
