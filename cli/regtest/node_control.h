/// Commands that a regtest node takes while it runs.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/json.h"
#include "cli/rpc/rpc_node.h"
#include "net/io/serve/embedded_node.h"

namespace petal::cli {

/// Answers the lines that `regtest-node --control` reads, each with one JSON object: the chain's
/// state after the command, `{"result"}` of a method of the JSON-RPC interface, all of which are
/// commands, too, or `{"error":{…}}`, after which it goes on.
class NodeControl {
public:
    /// Node and settings must outlive it. The settings are used on the node's thread alone.
    NodeControl(net::EmbeddedNode& node, rpc::NodeSettings& settings)
        : node_(node), settings_(settings) {}

    Json answer(std::string_view line);
    /// Whether `quit` was among the commands.
    bool wants_to_quit() const { return wants_to_quit_; }

    /// Mines blocks on the tip, with the mempool in the first; to the node's own purse without a
    /// script.
    void mine_blocks(std::uint32_t count, const chain::Bytes& script = {});

    /// `{"height","tip","mempool","connections"}`.
    Json status();

private:
    Json run(const std::vector<std::string>& words);
    Json mine(const std::vector<std::string>& words);
    Json pay(const std::vector<std::string>& words);
    Json submit(const std::vector<std::string>& words);
    Json reorganise(const std::vector<std::string>& words);
    static Json help();
    Json quit();
    Json fault(std::vector<std::string> words);
    Json call_rpc(const std::vector<std::string>& words);
    /// Runs `task` on the node's thread, and returns what it does.
    Json with_node(const std::function<Json(rpc::RpcNode&)>& task);

    net::EmbeddedNode& node_;
    rpc::NodeSettings& settings_;
    bool wants_to_quit_ = false;
};

}  // namespace petal::cli
