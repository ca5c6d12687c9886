// Config files: whatever is in one, the command line is understood, or refused with one line that
// says why.
#include <array>
#include <cassert>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "cli/command_error.h"
#include "cli/options/command_line.h"
#include "cli/spending/send_commands.h"
#include "cli/sync/sync_options.h"
#include "cli/wallet/address_commands.h"
#include "tests/support/temporary_folder.h"

namespace {

/// A fifth of all commands: the others would take most of a run's time.
std::vector<petal::cli::CommandEntry> add_some_commands(CLI::App& root) {
    std::vector<petal::cli::CommandEntry> entries;
    for (const petal::cli::AddCommands add :
         {petal::cli::add_sync_commands, petal::cli::add_address_commands,
          petal::cli::add_send_commands}) {
        for (auto& entry : add(root)) entries.push_back(std::move(entry));
    }
    return entries;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace petal;
    static const test::TemporaryFolder folder;
    static const std::string file = (folder.path() / "config").string();
    static constexpr std::array kCommands{"sync", "receive", "send"};
    if (size == 0) return 0;
    std::ofstream(file, std::ios::binary | std::ios::trunc)
        .write(reinterpret_cast<const char*>(data + 1), static_cast<std::streamsize>(size - 1));
    try {
        const auto parsed = cli::parse_command_line(
            {"--config", file, kCommands.at(data[0] % kCommands.size())}, add_some_commands);
        assert(std::holds_alternative<cli::CommandLine>(parsed));
        assert(std::get<cli::CommandLine>(parsed).global.network);
    } catch (const cli::CommandError& error) {
        const std::string reason = error.what();
        assert(error.status() == cli::ExitStatus::usage);
        assert(!reason.empty() && reason.find('\n') == std::string::npos);
    }
    return 0;
}
