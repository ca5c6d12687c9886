#include "net/sync/headers/header_sync.h"

#include <algorithm>
#include <string>
#include <utility>

#include "chain/headers/proof_of_work.h"

namespace petal::net {

using chain::Uint256;
using chain::Unexpected;
using std::chrono::milliseconds;

namespace {

// A node that is loading its block index answers late, or with no headers. Neither means that its
// chain ends.
constexpr milliseconds kAskHeadersAgain{2'000};
// A chain with too little work grows slowly, and each request downloads it from the fork point.
constexpr milliseconds kAskLesserBranchAgain{10'000};
// The maximum number of headers that announce new blocks (Bitcoin Core: MAX_BLOCKS_TO_ANNOUNCE).
constexpr std::size_t kMaxAnnouncedHeaders = 8;
// The number of full messages whose headers a peer may add without moving the tip: more than an
// honest reorganisation has. On test networks headers are cheap to mine, and each takes disk space.
constexpr std::size_t kMaxMessagesBeside = 2;
// A peer with another genesis block answers each request with unconnected headers. On the same
// chain, an announcement that crosses a request does so once.
constexpr std::size_t kMaxUnconnected = 3;

bool is_chained(const std::vector<chain::HashedHeader>& headers) {
    for (std::size_t i = 1; i < headers.size(); ++i) {
        if (headers[i].header().previous != headers[i - 1].hash()) return false;
    }
    return true;
}

Uint256 work_of(const chain::BlockHeader& header, const chain::NetworkParams& network) {
    const auto target = chain::decode_target(header.bits, network.pow_limit);
    return target ? chain::work_of_target(*target) : Uint256(0);
}

Violation without_start(const chain::HeaderChain& chain) {
    return {DisconnectReason::low_work, "it does not have block " +
                                            std::to_string(chain.root().height) +
                                            ", where the headers start"};
}

Violation without_known_block() {
    return {DisconnectReason::other_chain, "its headers follow none of the blocks that are known"};
}

Violation too_many_unrequested() {
    return {DisconnectReason::unrequested, "headers that lead nowhere"};
}

Violation broke_rule(std::string_view rule) {
    return {DisconnectReason::invalid_header, std::string(rule)};
}

/// The violation by a header that the chain refuses. Bit 31 of the version marks the headers of
/// some forks (see Headers). If this network's rules forbid the version, the peer follows such a
/// fork.
Violation fault_of(const chain::BlockHeader& header, std::uint32_t height, chain::HeaderError error,
                   const chain::NetworkParams& network) {
    if (header.version >= 0 || !chain::is_obsolete(network, height, header.version)) {
        return broke_rule(describe(error));
    }
    return {DisconnectReason::other_chain,
            "it follows a fork: its block " + std::to_string(height) + " has a negative version"};
}

}  // namespace

std::vector<Message> HeaderSync::request(const chain::HeaderChain& chain, std::uint64_t nonce,
                                         Now now) {
    open_ = OpenRequest{now.steady, nonce};
    ask_again_at_.reset();
    at_end_ = false;
    claim_.raise_stored(chain.tip().height);
    if (unstored_.is_followed()) return {GetHeaders{unstored_.locator(chain), {}}, Ping{nonce}};
    return {GetHeaders{locator(chain), {}}, Ping{nonce}};
}

// The locator of the best chain, with the end of the last full answer. If that end is on another
// branch, it comes first. Otherwise the peer would start at the fork point each time. If that end
// is on the best chain, it comes after the blocks above it. Otherwise the peer would send headers
// again that other peers have sent meanwhile.
std::vector<chain::BlockHash> HeaderSync::locator(const chain::HeaderChain& chain) const {
    std::vector<chain::BlockHash> hashes = chain.locator();
    if (!full_answers_.last_end) return hashes;
    const chain::BlockHash& end = *full_answers_.last_end;
    auto place = hashes.begin();
    if (chain.is_on_best_chain(end)) {
        const auto is_above = [&](const auto& hash) {
            return chain.height_of(hash) > chain.height_of(end);
        };
        place = std::ranges::find_if_not(hashes, is_above);
    }
    if (place == hashes.end() || *place != end) hashes.insert(place, end);
    return hashes;
}

chain::Expected<HeaderSync::Progress, Violation> HeaderSync::on_headers(const Headers& message,
                                                                        chain::HeaderChain& chain,
                                                                        Now now) {
    last_answer_.has_come = true;
    const Hashed headers(message.headers.begin(), message.headers.end());
    if (!is_chained(headers))
        return Unexpected(broke_rule("headers that do not follow each other"));
    auto progress = on_answer(headers, chain, now);
    if (progress && progress->result.added == 0) {
        progress->result.move = {chain.tip(), chain.tip(), chain.tip()};
    }
    return progress;
}

HeaderSync::Result HeaderSync::on_answer(const Hashed& headers, chain::HeaderChain& chain,
                                         Now now) {
    if (headers.empty()) return finish({}, headers, chain, now);
    const chain::BlockHash& parent = headers.front().header().previous;
    if (unstored_.continues_after(parent)) return on_unstored(headers, chain, now);
    if (unstored_.is_followed() || !chain.height_of(parent)) {
        return on_unconnected(headers, chain, now);
    }
    if (is_worthy(headers, chain)) return store(headers, chain, now);

    const bool full = options_.limits.is_full(headers.size());
    if (!full || !open_) {
        is_on_lesser_branch_ = true;
        return finish({}, headers, chain, now);
    }
    const chain::Anchor start{*chain.height_of(parent), *chain.find(parent),
                              *chain.chainwork_at(parent)};
    unstored_.follow(chain.network(),
                     {start, required_work(chain), now.unix_seconds, options_.salt});
    return on_unstored(headers, chain, now);
}

HeaderSync::Result HeaderSync::on_unconnected(const Hashed& headers,
                                              const chain::HeaderChain& chain, Now now) {
    const chain::BlockHash& parent = headers.front().header().previous;
    const bool has_parent = chain.height_of(parent).has_value();
    if (!has_parent && parent == chain.network().genesis.hash()) {
        return Unexpected(without_start(chain));
    }
    if (!allows_unrequested(headers, now)) return Unexpected(too_many_unrequested());
    Progress progress;
    if (headers.size() > kMaxAnnouncedHeaders) {
        if (!has_parent && open_) return Unexpected(without_known_block());
        if (!has_parent) return Unexpected(broke_rule("headers that follow none that we know"));
        // The peer reorganised away from the followed branch. The new branch is downloaded.
        progress.ask_on = unstored_.drop_reorganised();
        if (!progress.ask_on) is_on_lesser_branch_ = true;
        end_of_answer(chain, now);
        return progress;
    }
    if (unhelpful_.unconnected >= kMaxUnconnected) return Unexpected(without_known_block());
    if (open_ && !has_parent) open_->shows_unconnected = true;
    progress.ask_on = on_block_announced(headers.back().hash(), chain);
    return progress;
}

HeaderSync::Result HeaderSync::on_unstored(const Hashed& headers, chain::HeaderChain& chain,
                                           Now now) {
    const auto step = unstored_.take(headers);
    // The median of the last 11 times must rise, so the end of a chain of this length is ahead of
    // the clock.
    if (!step && step.error() == chain::PresyncError::too_long)
        return Unexpected(Violation{DisconnectReason::ahead_of_clock, ""});
    if (!step) return Unexpected(broke_rule(describe(step.error())));
    Progress progress;
    progress.advanced = step->advanced;
    if (progress.advanced) short_since_.reset();
    progress.result = chain.accept(step->worthy, now.unix_seconds);
    const auto& error = progress.result.error;
    if (error && chain::proves_fault(*error)) return Unexpected(broke_rule(describe(*error)));
    if (error == chain::HeaderError::time_too_new) {
        // The last height of the message matters only if the peer does not claim more.
        const chain::BlockHeader& header = step->worthy[progress.result.accepted];
        const std::uint32_t parent = chain.height_of(header.previous).value_or(0);
        last_answer_.record_too_new({header, parent + 1, 0, now}, open_);
    }
    if (!unstored_.is_followed()) return finish(progress, headers, chain, now);
    const bool full = options_.limits.is_full(headers.size());
    progress.ask_on = !error && (full || step->changed_phase);
    if (!progress.ask_on) end_of_answer(chain, now);
    return progress;
}

bool HeaderSync::allows_unrequested(const Hashed& headers, Now now) {
    return unhelpful_.unrequested.spend((headers.size() + 1) * chain::kHeaderBytes, now.steady);
}

HeaderSync::Result HeaderSync::store(const Hashed& headers, chain::HeaderChain& chain, Now now) {
    Progress progress;
    progress.result = chain.accept_hashed(headers, now.unix_seconds);
    const chain::AcceptResult& result = progress.result;
    const std::uint32_t parent = *chain.height_of(headers.front().header().previous);
    if (result.error && chain::proves_fault(*result.error)) {
        const auto height = parent + static_cast<std::uint32_t>(result.accepted) + 1;
        return Unexpected(
            fault_of(headers[result.accepted].header(), height, *result.error, chain.network()));
    }
    if (result.error == chain::HeaderError::time_too_new) {
        const auto height = parent + static_cast<std::uint32_t>(result.accepted) + 1;
        const auto last_height = parent + static_cast<std::uint32_t>(headers.size());
        last_answer_.record_too_new({headers[result.accepted].header(), height, last_height, now},
                                    open_);
    }
    progress.advanced = result.added > 0;
    if (result.move.new_tip != result.move.old_tip) {
        unhelpful_.added_beside = 0;
    } else if ((unhelpful_.added_beside += result.added) >
               kMaxMessagesBeside * options_.limits.per_message) {
        return Unexpected(
            Violation{DisconnectReason::unrequested, "too many headers beside the best chain"});
    }
    return finish(progress, headers, chain, now);
}

// Updates the open request after the headers of a message were stored or presynced.
HeaderSync::Result HeaderSync::finish(Progress progress, const Hashed& headers,
                                      chain::HeaderChain& chain, Now now) {
    if (progress.result.added > 0)
        short_since_.reset();  // the peer is still loading, and sends the headers that it has
    if (!headers.empty()) unhelpful_.unconnected = 0;
    if (!headers.empty()) record_shown(headers.back().hash(), chain);
    const bool requested = open_.has_value();
    const bool is_news = requested || progress.advanced;
    if (!is_news && !allows_unrequested(headers, now)) return Unexpected(too_many_unrequested());
    const bool full = options_.limits.is_full(headers.size()) && !progress.result.error;
    if (full && is_news) {
        const chain::BlockHash& end = headers.back().hash();
        const std::uint32_t height = chain.height_of(end).value_or(0);
        if (progress.result.added == 0 && height <= full_answers_.highest_end) {
            return Unexpected(Violation{DisconnectReason::incomplete, "repeats the same headers"});
        }
        full_answers_.highest_end = height;
        full_answers_.last_end = end;
        progress.ask_on = true;
    } else if (requested) {
        end_of_answer(chain, now);
        progress.ask_on = announced_is_missing(chain);
    }
    return progress;
}

// Whether the branch that ends with these headers may be stored, by claimed work. The chain
// verifies the work.
bool HeaderSync::is_worthy(const Hashed& headers, const chain::HeaderChain& chain) const {
    if (chain.height_of(headers.back().hash())) return true;
    Uint256 work = *chain.chainwork_at(headers.front().header().previous);
    for (const auto& hashed : headers) work += work_of(hashed.header(), chain.network());
    return work >= required_work(chain);
}

Uint256 HeaderSync::required_work(const chain::HeaderChain& chain) const {
    // Computed from the blocks: on test networks, only the tip may have the minimum difficulty.
    const std::uint32_t root = chain.root().height;
    const std::uint32_t tip = chain.tip().height;
    const std::uint32_t deep =
        tip - root > options_.limits.worthy_depth ? tip - options_.limits.worthy_depth : root;
    const Uint256 work_at_depth = *chain.chainwork_at(chain.hash_at(deep));
    return std::max(work_at_depth, options_.threshold.of(chain.network()));
}

// If the peer has a block of the best chain, its claimed height is at least the height of that
// block. It has also left the branch of an early header at or below that height.
void HeaderSync::record_shown(const chain::BlockHash& hash, const chain::HeaderChain& chain) {
    const auto height = chain.height_of(hash);
    if (!height) return;
    is_on_lesser_branch_ = false;
    claim_.raise_stored(*height);
    if (!chain.is_on_best_chain(hash)) return;
    claim_.height = std::max<std::int64_t>(claim_.height, *height);
    if (too_new() && *height >= too_new()->height) last_answer_.too_new.reset();
}

// A peer a few blocks behind is normal. A peer that lacks more than a day of the best chain is not
// synced, or withholds headers.
bool HeaderSync::is_far_below(const chain::HeaderChain& chain) const {
    return claim_.height + options_.limits.worthy_depth <
           static_cast<std::int64_t>(chain.tip().height);
}

Violation HeaderSync::shortfall(const chain::HeaderChain& chain) const {
    if (claim_.height < static_cast<std::int64_t>(chain.root().height)) {
        return without_start(chain);
    }
    if (too_new()) return {DisconnectReason::ahead_of_clock, ""};
    const bool has_required_work = options_.threshold.is_reached_by(chain);
    if (is_on_lesser_branch_ && has_required_work) {
        return {DisconnectReason::lesser_branch,
                "its chain forks off the stored one and has less work"};
    }
    const bool has_less = last_answer_.has_come && !has_required_work;
    if (!has_less && !is_on_lesser_branch_ && !is_far_below(chain)) {
        return {DisconnectReason::incomplete, "fewer headers than it claims"};
    }
    const chain::Uint256 minimum = options_.threshold.minimum_of(chain.network());
    if (chain.chainwork() >= minimum) {
        return {DisconnectReason::low_work, "less than the chain that is stored here"};
    }
    const bool is_networks = minimum == chain.network().minimum_chainwork;
    return {DisconnectReason::low_work,
            "less than the minimum " +
                (is_networks ? "of " + chain.network().name : std::string("that is asked for"))};
}

// Of several headers, the one that becomes valid first is kept. A later request shows the rest.
void HeaderSync::LastAnswer::record_too_new(const TooNewHeader& header,
                                            std::optional<OpenRequest>& open) {
    const bool is_first = !too_new || (open && !open->shows_too_new);
    if (is_first || header.counts_from < too_new->counts_from) too_new = header;
    if (open) open->shows_too_new = true;
}

void HeaderSync::end_of_answer(const chain::HeaderChain& chain, Now now) {
    if (open_ && !open_->shows_too_new) last_answer_.too_new.reset();
    open_.reset();
    full_answers_ = {};
    // The branch ended before it reached the required work.
    if (unstored_.is_followed()) is_on_lesser_branch_ = true;
    unstored_.drop();
    claim_.raise_stored(chain.tip().height);
    // A peer whose chain ends below the start of the stored headers cannot know the blocks after
    // it.
    const auto early = if_early(too_new());
    const bool has_shown_all =
        claim_.stored >= claim_.height || (early && early->shown_height >= claim_.height);
    at_end_ = claim_.height >= static_cast<std::int64_t>(chain.root().height) && has_shown_all &&
              options_.threshold.is_reached_by(chain) && !is_on_lesser_branch_ &&
              !is_far_below(chain);
    if (at_end_) {
        short_since_.reset();
        ask_again_at_.reset();
        return;
    }
    if (!short_since_) short_since_ = now.steady;
    ask_again_at_ = now.steady + (is_on_lesser_branch_ ? kAskLesserBranchAgain : kAskHeadersAgain);
}

bool HeaderSync::on_pong(const Pong& pong, const chain::HeaderChain& chain, Now now) {
    if (!open_ || pong.nonce != open_->fence) return false;
    if (open_->shows_unconnected) ++unhelpful_.unconnected;
    end_of_answer(chain, now);
    return announced_is_missing(chain);
}

bool HeaderSync::announced_is_missing(const chain::HeaderChain& chain) {
    const auto announced = std::exchange(announced_, std::nullopt);
    return announced && !chain.find(*announced);
}

bool HeaderSync::on_block_announced(const chain::BlockHash& hash, const chain::HeaderChain& chain) {
    if (chain.find(hash)) return record_shown(hash, chain), false;
    if (!open_) return true;
    announced_ = hash;  // the open request may have been answered before the peer had the block
    return false;
}

}  // namespace petal::net
