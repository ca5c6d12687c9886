/// Completion scripts: commands, options, and the words and files that commands and options take.
#pragma once

#include <string>

#include "cli/reference/definition.h"

namespace petal::cli {

// The scripts find the values of an option by the option's name only. So all functions throw
// std::logic_error if two commands have options of the same name with different values.
std::string bash_completion(const CommandDefinition& root);
std::string zsh_completion(const CommandDefinition& root);
std::string fish_completion(const CommandDefinition& root);

}  // namespace petal::cli
