// Config files: for any content, the command line is either parsed or refused with an explanation
// in one line.
#include <cassert>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <variant>
#include <vector>

#include "cli/commands.h"
#include "cli/options/command_line.h"
#include "cli/options/config_file.h"
#include "cli/sync/sync_options.h"
#include "cli/text/command_error.h"
#include "tests/support/temporary_folder.h"

namespace {

using namespace petal;

/// Parses a whole command line, with the global options. Building the options takes most of the
/// time, even for one command.
void parse_whole_line(const std::string& file) {
    const auto parsed = cli::parse_command_line({"--config", file, "sync"}, cli::add_sync_commands);
    assert(std::holds_alternative<cli::CommandLine>(parsed));
    assert(std::get<cli::CommandLine>(parsed).global.network);
}

/// Applies the file to one of all commands, which are built only once.
void apply_to_command(std::size_t number, const std::string& file) {
    static CLI::App root;
    static const std::vector<cli::CommandEntry> commands = cli::add_all_commands(root);
    root.clear();
    const CLI::App* const command = commands[number % commands.size()].app;
    std::vector<std::string> words;  // in reverse, as CLI11 expects them
    for (const CLI::App* app = command; app != &root; app = app->get_parent()) {
        words.push_back(app->get_name());
    }
    try {
        root.parse(words);
    } catch (const CLI::ParseError&) {
        // Some commands lack their arguments; they count as called nevertheless.
    }
    assert(command->parsed());
    cli::apply_config_file(root, cli::open_config_file(file));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const test::TemporaryFolder folder;
    static const std::string file = (folder.path() / "config").string();
    constexpr std::uint8_t kWholeLines = 8;
    if (size == 0) return 0;
    std::ofstream(file, std::ios::binary | std::ios::trunc)
        .write(reinterpret_cast<const char*>(data + 1), static_cast<std::streamsize>(size - 1));
    try {
        if (data[0] < kWholeLines) {
            parse_whole_line(file);
        } else {
            apply_to_command(data[0] - kWholeLines, file);
        }
    } catch (const cli::CommandError& error) {
        const std::string reason = error.what();
        assert(error.status() == cli::ExitStatus::usage);
        assert(!reason.empty() && reason.find('\n') == std::string::npos);
    }
    return 0;
}
