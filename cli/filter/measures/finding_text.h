/// The findings of a verdict in sentences.
#pragma once

#include <string>
#include <string_view>

#include "bloom/measures/verdict.h"

namespace petal::cli {

struct FindingText {
    std::string number;      ///< the decisive figure with the unit
    std::string reason;      ///< one sentence
    std::string fix;         ///< one sentence
    std::string if_made_by;  ///< clients: the finding holds only for filters of these
};

FindingText text_of(const bloom::Finding& finding);

/// The information that even the best filter reveals. Belongs under every verdict.
std::string_view standing_warning();

}  // namespace petal::cli
