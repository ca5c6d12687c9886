/// Completion scripts: commands, options, and the words and files that these take.
#pragma once

#include <string>

#include "cli/reference/definition.h"

namespace petal::cli {

// The scripts know an option's values by its name alone: all throw std::logic_error if two commands
// have options of one name that take different values.
std::string bash_completion(const CommandDefinition& root);
std::string zsh_completion(const CommandDefinition& root);
std::string fish_completion(const CommandDefinition& root);

}  // namespace petal::cli
