/// Completion scripts: commands, options, and the words and files that these take.
#pragma once

#include <string>

#include "cli/reference/definition.h"

namespace petal::cli {

// The scripts find an option's values by its name only: all functions throw std::logic_error if two
// commands have options of one name with different values.
std::string bash_completion(const CommandDefinition& root);
std::string zsh_completion(const CommandDefinition& root);
std::string fish_completion(const CommandDefinition& root);

}  // namespace petal::cli
