/// The findings of a verdict in sentences.
#pragma once

#include <string>
#include <string_view>

#include "bloom/measures/verdict.h"

namespace petal::cli {

struct FindingText {
    std::string number;      ///< the decisive figure, with its unit
    std::string reason;      ///< one sentence
    std::string fix;         ///< one sentence
    std::string if_made_by;  ///< names of clients: the finding holds only if one made the filter
};

FindingText text_of(const bloom::Finding& finding);

/// The leak that remains even of the best filter. Belongs under every verdict.
std::string_view standing_warning();

}  // namespace petal::cli
