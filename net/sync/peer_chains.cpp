#include "net/sync/peer_chains.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace petal::net {

using chain::Unexpected;
using std::chrono::milliseconds;

namespace {

// A node that reorganises its chain announces the new one block by block, and may not have
// finished.
constexpr milliseconds kReorganisationPatience{10'000};
// Two branches with the same work rarely grow to this number of blocks side by side.
constexpr std::uint32_t kLongestRace = 6;
// A peer that shows withheld blocks again, and does not send them either, takes ten seconds or
// more of the sync. Connections cost nothing, so there is a limit.
constexpr std::size_t kMostReadmissions = 20;

}  // namespace

// Otherwise an honest branch whose peers had left would stay excluded until its next block.
void PeerChains::readmit(SyncPeer& peer, const chain::BlockHash& hash) {
    const bool is_withheld = sync_.chain.exclusion_of(hash) == chain::Exclusion::withheld;
    if (!is_withheld || readmissions_ == kMostReadmissions) return;
    if (!std::exchange(peer.chain.may_readmit, false)) return;
    ++readmissions_;
    sync_.chain.readmit(hash);
}

void PeerChains::on_shown(SyncPeer& peer, const chain::BlockHash& hash) {
    readmit(peer, hash);
    const auto fork = sync_.chain.fork_point(hash);
    // Computed with the present best chain: these headers may just have moved it off the other
    // block.
    const auto before = peer.chain.shown ? sync_.chain.fork_point(*peer.chain.shown) : std::nullopt;
    if (!fork || (before && fork->height < before->height)) return;
    peer.chain.shown = hash;
    peer.chain.shown_height = fork->height;
    peer.chain.behind_since.reset();
}

void PeerChains::on_reorganised() {
    for (auto& [id, peer] : sync_.peers) {
        peer.chain.behind_since.reset();  // other blocks are needed now
        if (!peer.chain.shown) continue;
        peer.chain.shown_height = sync_.chain.fork_point(*peer.chain.shown)->height;
    }
}

void PeerChains::on_end() {
    if (sync_.options.is_endless()) return;
    for (auto& [id, other] : sync_.peers) {
        other.chain.on_other_since.reset();
        other.chain.stays_on_other = false;
    }
}

std::uint32_t PeerChains::last_block_of(const SyncPeer& peer) const {
    const bool is_elsewhere =
        peer.chain.is_on_branch(sync_.chain) || peer.headers->sync.is_on_lesser_branch();
    return is_elsewhere ? peer.chain.shown_height : peer.chain.last_block(sync_.chain.tip().height);
}

bool PeerChains::is_on_other(const SyncPeer& peer) const {
    if (peer.chain.shown && sync_.chain.exclusion_of(*peer.chain.shown)) return true;
    const std::uint32_t tip = sync_.chain.tip().height;
    const std::uint32_t fork = peer.chain.shown_height;
    // First, as it needs no look-up: this is asked after each message.
    if (tip <= fork + 1 || !peer.chain.is_on_branch(sync_.chain)) return false;
    return tip - fork > kLongestRace ||
           sync_.chain.chainwork_at(*peer.chain.shown) < sync_.chain.chainwork();
}

bool PeerChains::any_on_best() const {
    return std::ranges::any_of(sync_.peers, [this](const auto& entry) {
        const SyncPeer& peer = entry.second;
        return peer.is_ready() && peer.headers->sync.at_end() && !is_on_other(peer);
    });
}

void PeerChains::update_switch_times(Now now) {
    for (auto& [id, peer] : sync_.peers) {
        if (!peer.is_ready()) continue;
        PeerChain& chain = peer.chain;
        if (!is_on_other(peer)) {
            chain.on_other_since.reset();
            chain.stays_on_other = false;
        } else if (!chain.on_other_since && peer.headers->sync.at_end()) {
            chain.on_other_since = now.steady;
        }
    }
}

std::optional<milliseconds> PeerChains::judged_at(const SyncPeer& peer) const {
    const auto since = peer.chain.on_other_since;
    if (!since || is_suspended_ || peer.chain.stays_on_other) return std::nullopt;
    if (!peer.headers->sync.at_end()) return std::nullopt;
    return *since + kReorganisationPatience;
}

// A run without an end keeps the peer, because its chain may grow. A run that has a peer on the
// best chain keeps it, too. An attacker can mine a few blocks and show them to petal alone: petal
// must not drop all honest peers because they lack these blocks.
Outcome PeerChains::on_other_for_long(SyncPeer& peer) {
    peer.chain.stays_on_other = true;
    if (sync_.options.is_endless() || any_on_best()) return {};
    const auto exclusion = sync_.chain.exclusion_of(*peer.chain.shown);
    std::string_view why = " and has no more work";
    if (exclusion == chain::Exclusion::invalid) why = " and has an invalid block";
    if (exclusion == chain::Exclusion::withheld) why = " and has a block that no peer sends";
    return Unexpected(Violation{
        exclusion ? DisconnectReason::excluded_branch : DisconnectReason::lighter_chain,
        "its chain forks off the stored one after block " +
            std::to_string(peer.chain.shown_height) + ", ends at block " +
            std::to_string(*sync_.chain.height_of(*peer.chain.shown)) + std::string(why)});
}

}  // namespace petal::net
