// The two downloads of a presync (Bitcoin Core: headerssync.cpp).
#include "chain/headers/header_presync.h"

#include <algorithm>
#include <cassert>

#include "chain/byte_writer.h"
#include "chain/enum_table.h"
#include "chain/headers/header_rules.h"
#include "chain/headers/proof_of_work.h"

namespace petal::chain {

namespace {

// The maximum rate at which a chain can grow under the median-time-past rule.
constexpr std::int64_t kMaxBlocksPerSecond = 6;

std::size_t most_commitments(const PresyncTask& task) {
    const std::int64_t seconds =
        std::max<std::int64_t>(0, task.now + kMaxFutureTime - task.start.header.time);
    return static_cast<std::size_t>(kMaxBlocksPerSecond * seconds) / task.commitment_period + 1;
}

}  // namespace

std::string_view describe(PresyncError error) {
    using enum PresyncError;
    static constexpr auto kTexts = enum_table<PresyncError, std::string_view>({
        {not_connected, "it does not follow the header before"},
        {bad_target, "its target is not one that the network allows"},
        {insufficient_work, "its hash does not meet its target"},
        {wrong_bits, "no block before it allows its difficulty"},
        {too_long, "there can't be so many blocks yet"},
        {another_chain, "it was another one the first time"},
    });
    return kTexts[error];
}

HeaderPresync::HeaderPresync(const NetworkParams& network, const PresyncTask& task)
    : network_(network), task_(task), max_commitments_(most_commitments(task)) {
    assert(task.commitment_period > 0);
    restart(Phase::first_download);
}

void HeaderPresync::restart(Phase phase) {
    phase_ = phase;
    const BlockHeader& start = task_.start.header;
    reached_ = {start.hash(), task_.start.height, start.bits, task_.start.chainwork};
}

Expected<std::vector<BlockHeader>, PresyncError> HeaderPresync::take(
    std::span<const HashedHeader> headers) {
    assert(phase_ != Phase::done);
    for (const HashedHeader& hashed : headers) {
        if (const auto error = check(hashed)) return Unexpected(*error);
        const auto error = phase_ == Phase::first_download ? remember(hashed) : compare(hashed);
        if (error) return Unexpected(*error);
        // The second download requests the rest of this message again.
        if (phase_ == Phase::first_download && reached_.work >= task_.required_work) {
            restart(Phase::second_download);
            return std::vector<BlockHeader>{};
        }
    }
    if (phase_ == Phase::first_download) return std::vector<BlockHeader>{};

    const bool complete = reached_.work >= task_.required_work;
    const std::size_t held_back = complete ? 0 : std::min(buffer_.size(), task_.buffered_headers);
    const auto end = buffer_.end() - static_cast<std::ptrdiff_t>(held_back);
    std::vector<BlockHeader> worthy(buffer_.begin(), end);
    buffer_.erase(buffer_.begin(), end);
    if (complete) phase_ = Phase::done;
    return worthy;
}

// The checks of both downloads. Advances to this header.
std::optional<PresyncError> HeaderPresync::check(const HashedHeader& hashed) {
    const BlockHeader& header = hashed.header();
    if (header.previous != reached_.hash) return PresyncError::not_connected;
    if (header.bits != difficulty_.bits) {
        const auto target = decode_target(header.bits, network_.pow_limit);
        if (!target) return PresyncError::bad_target;
        difficulty_ = {header.bits, *target, work_of_target(*target)};
    }
    if (!meets_target(hashed.hash(), difficulty_.target)) return PresyncError::insufficient_work;
    if (!is_permitted_transition(network_, reached_.height + 1, reached_.bits, header.bits)) {
        return PresyncError::wrong_bits;
    }
    ++reached_.height;
    reached_.hash = hashed.hash();
    reached_.bits = header.bits;
    return std::nullopt;
}

std::optional<PresyncError> HeaderPresync::remember(const HashedHeader& hashed) {
    reached_.work += difficulty_.work;
    if (!is_committed(reached_.height)) return std::nullopt;
    if (commitments_.size() == max_commitments_) return PresyncError::too_long;
    commitments_.push_back(commitment(hashed.hash()));
    return std::nullopt;
}

std::optional<PresyncError> HeaderPresync::compare(const HashedHeader& hashed) {
    // There are no commitments after the required work was reached.
    const bool was_seen = reached_.work < task_.required_work;
    reached_.work += difficulty_.work;
    if (was_seen && is_committed(reached_.height)) {
        const bool same =
            compared_ < commitments_.size() && commitments_[compared_] == commitment(hashed.hash());
        if (!same) return PresyncError::another_chain;
        ++compared_;
    }
    buffer_.push_back(hashed.header());
    return std::nullopt;
}

bool HeaderPresync::is_committed(std::uint32_t height) const {
    return height % task_.commitment_period == task_.salt % task_.commitment_period;
}

bool HeaderPresync::commitment(const BlockHash& hash) const {
    ByteWriter salted;
    salted.u64(task_.salt).bytes(hash.view());
    return (sha256(salted.view())[0] & 1U) != 0;
}

bool is_permitted_transition(const NetworkParams& network, std::uint32_t height,
                             std::uint32_t old_bits, std::uint32_t new_bits) {
    if (!network.retargets) return new_bits == old_bits;
    if (network.min_difficulty_blocks) return true;
    if (height % network.retarget_interval != 0) return new_bits == old_bits;
    const auto old_target = decode_target(old_bits, network.pow_limit);
    const auto new_target = decode_target(new_bits, network.pow_limit);
    if (!old_target || !new_target) return false;
    const auto timespan = static_cast<std::uint64_t>(network.retarget_timespan);
    const auto rounded = [&](std::uint64_t seconds) {
        const Uint256 target = std::min(*old_target * seconds / timespan, network.pow_limit);
        return decode_target(encode_target(target), network.pow_limit).value();
    };
    return *new_target >= rounded(timespan / 4) && *new_target <= rounded(timespan * 4);
}

}  // namespace petal::chain
