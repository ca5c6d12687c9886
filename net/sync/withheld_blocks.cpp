#include "net/sync/withheld_blocks.h"

#include <algorithm>

namespace petal::net {

using std::chrono::milliseconds;

namespace {

// A block that comes within this time is not in doubt. Blocks usually come much faster, and the
// peers are looked at only afterwards.
constexpr milliseconds kUsualWait{1'000};
// How long all peers may lack the block until its branch is excluded. A node announces a block once
// it has it, and a new block reaches other nodes within seconds. It is the time that a node may
// take to announce a reorganisation (PeerChains).
constexpr milliseconds kDenialPatience{10'000};
// Until then, a run without an end waits for its peers to announce the block.
constexpr milliseconds kAnnouncementPatience{5'000};
// Peers that claim the block and do not send it are disconnected one after the other. The branch is
// excluded once this number of them could have taken the time that a peer has for a block.
constexpr int kTimeouts = 2;
// The longest branch that is excluded if no peer is on another one. On testnet4, this number of
// blocks at the lowest difficulty fits the two hours that a block may be ahead of the clock.
constexpr std::uint32_t kLongestExtension = 6;

}  // namespace

std::optional<chain::BlockRef> WithheldBlocks::next_block() const {
    const bool any_ready =
        std::ranges::any_of(sync_.peers, [](const auto& entry) { return entry.second.is_ready(); });
    if (!any_ready) return std::nullopt;
    const chain::BlockRef tip = sync_.chain.tip();
    if (!sync_.scan.is_aligned()) return tip;
    const std::uint32_t height = sync_.scan.lowest_missing();
    if (height > tip.height) return std::nullopt;
    return chain::BlockRef{height, sync_.chain.hash_at(height)};
}

void WithheldBlocks::observe(Now now) {
    const auto block = next_block();
    if (!block) {
        awaited_.reset();
    } else if (!awaited_ || awaited_->block != *block) {
        awaited_ = Awaited{*block, now.steady};
    } else if (has_come(awaited_->since + kUsualWait, now)) {
        judge(now);
    }
    const bool is_in_doubt =
        awaited_ && !awaited_->must_stay && (!awaited_->is_judged || awaited_->is_contested);
    headers_.chains().suspend_judgement(is_in_doubt);
}

bool WithheldBlocks::claims_awaited(const SyncPeer& peer) const {
    return headers_.chains().last_block_of(peer) >= awaited_->block.height;
}

void WithheldBlocks::judge(Now now) {
    bool all_deny = true;
    awaited_->is_contested = false;
    std::uint32_t below = sync_.scan.served_height();
    for (const auto& [id, peer] : sync_.peers) {
        if (!peer.is_ready()) continue;
        if (claims_awaited(peer) || peer.headers->is_awaited()) {
            all_deny = false;
            continue;
        }
        below = std::max(below, peer.chain.shown_height);
        const bool is_on_other =
            peer.headers->sync.at_end() && peer.chain.is_on_branch(sync_.chain);
        awaited_->is_contested = awaited_->is_contested || is_on_other;
    }
    awaited_->is_judged = true;
    awaited_->first = std::min(below + 1, awaited_->block.height);
    awaited_->is_extension =
        all_deny && sync_.chain.tip().height - awaited_->first < kLongestExtension;
    if (!all_deny) awaited_->denied_since.reset();
    if (all_deny && !awaited_->denied_since) awaited_->denied_since = now.steady;
}

bool WithheldBlocks::would_leave_enough_work() const {
    const chain::HeaderChain& chain = sync_.chain;
    if (awaited_->first <= chain.root().height) return false;
    const chain::BlockHash parent = chain.hash_at(awaited_->first - 1);
    return *chain.chainwork_at(parent) >= sync_.options.threshold.of(chain.network());
}

bool WithheldBlocks::can_be_got_elsewhere() const {
    return sync_.shared && sync_.shared->can_get(awaited_->block, headers_);
}

std::optional<milliseconds> WithheldBlocks::judged_at() const {
    if (!awaited_ || awaited_->is_judged) return std::nullopt;
    return awaited_->since + kUsualWait;
}

// If no peer is on another branch and many blocks are missing, the peers are probably syncing: the
// stored headers then say that blocks are missing.
std::optional<milliseconds> WithheldBlocks::excluded_at() const {
    if (!awaited_ || awaited_->must_stay) return std::nullopt;
    if (!awaited_->is_contested && !awaited_->is_extension) return std::nullopt;
    std::optional<milliseconds> denied_for_long;
    if (awaited_->denied_since) denied_for_long = *awaited_->denied_since + kDenialPatience;
    if (!awaited_->is_contested) return denied_for_long;
    const milliseconds timeout = source_.traits().block_timeout;
    return earlier_of(denied_for_long, awaited_->since + kTimeouts * timeout);
}

std::optional<milliseconds> WithheldBlocks::all_asked_at() const {
    if (!excluded_at() || !awaited_->denied_since || !fetcher_.can_look_beyond_claims()) {
        return std::nullopt;
    }
    return *awaited_->denied_since + kAnnouncementPatience;
}

std::optional<milliseconds> WithheldBlocks::wakes_at() const {
    return earlier_of(judged_at(), earlier_of(excluded_at(), all_asked_at()));
}

void WithheldBlocks::on_wake(Now now) {
    observe(now);
    if (has_come(excluded_at(), now)) {
        if (!would_leave_enough_work()) {
            awaited_->must_stay = true;
        } else if (can_be_got_elsewhere()) {
            awaited_ = Awaited{awaited_->block, now.steady};  // looked at again later
        } else {
            return exclude();
        }
    }
    if (has_come(all_asked_at(), now)) fetcher_.look_beyond_claims();
}

void WithheldBlocks::exclude() {
    const chain::BlockRef first{awaited_->first, sync_.chain.hash_at(awaited_->first)};
    for (auto& [id, peer] : sync_.peers) {
        if (peer.is_ready() && claims_awaited(peer)) peer.chain.may_readmit = false;
    }
    sync_.chain.exclude(first.hash, chain::Exclusion::withheld);
    awaited_.reset();
    if (sync_.events.on_withheld_block) sync_.events.on_withheld_block(first);
}

}  // namespace petal::net
