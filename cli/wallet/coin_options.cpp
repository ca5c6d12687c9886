#include "cli/wallet/coin_options.h"

#include "cli/amount.h"
#include "cli/command_error.h"
#include "cli/options/option_values.h"
#include "wallet/ledger/records.h"

namespace petal::cli {
namespace {

CLI::Validator label_text() {
    return {[](std::string& text) -> std::string {
                return text.size() <= wallet::kMaxLabelBytes
                           ? ""
                           : "must be at most " + std::to_string(wallet::kMaxLabelBytes) +
                                 " bytes long";
            },
            "", "label"};
}

void add_txid(CLI::App* app, chain::Txid& txid) {
    app->add_option_function<std::string>(
           "TXID", [&txid](const std::string& hex) { txid = *chain::Txid::from_hex(hex); },
           "as petal history shows it")
        ->required()
        ->check(CLI::Validator(
            [](std::string& hex) -> std::string {
                return chain::Txid::from_hex(hex) ? "" : "must be 64 hexadecimal digits";
            },
            "", "txid"));
}

CommandEntry add_balance(CLI::App& root) {
    CLI::App* app = add_command(root, kSyncing, "balance", "what the wallet holds");
    return plain_entry(app, std::make_shared<BalanceOptions>());
}

CommandEntry add_utxos(CLI::App& root) {
    CLI::App* app = add_command(root, kSyncing, "utxos", "its coins, one by one");
    auto options = std::make_shared<UtxosOptions>();
    app->add_option("--min-conf", options->min_confirmations,
                    "only coins with at least this many confirmations\n"
                    "(default: 0)")
        ->type_name("N")
        ->check(whole_number(0, 100'000'000));
    return plain_entry(app, options);
}

CommandEntry add_history(CLI::App& root) {
    CLI::App* app = add_command(root, kSyncing, "history", "its transactions, newest first");
    auto options = std::make_shared<HistoryOptions>();
    app->add_option("--limit", options->limit, "only this many, the newest (default: all)")
        ->type_name("N")
        ->check(whole_number(1, 1'000'000'000));
    app->add_option_function<std::string>(
           "--since", [options](const std::string& text) { options->since = *parse_date(text); },
           "only those of this day (UTC) and later")
        ->type_name("YYYY-MM-DD")
        ->check(CLI::Validator(
            [](std::string& text) -> std::string {
                return parse_date(text) ? "" : "must be a date as 2024-05-31";
            },
            "", "date"));
    app->add_option("--address", options->address,
                    "only those that pay to this address, or spend from it")
        ->type_name("ADDRESS");
    app->add_flag("--csv", options->csv, "comma-separated values with a line of titles (RFC 4180)");
    app->footer(
        "A transaction that was replaced stands at the time when it was seen, and counts zero.\n\n"
        "Example:\n"
        "  petal history --since 2024-05-31 --csv > may.csv");
    return {app, [options](const GlobalOptions& global) -> Command {
                if (options->csv && global.json) throw usage_error("--csv excludes --json");
                return *options;
            }};
}

CommandEntry add_tx(CLI::App& root) {
    CLI::App* app = add_command(root, kSyncing, "tx", "one of its transactions, taken apart");
    auto options = std::make_shared<TransactionOptions>();
    add_txid(app, options->txid);
    app->footer(
        "With its block's header and its merkle proof, which bitcoin-cli verifytxoutproof takes\n"
        "(in JSON, `txoutproof`). Of confirmed transactions witnesses are not stored, as no "
        "merkle\n"
        "proof covers them: in JSON, `witness_stored` is then false, and `hex`, `weight`,\n"
        "`has_witness` and each `witness` are null.");
    return plain_entry(app, options);
}

CommandEntry add_addresses(CLI::App& root) {
    CLI::App* app =
        add_command(root, kSyncing, "addresses", "its addresses: used, handed out and next");
    auto options = std::make_shared<AddressesOptions>();
    app->add_option("ADDRESS", options->address, "this one alone: whether it is the wallet's");
    app->add_flag("--change", options->change, "those for change instead of those for receiving");
    app->add_flag("--unused", options->unused, "only those that were never paid");
    app->footer(
        "used: a transaction has paid the address. handed out: petal receive has shown it, it was\n"
        "labelled, or it precedes one that was paid; no other payer is shown it.");
    return plain_entry(app, options);
}

CommandEntry add_receive(CLI::App& root) {
    CLI::App* app = add_command(root, kSyncing, "receive", "an address to be paid at");
    auto options = std::make_shared<ReceiveOptions>();
    app->add_flag("--new", options->hand_out, "a fresh one, that no other call gives out");
    app->add_flag("--qr", options->qr, "a QR code, also where standard output is no terminal");
    app->add_option_function<std::string>(
           "--amount",
           [options](const std::string& text) { options->amount = *parse_amount(text); },
           "how much to ask for: 0.001 in bitcoin, or 100000sat")
        ->type_name("AMOUNT")
        ->check(CLI::Validator(
            [](std::string& text) -> std::string {
                const auto amount = parse_amount(text);
                if (!amount) return std::string(describe(amount.error()));
                return *amount > 0 ? "" : "must be more than 0";
            },
            "", "amount"));
    app->add_option("--label", options->label,
                    "what it is for: kept with the address, and shown to the\n"
                    "payer (BIP21)")
        ->type_name("TEXT")
        ->check(label_text());
    app->footer(
        "Without --new, --amount and --label, the same address until it is paid. With any of "
        "them,\n"
        "an address that no call gives out again: one for each payer. petal label changes a "
        "label.\n\n"
        "Example:\n"
        "  petal receive --amount 0.001 --label \"Lunch\"");
    return plain_entry(app, options);
}

CommandEntry add_label(CLI::App& root) {
    CLI::App* app = add_command(root, kSyncing, "label", "name an address, transaction or coin");
    auto options = std::make_shared<LabelOptions>();
    app->add_option("TARGET", options->target, "one of the wallet's")
        ->option_text("ADDRESS|TXID|TXID:VOUT")
        ->required();
    app->add_option("TEXT", options->text, "the label; without it, the label is removed")
        ->check(label_text());
    app->footer(
        "Without TEXT, the label is removed. Says which label was there before. An address with a\n"
        "label is not handed out any more by petal receive.\n\n"
        "Examples:\n"
        "  petal label bc1q… \"Rent, May\"\n"
        "  petal label bc1q…");
    return plain_entry(app, options);
}

}  // namespace

std::vector<CommandEntry> add_coin_commands(CLI::App& root) {
    return {add_balance(root),   add_utxos(root),   add_history(root), add_tx(root),
            add_addresses(root), add_receive(root), add_label(root)};
}

CommandEntry add_abandon(CLI::App& root) {
    CLI::App* app = add_command(root, kSpending, "abandon",
                                "forget an unconfirmed transaction that will not confirm");
    auto options = std::make_shared<AbandonOptions>();
    add_txid(app, options->txid);
    app->footer(
        "What it pays to the wallet counts no more, coins of the wallet's that it spends can be\n"
        "spent again, unconfirmed transactions that spend its outputs are forgotten with it, and\n"
        "petal sync --follow no longer announces it. Nodes that have it keep it: if one shows it\n"
        "again or a block confirms it, it is back. What only peers have shown is forgotten by\n"
        "itself after 14 days.\n\n"
        "Exit status: 0 forgotten; 1 the wallet does not have it, or a block does.\n\n"
        "Example:\n"
        "  petal abandon 4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b");
    return plain_entry(app, options);
}

}  // namespace petal::cli
