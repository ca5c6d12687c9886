/// Sends headers to a peer: requested headers, and the headers of new blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "chain/hash.h"
#include "net/wire/messages.h"
#include "regtest/chain/regtest_chain.h"

namespace petal::regtest {

/// Answers getheaders and getblocks, and announces new tips, as Bitcoin Core does
/// (net_processing.cpp: GETHEADERS, GETBLOCKS, UpdatedBlockTip, SendMessages). The chain must
/// outlive the announcer.
class BlockAnnouncer {
public:
    /// The maximum number of blocks in an answer to getblocks.
    static constexpr std::size_t kMaxBlocksPerAnswer = 500;

    /// Announces blocks after the current tip of the chain.
    /// forks_after           see NodeBehaviour
    /// headers_per_message   see NodeLimits
    explicit BlockAnnouncer(const RegtestChain& chain,
                            std::optional<std::uint32_t> forks_after = std::nullopt,
                            std::size_t headers_per_message = net::kMaxHeadersPerMessage);

    /// The peer sent sendheaders: announce blocks by headers, not by inv.
    void prefer_headers() { prefers_headers_ = true; }

    /// The answer. Empty if Bitcoin Core would not answer.
    std::optional<net::Headers> answer(const net::GetHeaders& request);

    /// The active chain's blocks from the locator to the stop block (excluded), at most
    /// kMaxBlocksPerAnswer. Without entries if there are none.
    net::Inv answer(const net::GetBlocks& request) const;

    /// The peer sent this block, which is not announced back.
    void set_block_of_peer(const chain::BlockHash& hash) { block_of_peer_ = hash; }

    /// The announcement of new blocks since the last call, if any: up to eight headers if the peer
    /// wants headers and is assumed to know their parent, otherwise an inv of the tip.
    std::optional<net::Message> announce();

private:
    std::uint32_t first_height_behind(const std::vector<chain::BlockHash>& locator) const;
    std::vector<chain::BlockHash> new_blocks() const;
    bool is_active(const chain::BlockHash& hash) const;
    bool peer_has(const chain::BlockHash& hash) const;
    std::optional<net::Headers> headers_of(const std::vector<chain::BlockHash>& blocks) const;
    net::Headers in_formats_of_fork(net::Headers message) const;

    const RegtestChain& chain_;
    std::optional<std::uint32_t> forks_after_;
    std::size_t headers_per_message_;
    bool prefers_headers_ = false;
    chain::BlockHash announced_tip_;
    /// The newest block whose header was sent to the peer. The peer is assumed to know its
    /// ancestors, too.
    std::optional<chain::BlockHash> best_sent_;
    std::optional<chain::BlockHash> block_of_peer_;
};

}  // namespace petal::regtest
