#include "regtest/chain/branch_choice.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "regtest/chain/block_check.h"

namespace petal::regtest {
namespace {

/// The maximum number of invalidated blocks whose transactions return to the mempool (Bitcoin Core:
/// InvalidateBlock).
constexpr std::uint32_t kMaxReturnedBlocks = 10;

constexpr std::string_view kNoParent = "prev-blk-not-found";

}  // namespace

bool BlockVerdict::is_misbehaviour() const {
    return outcome == BlockOutcome::refused && reason != kTimeTooNew && reason != kNoParent;
}

BlockVerdict BranchChoice::offer(chain::Block block, std::optional<std::int64_t> now,
                                 TipChange& change) {
    const chain::BlockHash hash = block.header.hash();
    if (blocks_.is_wrong(hash)) return {BlockOutcome::refused, "duplicate-invalid"};
    if (const auto* const known = blocks_.find(hash)) {
        if (blocks_.is_invalid(*known)) return {BlockOutcome::refused, "duplicate-invalid"};
        return {BlockOutcome::known};
    }
    auto checked = check_block(std::move(block));
    if (!checked) return {BlockOutcome::refused, checked.error()};
    if (blocks_.is_wrong(checked->header.previous)) return {BlockOutcome::refused, "bad-prevblk"};
    const auto* const parent = blocks_.find(checked->header.previous);
    if (parent == nullptr) return {BlockOutcome::refused, std::string(kNoParent)};
    if (blocks_.is_invalid(*parent)) return {BlockOutcome::refused, "bad-prevblk"};
    const BlockPlace place{parent->height + 1, Chainstate::median_time_past(*parent), now};
    if (auto fault = find_place_fault(*checked, place)) {
        return {BlockOutcome::refused, *std::move(fault)};
    }
    const auto& entry = blocks_.store(*checked, *parent);
    if (entry.height <= blocks_.tip().height) return {BlockOutcome::aside};
    auto fault = follow(entry, change);
    if (blocks_.is_wrong(hash)) return {BlockOutcome::refused, std::move(fault->reason)};
    return {BlockOutcome::active};
}

std::optional<TipChange> BranchChoice::invalidate(const Chainstate::Entry& entry) {
    if (entry.is_marked) return std::nullopt;
    TipChange change;
    blocks_.mark_invalid(entry);
    if (!blocks_.is_active(entry)) return change;
    const std::uint32_t left = blocks_.tip().height - entry.height + 1;
    leave(std::min(left, kMaxReturnedBlocks), change);
    if (left > kMaxReturnedBlocks) blocks_.disconnect_down_to(entry.height - 1);
    follow(blocks_.best_tip(), change);
    return change;
}

std::optional<TipChange> BranchChoice::reconsider(const Chainstate::Entry& entry) {
    if (!blocks_.unmark(entry)) return std::nullopt;
    TipChange change;
    const auto& best = blocks_.best_tip();
    // Of equal branches, the one that arrived first is better.
    if (&best != &blocks_.tip()) follow(best, change);
    return change;
}

std::optional<TipChange> BranchChoice::prefer(const Chainstate::Entry& entry) {
    if (entry.height < blocks_.tip().height || blocks_.is_invalid(entry)) return std::nullopt;
    blocks_.prefer(entry);
    if (blocks_.is_active(entry)) return std::nullopt;
    TipChange change;
    follow(entry, change);
    return change;
}

/// Removes this many blocks from the active chain.
void BranchChoice::leave(std::uint32_t blocks, TipChange& change) {
    auto returned = blocks_.disconnect_down_to(blocks_.tip().height - blocks);
    // Blocks removed earlier were above these blocks, and may spend their outputs.
    std::ranges::move(change.returned, std::back_inserter(returned));
    change.returned = std::move(returned);
    change.left_blocks = true;
}

/// If a block of the branch is invalid, follows the best branch without it.
std::optional<BranchChoice::Fault> BranchChoice::follow(const Chainstate::Entry& tip,
                                                        TipChange& change) {
    std::optional<Fault> first;
    const Chainstate::Entry* target = &tip;
    for (;;) {
        auto fault = switch_to(*target, change);
        if (!fault) return first;
        blocks_.forget_wrong(*fault->entry);
        if (!first) first = std::move(fault);
        target = &blocks_.best_tip();
    }
}

/// Returns the first block on the way with invalid contents. The tip is then below that block.
std::optional<BranchChoice::Fault> BranchChoice::switch_to(const Chainstate::Entry& tip,
                                                           TipChange& change) {
    const auto& fork = blocks_.fork_point(tip);
    std::vector<const Chainstate::Entry*> branch;
    for (const auto* at = &tip; at != &fork; at = at->parent) branch.push_back(at);
    if (&fork != &blocks_.tip()) leave(blocks_.tip().height - fork.height, change);
    for (auto at = branch.rbegin(); at != branch.rend(); ++at) {
        const Chainstate::Entry& entry = **at;
        if (!entry.was_connected) {
            const TransactionLayer layer{blocks_.coins(), blocks_.times()};
            if (auto reason = find_contents_fault(entry.block(), entry.height, layer)) {
                return Fault{&entry, *std::move(reason)};
            }
        }
        blocks_.connect(entry);
        ++change.connected;
    }
    return std::nullopt;
}

}  // namespace petal::regtest
