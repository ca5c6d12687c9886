// Contextual validation of headers (Bitcoin Core: ContextualCheckBlockHeader).
#include "chain/headers/header_rules.h"

#include <algorithm>
#include <cassert>

#include "chain/enum_table.h"

namespace petal::chain {

namespace {

// The maximum number of seconds by which a period's first block may be earlier than its parent
// (BIP94).
constexpr std::int64_t kMaxTimewarp = 600;

}  // namespace

bool is_obsolete(const NetworkParams& network, std::uint32_t height, std::int32_t version) {
    std::int32_t least_version = 1;
    for (const std::uint32_t from : network.version_heights) {
        if (height >= from) ++least_version;
    }
    return least_version > 1 && version < least_version;
}

std::uint32_t median_time(std::span<std::uint32_t> times) {
    assert(!times.empty());
    std::ranges::sort(times);
    return times[times.size() / 2];
}

std::string_view describe(HeaderError error) {
    using enum HeaderError;
    static constexpr auto kTexts = enum_table<HeaderError, std::string_view>({
        {unknown_parent, "the block before it is not known"},
        {bad_target, "its target is not one that the network allows"},
        {insufficient_work, "its hash does not meet its target"},
        {wrong_bits, "its difficulty is not the required one"},
        {time_too_old, "its time is not after the median of the eleven blocks before"},
        {time_warp, "its time is too far before that of the block before (BIP94)"},
        {time_too_new, "its time is more than two hours ahead of the clock"},
        {obsolete_version, "its version is too old for its height"},
        {descends_from_invalid, "it follows a block that broke a rule"},
    });
    return kTexts[error];
}

std::optional<std::int64_t> old_tip_age(const NetworkParams& network) {
    if (network.minimum_chainwork == 0) return std::nullopt;
    return kOldTipSpacings * (network.retarget_timespan / network.retarget_interval);
}

std::int64_t block_age(const BlockHeader& header, std::int64_t now) {
    return std::max<std::int64_t>(now - header.time, 0);
}

bool is_old_tip(const NetworkParams& network, std::int64_t age) {
    const auto limit = old_tip_age(network);
    return limit && age >= *limit;
}

bool proves_fault(HeaderError error) {
    return error != HeaderError::unknown_parent && error != HeaderError::time_too_new;
}

std::optional<HeaderError> check_in_context(const NetworkParams& network,
                                            const HeaderBranch& branch, const BlockHeader& header,
                                            std::int64_t now) {
    const std::uint32_t height = branch.height() + 1;
    if (header.bits != required_bits(network, branch, height, header.time)) {
        return HeaderError::wrong_bits;
    }
    // Most headers are later than all ancestors, so the median is not needed.
    if (header.time <= branch.max_time() && header.time <= branch.median_time_past()) {
        return HeaderError::time_too_old;
    }
    const bool starts_period = height % network.retarget_interval == 0;
    if (network.bip94 && starts_period) {
        const std::int64_t parent_time = branch.header_at(branch.height()).time;
        if (header.time < parent_time - kMaxTimewarp) return HeaderError::time_warp;
    }
    if (header.time > now + kMaxFutureTime) return HeaderError::time_too_new;
    if (is_obsolete(network, height, header.version)) return HeaderError::obsolete_version;
    return std::nullopt;
}

}  // namespace petal::chain
