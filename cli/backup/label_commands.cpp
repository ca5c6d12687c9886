#include "cli/backup/label_commands.h"

#include <string>

#include "chain/storage/new_file.h"
#include "cli/backup/label_file.h"
#include "cli/files/user_file.h"
#include "cli/options/data_folder.h"
#include "cli/text/command_error.h"
#include "cli/text/json.h"
#include "cli/text/text.h"
#include "wallet/label_exchange.h"
#include "wallet/ledger/records.h"

namespace petal::cli {
namespace {

struct LabelFileOptions {
    std::filesystem::path file;
};

std::string label_lines(const std::vector<wallet::LabelRecord>& records) {
    std::string lines;
    for (const wallet::LabelRecord& record : records) {
        const auto line = to_label_line(record);
        if (!line) {
            throw CommandError(ExitStatus::damaged, "wallet-damaged",
                               "a label record in the wallet is damaged; restore a backup");
        }
        lines += *line + '\n';
    }
    return lines;
}

void run_labels_export(const LabelFileOptions& options, const GlobalOptions& global,
                       Console& console) {
    wallet::Wallet wallet = open_wallet(global, wallet::Access::read);
    const auto records = wallet::LabelExchange(wallet).export_all();
    const std::string lines = label_lines(records);
    if (options.file == kStandardStream) {
        console.out() << lines;
        return;
    }
    make_user_file(options.file, [&] {
        chain::NewFile made(options.file);
        made.write(chain::as_bytes(lines));
        made.keep();
    });
    if (global.json) {
        return console.print_json({{"wallet", global.wallet},
                                   {"network", global.network->name},
                                   {"file", options.file.string()},
                                   {"labels", records.size()}});
    }
    console.prose() << count_of(records.size(), "record") << " written to "
                    << printable(options.file.string()) << ".\n";
}

void warn_of(const LabelFile& file, const wallet::LabelImport& result, const GlobalOptions& global,
             Console& console) {
    for (const LabelFileError& error : file.named) {
        console.warn(describe(error) + "; the line was skipped");
    }
    if (file.skipped > file.named.size()) {
        console.warn(count_of(file.skipped, "line") + " are no records and were skipped");
    }
    if (file.shortened > 0) {
        console.warn(count_of(file.shortened, "label") + " had more than " +
                     format_count(wallet::kMaxLabelBytes) + " bytes and was cut");
    }
    if (result.foreign > 0) {
        console.warn(count_of(result.foreign, "label") + " of addresses of another network than " +
                     global.network->name + "; the file may be of another wallet");
    }
}

Json import_json(const LabelFile& file, const wallet::LabelImport& result,
                 const GlobalOptions& global) {
    Json skipped_lines = Json::array();
    for (const LabelFileError& error : file.named) {
        skipped_lines.push_back({{"line", error.line}, {"reason", reason_of(error)}});
    }
    return {{"wallet", global.wallet},       {"network", global.network->name},
            {"labels", file.records.size()}, {"own", result.own},
            {"kept", result.kept},           {"other_network", result.foreign},
            {"frozen", result.frozen},       {"unfrozen", result.unfrozen},
            {"ignored", file.ignored},       {"shortened", file.shortened},
            {"skipped", file.skipped},       {"skipped_lines", skipped_lines}};
}

std::string import_text(const LabelFile& file, const wallet::LabelImport& result) {
    std::string text = count_of(file.records.size(), "record") +
                       " imported: " + format_count(result.own) + " of this wallet, " +
                       format_count(result.kept) + " of what it does not know, kept for export.\n";
    if (result.frozen > 0) text += count_of(result.frozen, "coin") + " frozen.\n";
    if (result.unfrozen > 0) text += count_of(result.unfrozen, "coin") + " unfrozen.\n";
    if (file.ignored > 0) {
        text += count_of(file.ignored, "record") +
                " of types that BIP329 does not define: without effect here.\n";
    }
    return text;
}

void run_labels_import(const LabelFileOptions& options, const GlobalOptions& global,
                       Console& console) {
    check_wallet_exists(global);
    UserInput input(options.file, console);
    const auto file = parse_label_file(input.read_at_most(kMaxLabelFileBytes + 1));
    if (!file) {
        throw CommandError(ExitStatus::failed, "bad-labels",
                           "this is no file of labels (BIP329): " + describe(file.error()) +
                               "; nothing was imported");
    }
    wallet::Wallet wallet = open_wallet(global, wallet::Access::change);
    const wallet::LabelImport result = wallet::LabelExchange(wallet).import(file->records);
    warn_of(*file, result, global, console);
    if (global.json) return console.print_json(import_json(*file, result, global));
    console.prose() << import_text(*file, result);
}

CommandEntry add_labels_export(CLI::App& labels) {
    CLI::App* app = labels.add_subcommand("export", "write the labels, one JSON object a line");
    auto options = std::make_shared<LabelFileOptions>();
    app->add_option("FILE", options->file, "the file to create; - is standard output")->required();
    app->footer(
        "Labels show your payers and payees. The file is not encrypted, and readable "
        "by you alone (mode 0600).");
    return reading({app, [options](const GlobalOptions& global) {
                        if (global.json && options->file == kStandardStream) {
                            throw usage_error(
                                "standard output can't take both the labels and --json");
                        }
                        return make_action(std::move(*options), run_labels_export);
                    }});
}

CommandEntry add_labels_import(CLI::App& labels) {
    CLI::App* app = labels.add_subcommand("import", "import labels from a BIP329 file");
    auto options = std::make_shared<LabelFileOptions>();
    app->add_option("FILE", options->file, "the file to read; - is standard input")->required();
    app->footer(
        "Lines that are no record are skipped, with a warning; a file of such lines "
        "alone is refused. The labels replace those that exist. Labels that the file "
        "does not mention stay. Labels of addresses, transactions and coins that the "
        "wallet does not know are kept, and shown once it knows them. Records with "
        "another wallet's `origin`, and unknown types and members, are kept for "
        "export. Labels are cut at 1,020 bytes. An output with \"spendable\":false "
        "is frozen; \"spendable\":true unfreezes it (see petal freeze). petal "
        "receive shows no address that has a label.\n\n"
        "Example:\n"
        "  petal labels import sparrow-labels.jsonl");
    return plain_entry(app, options, run_labels_import);
}

}  // namespace

std::vector<CommandEntry> add_label_commands(CLI::App& root) {
    CLI::App& labels =
        *add_command(root, kSyncing, "labels", "exchange labels with other wallets (BIP329)");
    return {add_labels_export(labels), add_labels_import(labels)};
}

}  // namespace petal::cli
