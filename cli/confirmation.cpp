#include "cli/confirmation.h"

#include <istream>
#include <ostream>
#include <string>

#include "cli/command_error.h"

namespace petal::cli {

bool can_ask(const GlobalOptions& global, const Console& console) {
    return console.terminals().in && console.terminals().err && !global.json;
}

void confirm(std::string_view question, std::string_view wanted, std::string_view done,
             const GlobalOptions& global, Console& console) {
    const std::string nothing = "nothing was " + std::string(done);
    if (!can_ask(global, console)) throw usage_error("--yes is missing: " + nothing);
    console.err() << question << std::flush;
    std::string answer;
    std::getline(console.in(), answer);
    if (answer == wanted) return;
    throw CommandError(ExitStatus::failed, "not-confirmed", nothing);
}

}  // namespace petal::cli
