#include "net/sync/header_sync.h"

#include <algorithm>
#include <utility>

namespace petal::net {

using chain::Unexpected;
using std::chrono::milliseconds;

namespace {

// A node that is still loading answers later, or with nothing; neither says that its chain ends.
constexpr milliseconds kAskAgain{2'000};
// New blocks are announced by so many headers at most (Bitcoin Core: MAX_BLOCKS_TO_ANNOUNCE).
constexpr std::size_t kMaxAnnouncedHeaders = 8;

bool is_chained(const Headers& message) {
    for (std::size_t i = 1; i < message.headers.size(); ++i) {
        if (message.headers[i].previous != message.headers[i - 1].hash()) return false;
    }
    return true;
}

}  // namespace

std::vector<Message> HeaderSync::request(const chain::HeaderChain& chain, std::uint64_t nonce,
                                         Now now) {
    waiting_since_ = now.steady;
    ask_again_at_.reset();
    at_end_ = false;
    fence_ = nonce;
    GetHeaders message{chain.locator(), {}};
    // On a branch that is not the best one yet, the best chain's locator would lead back to the fork for ever.
    if (last_full_end_ && message.locator.front() != *last_full_end_) {
        message.locator.insert(message.locator.begin(), *last_full_end_);
    }
    return {std::move(message), Ping{nonce}};
}

chain::Expected<HeaderSync::Progress, Violation> HeaderSync::on_headers(const Headers& message,
                                                                        chain::HeaderChain& chain,
                                                                        Now now) {
    const bool requested = waiting_since_.has_value();
    if (!is_chained(message)) {
        return Unexpected(Violation{DisconnectReason::invalid_header,
                                    "headers that do not follow each other"});
    }
    Progress progress;
    progress.result = chain.accept(message.headers, now.unix_seconds);
    const auto& error = progress.result.error;
    if (error && chain::proves_fault(*error)) {
        return Unexpected(Violation{DisconnectReason::invalid_header, std::string(describe(*error))});
    }
    if (error == chain::HeaderError::unknown_parent) {
        return on_unconnected(message, chain);
    }
    if (progress.result.added > 0) short_since_.reset();  // it is still loading, and gives what it has
    const bool full = message.headers.size() == kMaxHeadersPerMessage && !error;
    if (full) {
        const chain::BlockHash end = message.headers.back().hash();
        if (end == last_full_end_) {
            return Unexpected(Violation{DisconnectReason::incomplete, "repeats the same headers"});
        }
        last_full_end_ = end;
        progress.ask_on = true;
        return progress;
    }
    if (!requested) return progress;
    end_of_answer(chain, now);
    progress.ask_on = announced_is_missing(chain);
    return progress;
}

chain::Expected<HeaderSync::Progress, Violation> HeaderSync::on_unconnected(
    const Headers& message, const chain::HeaderChain& chain) {
    if (message.headers.size() > kMaxAnnouncedHeaders) {
        return Unexpected(Violation{DisconnectReason::invalid_header,
                                    "headers that follow none that we know"});
    }
    Progress progress;
    progress.ask_on = on_block_announced(message.headers.back().hash(), chain);
    progress.result.move = {chain.tip(), chain.tip(), chain.tip()};
    return progress;
}

void HeaderSync::end_of_answer(const chain::HeaderChain& chain, Now now) {
    waiting_since_.reset();
    last_full_end_.reset();
    at_end_ = static_cast<std::int64_t>(chain.tip().height) >= claimed_height_;
    if (at_end_) {
        short_since_.reset();
        ask_again_at_.reset();
        return;
    }
    if (!short_since_) short_since_ = now.steady;
    ask_again_at_ = now.steady + kAskAgain;
}

bool HeaderSync::on_pong(const Pong& pong, const chain::HeaderChain& chain, Now now) {
    if (!waiting_since_ || pong.nonce != fence_) return false;
    end_of_answer(chain, now);
    return announced_is_missing(chain);
}

bool HeaderSync::announced_is_missing(const chain::HeaderChain& chain) {
    const auto announced = std::exchange(announced_, std::nullopt);
    return announced && !chain.find(*announced);
}

bool HeaderSync::on_block_announced(const chain::BlockHash& hash, const chain::HeaderChain& chain) {
    if (chain.find(hash)) return false;
    if (!waiting_since_) return true;
    announced_ = hash;  // the open answer may have been given before the block was there
    return false;
}

}  // namespace petal::net
