/// The events of a regtest node as JSON and in words.
#pragma once

#include <string>

#include "cli/text/json.h"
#include "regtest/serve/node_events.h"

namespace petal::cli {

/// An object with `event`: `block`, `reorg`, `transaction`, `connection` or `filter`.
Json to_json(const regtest::NodeEvent& event);

/// A line for a terminal, with short hashes.
std::string words_of(const regtest::NodeEvent& event);

}  // namespace petal::cli
