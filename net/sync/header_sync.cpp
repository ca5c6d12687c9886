#include "net/sync/header_sync.h"

#include <algorithm>

namespace petal::net {

using chain::Unexpected;
using std::chrono::milliseconds;

namespace {

// A node that is still loading answers later, or with nothing; neither says that its chain ends.
constexpr milliseconds kAskAgain{2'000};
// New blocks are announced by so many headers at most (Bitcoin Core: MAX_BLOCKS_TO_ANNOUNCE).
constexpr std::size_t kMaxAnnouncedHeaders = 8;

}  // namespace

Message HeaderSync::request(const chain::HeaderChain& chain, Now now) {
    waiting_since_ = now.steady;
    ask_again_at_.reset();
    at_end_ = false;
    return GetHeaders{chain.locator(), {}};
}

// On a branch that is not the best one yet the best chain's locator would lead back to the fork for ever.
Message HeaderSync::request_after(const chain::BlockHash& last, const chain::HeaderChain& chain,
                                  Now now) {
    waiting_since_ = now.steady;
    GetHeaders message{chain.locator(), {}};
    if (message.locator.empty() || message.locator.front() != last) {
        message.locator.insert(message.locator.begin(), last);
    }
    return message;
}

chain::Expected<HeaderSync::Progress, Violation> HeaderSync::on_headers(const Headers& message,
                                                                        chain::HeaderChain& chain,
                                                                        Now now) {
    const bool requested = waiting_since_.has_value();
    Progress progress;
    progress.result = chain.accept(message.headers, now.unix_seconds);
    const auto& error = progress.result.error;
    if (error && chain::proves_fault(*error)) {
        return Unexpected(Violation{DisconnectReason::invalid_header, std::string(describe(*error))});
    }
    if (error == chain::HeaderError::unknown_parent) {
        return on_unconnected(message, chain, now);
    }
    const bool full = message.headers.size() == kMaxHeadersPerMessage && !error;
    if (full) {
        const chain::BlockHash end = message.headers.back().hash();
        if (end == last_answer_end_) {
            return Unexpected(
                Violation{DisconnectReason::incomplete, "repeats the same headers"});
        }
        last_answer_end_ = end;
        progress.next_request = request_after(end, chain, now);
        return progress;
    }
    if (!requested) return progress;
    end_of_answer(chain, now);
    if (announced_ && chain.find(*announced_) == nullptr) progress.next_request = request(chain, now);
    announced_.reset();
    return progress;
}

chain::Expected<HeaderSync::Progress, Violation> HeaderSync::on_unconnected(
    const Headers& message, const chain::HeaderChain& chain, Now now) {
    if (message.headers.size() > kMaxAnnouncedHeaders) {
        return Unexpected(Violation{DisconnectReason::invalid_header,
                                    "headers that follow none that we know"});
    }
    Progress progress;
    progress.next_request = on_block_announced(message.headers.back().hash(), chain, now);
    progress.result.move = {chain.tip(), chain.tip(), chain.tip()};
    return progress;
}

void HeaderSync::end_of_answer(const chain::HeaderChain& chain, Now now) {
    waiting_since_.reset();
    at_end_ = static_cast<std::int64_t>(chain.tip().height) >= claimed_height_;
    if (at_end_) {
        short_since_.reset();
        ask_again_at_.reset();
        return;
    }
    if (!short_since_) short_since_ = now.steady;
    ask_again_at_ = now.steady + kAskAgain;
}

std::optional<Message> HeaderSync::on_block_announced(const chain::BlockHash& hash,
                                                      const chain::HeaderChain& chain, Now now) {
    if (chain.find(hash) != nullptr) return std::nullopt;
    if (!waiting_since_) return request(chain, now);
    announced_ = hash;  // the open answer may have been given before the block was there
    return std::nullopt;
}

}  // namespace petal::net
