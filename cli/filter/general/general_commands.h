/// `filter create` and `filter add`: filters that are files, for any data.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "bloom/sizing.h"
#include "cli/options/options.h"
#include "cli/terminal/console.h"

namespace petal::cli {

struct FilterCreateOptions {
    std::filesystem::path file;
    std::uint64_t expected = 0;  ///< insertions
    double false_positive_rate = bloom::kGeneralRate;
};

struct FilterAddOptions {
    std::filesystem::path file;
    std::vector<std::string> elements;
    bool from_stdin = false;
    bool as_texts = false;
};

/// Makes a new file with an empty filter: a BIP37 filter, or a large filter beyond BIP37's limits.
void run_filter_create(const FilterCreateOptions& options, const GlobalOptions& global,
                       Console& console);

/// Adds to the filter in the file. A line that is no element ends the command. A BIP37 filter then
/// stays unchanged. A large filter keeps the elements before the line. Adding an element twice is
/// harmless, so the user can run the command again.
void run_filter_add(const FilterAddOptions& options, const GlobalOptions& global, Console& console);

}  // namespace petal::cli
