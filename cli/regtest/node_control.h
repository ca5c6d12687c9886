/// Commands that a regtest node takes while it runs.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/json.h"
#include "regtest/rpc/rpc_node.h"
#include "regtest/serve/embedded_node.h"

namespace petal::cli {

/// Answers the lines that `regtest-node --control` reads, each with one JSON object: the chain's
/// state after the command, `{"result"}` of a method of the JSON-RPC interface, all of which are
/// commands, too, or `{"error":{…}}`, after which it continues.
class NodeControl {
public:
    /// Node and settings must outlive it. The settings are used only on the node's thread.
    NodeControl(regtest::EmbeddedNode& node, regtest::rpc::NodeSettings& settings)
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
    /// A command and its arguments.
    using Words = std::vector<std::string>;
    /// A command that is no method of the JSON-RPC interface.
    struct OwnCommand;

    static std::span<const OwnCommand> own_commands();
    static const OwnCommand* find_own(std::string_view name);
    static std::string list_commands();

    Json run(const Words& words);
    Json mine(const Words& words);
    Json pay(const Words& words);
    Json submit(const Words& words);
    Json reorganise(const Words& words);
    Json fault(const Words& words);
    Json show_status(const Words& words);
    Json help(const Words& words);
    Json quit(const Words& words);
    Json call_rpc(const Words& words);
    /// Runs `task` on the node's thread, and returns its result.
    Json with_node(const std::function<Json(regtest::rpc::RpcNode&)>& task);

    regtest::EmbeddedNode& node_;
    regtest::rpc::NodeSettings& settings_;
    bool wants_to_quit_ = false;
};

}  // namespace petal::cli
