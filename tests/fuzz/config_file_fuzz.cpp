// Config files: whatever is in one, the command line is understood, or refused with one line that
// says why.
#include <array>
#include <cassert>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <variant>

#include "cli/command_error.h"
#include "cli/commands.h"
#include "cli/options/command_line.h"
#include "tests/support/temporary_folder.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace petal;
    static const test::TemporaryFolder folder;
    static const std::string file = (folder.path() / "config").string();
    static constexpr std::array kCommands{"sync", "receive", "send", "balance"};
    if (size == 0) return 0;
    std::ofstream(file, std::ios::binary | std::ios::trunc)
        .write(reinterpret_cast<const char*>(data + 1), static_cast<std::streamsize>(size - 1));
    try {
        const auto parsed = cli::parse_command_line(
            {"--config", file, kCommands.at(data[0] % kCommands.size())}, cli::add_commands);
        assert(std::holds_alternative<cli::CommandLine>(parsed));
        assert(std::get<cli::CommandLine>(parsed).global.network);
    } catch (const cli::CommandError& error) {
        const std::string reason = error.what();
        assert(error.status() == cli::ExitStatus::usage);
        assert(!reason.empty() && reason.find('\n') == std::string::npos);
    }
    return 0;
}
