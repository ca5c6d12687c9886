/// Manual pages (man(7)): petal(1), and one for each command with its subcommands.
#pragma once

#include <string>
#include <vector>

#include "cli/reference/definition.h"

namespace petal::cli {

struct ManPage {
    std::string name;  ///< `petal-sync`
    std::string text;  ///< the source, in UTF-8
};

std::vector<ManPage> man_pages(const CommandDefinition& root);

}  // namespace petal::cli
