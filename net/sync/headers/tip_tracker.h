/// Detects that the tip of the best chain moved.
#pragma once

#include <optional>

#include "chain/block_header.h"
#include "chain/headers/header_chain.h"

namespace petal::net {

/// The tip at the last take_move(). The tip may have moved since, by headers from this engine's
/// peers or from an engine that shares the chain.
class TipTracker {
public:
    /// `chain` must outlive this.
    explicit TipTracker(const chain::HeaderChain& chain) : chain_(chain), tip_(chain.tip()) {}

    /// Whether the tip has not moved since the last take_move().
    bool is_current() const { return chain_.tip() == tip_; }
    /// The combined move of the tip since the last call. Empty if the tip has not moved.
    std::optional<chain::ChainMove> take_move();

private:
    const chain::HeaderChain& chain_;
    chain::BlockRef tip_;
};

}  // namespace petal::net
