/// Notices that the best chain has moved.
#pragma once

#include <optional>

#include "chain/block_header.h"
#include "chain/headers/header_chain.h"

namespace petal::net {

/// The tip of the best chain at the last take_move(). The chain may have moved on since: by
/// headers of this engine's peers, or by another engine that shares the chain.
class NotedTip {
public:
    /// `chain` must outlive this.
    explicit NotedTip(const chain::HeaderChain& chain) : chain_(chain), tip_(chain.tip()) {}

    /// Whether the tip is the same as at the last take_move().
    bool is_current() const { return chain_.tip() == tip_; }
    /// How the chain has moved since the last call, all moves combined; empty if it has not.
    std::optional<chain::ChainMove> take_move();

private:
    const chain::HeaderChain& chain_;
    chain::BlockRef tip_;
};

}  // namespace petal::net
