/// Asks the user at the terminal.
#pragma once

#include <cstddef>
#include <string_view>

#include "cli/options/options.h"
#include "cli/terminal/console.h"
#include "cli/text/command_error.h"

namespace petal::cli {

/// Whether a user can answer: standard input and error are terminals, and the output is not JSON.
bool can_ask(const GlobalOptions& global, const Console& console);

/// The error for an encrypted wallet if the password can't be asked for.
/// option   the option that names a file with the password
CommandError password_needed(std::string_view option);

/// The answer that confirm() also takes as `y`, and in either case.
inline constexpr std::string_view kYes = "yes";

/// The width of a question on a terminal, so that the answer fits on the last line.
std::size_t columns_of_question(std::size_t columns);

/// Asks the question, and returns if the answer is `wanted`. For any other answer, and if
/// !can_ask(), throws a CommandError that says that nothing was `done`.
/// question   ends with a blank
void confirm(std::string_view question, std::string_view wanted, std::string_view done,
             const GlobalOptions& global, Console& console);

}  // namespace petal::cli
