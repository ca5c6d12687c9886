/// The source of matches, in words.
#pragma once

#include <optional>
#include <string>

#include "cli/text/json.h"
#include "client/sync/source_choice.h"

namespace petal::cli {

/// The word of --source.
std::string word_of(net::MatchSourceKind source);

/// The source, why it is used, and what the nodes learn.
std::string source_text(const client::SourceChoice& choice);

/// `source` and `source_reason`, each null without a choice.
Json source_json(const std::optional<client::SourceChoice>& choice);

}  // namespace petal::cli
