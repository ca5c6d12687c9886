/// Commands that a regtest node takes while it runs.
#pragma once

#include <string>
#include <string_view>

#include "cli/json.h"
#include "net/io/serve/embedded_node.h"
#include "net/regtest/mempool/acceptance.h"

namespace petal::cli {

/// When the blocks are made that the node is told to mine.
enum class BlockClock : std::uint8_t {
    machine,  ///< now
    chain,    ///< ten minutes after the block before, so that the same commands make the same chain
};

/// Answers the lines that `regtest-node --control` reads, each with one JSON object: the chain's
/// state after the command, or `{"error":{…}}`, after which it goes on.
class NodeControl {
public:
    /// `node` must outlive it.
    /// policy   what `submit` takes
    explicit NodeControl(net::EmbeddedNode& node, BlockClock clock = BlockClock::chain,
                         net::MempoolPolicy policy = {})
        : node_(node), clock_(clock), policy_(policy) {}

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
    Json quit();
    void set_time(net::RegtestChain& chain) const;

    net::EmbeddedNode& node_;
    BlockClock clock_;
    net::MempoolPolicy policy_;
    bool wants_to_quit_ = false;
};

}  // namespace petal::cli
