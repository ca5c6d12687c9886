#include "cli/options/confirmation.h"

#include <unistd.h>

#include <cctype>
#include <iostream>
#include <optional>
#include <string>

#include "cli/terminal/stop_signals.h"
#include "cli/terminal/wrap.h"

namespace petal::cli {

bool can_ask(const GlobalOptions& global, const Console& console) {
    return console.terminals().in && console.terminals().err && !global.json;
}

CommandError password_needed(std::string_view option) {
    return {ExitStatus::wallet, "locked",
            "the wallet is encrypted; " + std::string(option) + " names a file with its password"};
}

namespace {

/// Asks on the terminal, and waits for a line. A signal ends the command as an error, so that locks
/// and files are released.
void ask(std::string_view question, const std::string& nothing, Console& console) {
    const bool is_terminal = console.in().rdbuf() == std::cin.rdbuf();
    if (!is_terminal) {
        console.err() << question << std::flush;
        return;
    }
    const StopSignals signals;  // before the question, because a signal may come at once
    console.err() << question << std::flush;
    if (console.in().rdbuf()->in_avail() > 0) return;
    if (signals.wait(STDIN_FILENO, std::nullopt) != StopSignals::Event::stopped) return;
    console.err() << '\n';
    throw CommandError(ExitStatus::interrupted, "interrupted", "interrupted; " + nothing);
}

/// The answer without the blanks around it.
std::string read_answer(std::istream& in) {
    constexpr const char* kBlanks = " \t\r";
    std::string line;
    std::getline(in, line);
    const std::size_t first = line.find_first_not_of(kBlanks);
    if (first == std::string::npos) return {};
    return line.substr(first, line.find_last_not_of(kBlanks) - first + 1);
}

bool is_yes(std::string answer) {
    for (char& c : answer) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return answer == "y" || answer == "yes";
}

}  // namespace

std::size_t columns_of_question(std::size_t columns) {
    constexpr std::size_t kAnswer = 10;
    constexpr std::size_t kNarrow = 40;
    return columns < kNarrow ? columns : columns - kAnswer;
}

void confirm(std::string_view question, std::string_view wanted, std::string_view done,
             const GlobalOptions& global, Console& console) {
    const std::string nothing = "nothing was " + std::string(done);
    if (!can_ask(global, console)) throw usage_error("--yes is missing: " + nothing);
    // The answer is typed behind the last line.
    const std::size_t last = question.rfind('\n') + 1;
    const std::size_t columns = console.err_columns();
    ask(wrap(question.substr(0, last), columns) +
            wrap(question.substr(last), columns_of_question(columns)),
        nothing, console);
    const std::string answer = read_answer(console.in());
    if (wanted == kYes ? is_yes(answer) : answer == wanted) return;
    throw CommandError(ExitStatus::failed, "not-confirmed",
                       nothing + ": the answer was not '" + std::string(wanted) + "'");
}

}  // namespace petal::cli
