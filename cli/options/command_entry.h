/// How commands are told to CLI11.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <utility>

#include "cli/options/options.h"

namespace petal::cli {

/// A command as CLI11 knows it, and how its options are read once they were parsed.
struct CommandEntry {
    CLI::App* app = nullptr;
    /// Throws CommandError with ExitStatus::usage. Options belong to the entry: called once at
    /// most.
    std::function<Command(const GlobalOptions&)> read;
};

// The headings of the help, in its order.
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

/// A command whose options need no second look.
template <typename Options>
CommandEntry plain_entry(CLI::App* app, std::shared_ptr<Options> options) {
    return {app, [options](const GlobalOptions&) -> Command { return std::move(*options); }};
}

}  // namespace petal::cli
