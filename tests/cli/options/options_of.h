#pragma once

#include <stdexcept>

#include "cli/options/command_entry.h"

namespace petal::test {

/// The options that the function of a command is called with. Throws std::runtime_error if the
/// options are of a different command.
template <typename Options>
const Options& options_of(const cli::Action& action) {
    const auto* const call = action.run.target<cli::CommandCall<Options>>();
    if (call == nullptr) throw std::runtime_error("the options are of another command");
    return *call->options;
}

}  // namespace petal::test
