/// Questions to the user at the terminal.
#pragma once

#include <string_view>

#include "cli/command_error.h"
#include "cli/console.h"
#include "cli/options/options.h"

namespace petal::cli {

/// Whether a user is there to answer: standard input and error are terminals, and nothing reads
/// JSON.
bool can_ask(const GlobalOptions& global, const Console& console);

/// The error for an encrypted wallet where the password can't be asked for.
/// option   names a file with it
CommandError password_needed(std::string_view option);

/// The answer that confirm() also takes as `y`, and in either case.
inline constexpr std::string_view kYes = "yes";

/// Puts the question, which ends with a blank, and returns if the answer is `wanted`. Throws
/// CommandError, which says that nothing was `done`, for any other answer and where !can_ask().
void confirm(std::string_view question, std::string_view wanted, std::string_view done,
             const GlobalOptions& global, Console& console);

}  // namespace petal::cli
