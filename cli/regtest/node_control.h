/// Commands that a regtest node takes while it runs.
#pragma once

#include <string>
#include <string_view>

#include "cli/json.h"
#include "net/io/serve/embedded_node.h"

namespace petal::cli {

/// Answers the lines that `regtest-node --control` reads, each with one JSON object: the chain's
/// state after the command, or `{"error":{…}}`, after which it goes on.
class NodeControl {
public:
    /// `node` must outlive it.
    explicit NodeControl(net::EmbeddedNode& node) : node_(node) {}

    Json answer(std::string_view line);

    /// `{"height","tip","mempool","connections"}`.
    Json status();

private:
    Json mine(const std::vector<std::string>& words);
    Json pay(const std::vector<std::string>& words);
    Json reorganise(const std::vector<std::string>& words);

    net::EmbeddedNode& node_;
};

}  // namespace petal::cli
