#include "cli/run.h"

#include <cstdint>
#include <new>
#include <ostream>
#include <variant>

#include "chain/enum_table.h"
#include "chain/headers/header_file.h"
#include "cli/data_folder.h"
#include "cli/filter/filter_commands.h"
#include "cli/filter/filter_match.h"
#include "cli/filter/filter_report.h"
#include "cli/headers/header_commands.h"
#include "cli/json.h"
#include "cli/options/command_line.h"
#include "cli/regtest/demo.h"
#include "cli/regtest/regtest_commands.h"
#include "cli/sync/broadcast_commands.h"
#include "cli/sync/peer_commands.h"
#include "cli/sync/sync_commands.h"
#include "cli/text.h"
#include "cli/wallet/address_commands.h"
#include "cli/wallet/coin_commands.h"
#include "cli/wallet/wallet_commands.h"
#include "wallet/wallet.h"

namespace petal::cli {
namespace {

/// Calls the function of each command.
struct Dispatch {
    const GlobalOptions& global;
    Console& console;

    void operator()(const CreateOptions& options) const { run_create(options, global, console); }
    void operator()(const RestoreOptions& options) const { run_restore(options, global, console); }
    void operator()(const EncryptOptions& options) const { run_encrypt(options, global, console); }
    void operator()(const RescanOptions& options) const { run_rescan(options, global, console); }
    void operator()(const RenameOptions& options) const { run_rename(options, global, console); }
    void operator()(const DeleteOptions& options) const { run_delete(options, global, console); }
    void operator()(const TransactionOptions& options) const { run_tx(options, global, console); }
    void operator()(const WalletsOptions&) const { run_wallets(global, console); }
    void operator()(const InfoOptions&) const { run_info(global, console); }
    void operator()(const SyncCommandOptions& options) const {
        with_repair([&] { run_sync(options, global, console); });
    }
    void operator()(const WaitOptions& options) const {
        with_repair([&] { run_wait(options, global, console); });
    }
    void operator()(const BroadcastCommandOptions& options) const {
        run_broadcast(options, global, console);
    }
    void operator()(const AbandonOptions& options) const { run_abandon(options, global, console); }
    void operator()(const BalanceOptions&) const { run_balance(global, console); }
    void operator()(const UtxosOptions& options) const { run_utxos(options, global, console); }
    void operator()(const HistoryOptions& options) const { run_history(options, global, console); }
    void operator()(const AddressesOptions& options) const {
        run_addresses(options, global, console);
    }
    void operator()(const ReceiveOptions& options) const { run_receive(options, global, console); }
    void operator()(const LabelOptions& options) const { run_label(options, global, console); }
    void operator()(const FilterDesignOptions& options) const {
        run_filter_design(options, global, console);
    }
    void operator()(const FilterMakeOptions& options) const {
        run_filter_make(options, global, console);
    }
    void operator()(const FilterInspectOptions& options) const {
        run_filter_inspect(options, global, console);
    }
    void operator()(const FilterMatchOptions& options) const {
        run_filter_match(options, global, console);
    }
    void operator()(const FilterCompareOptions& options) const {
        run_filter_compare(options, global, console);
    }
    void operator()(const FilterPlanOptions& options) const {
        run_filter_plan(options, global, console);
    }
    void operator()(const FilterReportOptions& options) const {
        run_filter_report(options, global, console);
    }
    void operator()(const HeadersStatusOptions&) const { run_headers_status(global, console); }
    void operator()(const HeadersVerifyOptions&) const { run_headers_verify(global, console); }
    void operator()(const HeadersExportOptions& options) const {
        run_headers_export(options, global, console);  // a pipe would get the first ones twice
    }
    void operator()(const HeadersImportOptions& options) const {
        with_repair([&] { run_headers_import(options, global, console); });
    }
    void operator()(const HeadersResetOptions& options) const {
        run_headers_reset(options, global, console);
    }
    void operator()(const PeersListOptions& options) const {
        run_peers_list(options, global, console);
    }
    void operator()(const PeersAddOptions& options) const {
        run_peers_add(options, global, console);
    }
    void operator()(const PeersRemoveOptions& options) const {
        run_peers_remove(options, global, console);
    }
    void operator()(const PeersBanOptions& options) const {
        run_peers_ban(options, global, console);
    }
    void operator()(const PeersUnbanOptions& options) const {
        run_peers_unban(options, global, console);
    }
    void operator()(const DemoOptions& options) const { run_demo(options, global, console); }
    void operator()(const RegtestNodeOptions& options) const {
        run_regtest_node(options, global, console);
    }

private:
    /// For commands that may be run twice. Where they come upon damage in the stored headers, the
    /// index is gone by then: opened again, the file is cut off at the damage.
    template <typename Run>
    void with_repair(Run run) const {
        try {
            return run();
        } catch (const chain::HeaderFileDamaged&) {
            console.warn("the stored headers are damaged; petal repairs them and starts again");
        }
        run();
    }
};

CommandError command_error(const wallet::WalletError& error) {
    using enum wallet::WalletError::Kind;
    struct Row {
        ExitStatus status;
        std::string_view code;
    };
    static constexpr auto kRows = chain::enum_table<wallet::WalletError::Kind, Row>({
        {missing, {ExitStatus::wallet, "wallet-missing"}},
        {exists, {ExitStatus::failed, "wallet-exists"}},
        {locked_by_other, {ExitStatus::wallet, "wallet-locked"}},
        {wrong_network, {ExitStatus::failed, "wrong-network"}},
        {damaged, {ExitStatus::damaged, "wallet-damaged"}},
        {newer_version, {ExitStatus::failed, "newer-version"}},
        {storage, {ExitStatus::failed, "storage"}},
        {bad_password, {ExitStatus::wallet, "wrong-password"}},
    });
    const Row& row = kRows[error.kind()];
    return {row.status, row.code, error.what()};
}

/// What standard output holds.
enum class Output : std::uint8_t { text, json, json_events };

Output output_of(const CommandLine& line) {
    if (!line.global.json) return Output::text;
    const auto* sync = std::get_if<SyncCommandOptions>(&line.command);
    return sync && sync->follow ? Output::json_events : Output::json;
}

ExitStatus report(const CommandError& error, Output output, Console& console) {
    const CommandError shown(error.status(), error.code(), printable(error.what(), kMaxShown));
    console.error(shown.what());
    if (output == Output::text) return error.status();
    Json json = Json::object();
    if (output == Output::json_events) json["event"] = "error";
    json.update(error_json(shown));
    if (error.details().is_object()) json.update(error.details());
    console.out().clear();
    console.out() << to_line(json) << '\n' << std::flush;
    return error.status();
}

/// Carries out what was parsed.
void run_command(const CommandLine& line, Console& console) {
    console.set_log_level(line.global.log_level);
    if (line.global.log_file) console.open_log_file(*line.global.log_file);
    warn_of_open_folders(line.global, console);
    std::visit(Dispatch{line.global, console}, line.command);
}

}  // namespace

ExitStatus run(const std::vector<std::string>& arguments, Console& console) {
    // Until the config file has its say too.
    Output output = asks_for_json(arguments) ? Output::json : Output::text;
    try {
        const auto parsed = parse_command_line(arguments);
        if (const auto* requested = std::get_if<RequestedText>(&parsed)) {
            console.out() << requested->text;
        } else {
            output = output_of(std::get<CommandLine>(parsed));
            run_command(std::get<CommandLine>(parsed), console);
        }
        console.flush_out();
        return ExitStatus::done;
    } catch (const CommandError& error) {
        return report(error, output, console);
    } catch (const wallet::WalletError& error) {
        return report(command_error(error), output, console);
    } catch (const chain::HeaderFileDamaged& error) {
        return report({ExitStatus::damaged, "headers-damaged", error.what()}, output, console);
    } catch (const chain::HeaderFileUnusable& error) {
        return report({ExitStatus::damaged, "headers-unusable", error.what()}, output, console);
    } catch (const chain::HeaderFileError& error) {
        return report({ExitStatus::failed, "header-file", error.what()}, output, console);
    } catch (const std::bad_alloc&) {
        return report({ExitStatus::failed, "out-of-memory", "out of memory"}, output, console);
    } catch (const std::exception& error) {
        return report({ExitStatus::failed, "failed", error.what()}, output, console);
    }
}

}  // namespace petal::cli
