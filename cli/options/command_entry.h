/// How commands are registered with CLI11, and how they run.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "cli/options/options.h"
#include "cli/terminal/console.h"

namespace petal::cli {

/// How a command uses the data folder. Decides between an error and a warning if other users can
/// change the folder or the config file (access_check.h).
enum class FolderUse : std::uint8_t {
    writes,  ///< writes to the folder, spends, connects or gives out addresses: an error
    reads,   ///< shows the content: a warning
    none,
};

/// A command with options, ready to run.
struct Action {
    std::function<void(const GlobalOptions&, Console&)> run;
    /// With --json, standard output gets one object for each event, instead of one in total.
    bool prints_events = false;
    /// If the command finds damage in the stored headers, the command is run a second time, and the
    /// headers are cut off at the damage. Not for a command that may have written something before.
    bool may_run_twice = false;
};

/// The function of a command with options of its own, and of a command without.
template <typename Options>
using CommandFunction = void (*)(const Options&, const GlobalOptions&, Console&);
using PlainFunction = void (*)(const GlobalOptions&, Console&);

/// A call of a command's function with options.
template <typename Options>
struct CommandCall {
    CommandFunction<Options> function;
    std::shared_ptr<const Options> options;

    void operator()(const GlobalOptions& global, Console& console) const {
        function(*options, global, console);
    }
};

template <typename Options>
Action make_action(Options options, CommandFunction<Options> function) {
    Action action;
    action.run =
        CommandCall<Options>{function, std::make_shared<const Options>(std::move(options))};
    return action;
}

/// A command of CLI11, and the function that reads the command's options after parsing.
struct CommandEntry {
    CLI::App* app = nullptr;
    /// Throws CommandError with ExitStatus::usage. Called at most once, because the action takes
    /// the options out of the entry.
    std::function<Action(const GlobalOptions&)> read;
    /// Whether --wallet may name several wallets.
    bool takes_wallets = false;
    /// No argument is a secret, so an error may repeat an argument.
    bool takes_no_secrets = false;
    FolderUse folder_use = FolderUse::writes;
};

/// Adds commands to `petal` itself. Returns these commands and all subcommands.
using AddCommands = std::vector<CommandEntry> (*)(CLI::App& root);

// The headings of the help, in the order of the help.
inline constexpr const char* kWallets = "Wallets";
inline constexpr const char* kSyncing = "Syncing and viewing";
inline constexpr const char* kSpending = "Spending";
inline constexpr const char* kFilters = "Filters";
inline constexpr const char* kTrying = "Trying it";

inline CLI::App* add_command(CLI::App& parent, const char* group, const char* name,
                             const char* description) {
    CLI::App* app = parent.add_subcommand(name, description);
    app->group(group);
    return app;
}

/// A command with options that need no further checks.
template <typename Options>
CommandEntry plain_entry(CLI::App* app, std::shared_ptr<Options> options,
                         CommandFunction<Options> function) {
    return {app, [options, function](const GlobalOptions&) {
                return make_action(std::move(*options), function);
            }};
}

/// A command without options of its own.
inline CommandEntry plain_entry(CLI::App* app, PlainFunction function) {
    return {app, [function](const GlobalOptions&) {
                Action action;
                action.run = function;
                return action;
            }};
}

/// The entry of a command that only shows the content of the data folder.
inline CommandEntry reading(CommandEntry entry) {
    entry.folder_use = FolderUse::reads;
    return entry;
}

/// Entries of commands that take no secrets.
inline std::vector<CommandEntry> without_secrets(std::vector<CommandEntry> entries) {
    for (CommandEntry& entry : entries) entry.takes_no_secrets = true;
    return entries;
}

/// An entry of a command that does not use the data folder.
inline CommandEntry without_folder(CommandEntry entry) {
    entry.folder_use = FolderUse::none;
    return entry;
}

}  // namespace petal::cli
