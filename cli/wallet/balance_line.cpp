#include "cli/wallet/balance_line.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include "cli/text/amount.h"
#include "cli/text/text.h"

namespace petal::cli {
namespace {

/// The balance from a time on.
struct Step {
    std::int64_t time = 0;
    chain::Satoshis balance = 0;
};

/// In the order of time. A spend may have been seen before the spent transaction. A balance below
/// zero then counts as zero.
std::vector<Step> steps_of(const std::vector<wallet::HistoryEntry>& history) {
    std::vector<Step> steps;
    for (const wallet::HistoryEntry& entry : history) steps.push_back({entry.time, entry.net});
    std::ranges::stable_sort(steps, {}, &Step::time);
    chain::Satoshis sum = 0;
    for (Step& step : steps) {
        sum += step.balance;
        step.balance = std::max<chain::Satoshis>(sum, 0);
    }
    return steps;
}

chain::Satoshis highest_of(const std::vector<Step>& steps) {
    return steps.empty() ? 0 : std::ranges::max(steps, {}, &Step::balance).balance;
}

std::string_view block_of(chain::Satoshis balance, chain::Satoshis highest) {
    static constexpr std::array<std::string_view, 8> kLevels{"▁", "▂", "▃", "▄",
                                                             "▅", "▆", "▇", "█"};
    const double share = static_cast<double>(balance) / static_cast<double>(highest);
    const auto level = static_cast<std::size_t>(share * (kLevels.size() - 1) + 0.5);
    return kLevels.at(std::min(level, kLevels.size() - 1));
}

std::string blocks_of(const std::vector<Step>& steps, std::size_t columns) {
    const std::int64_t first = steps.front().time;
    const std::int64_t duration = steps.back().time - first;
    const auto spans = static_cast<std::int64_t>(duration == 0 ? 1 : columns);
    const chain::Satoshis highest = highest_of(steps);
    std::string blocks;
    auto next = steps.begin();
    chain::Satoshis balance = 0;
    for (std::int64_t span = 1; span <= spans; ++span) {
        // In this order, no product overflows.
        const std::int64_t end = first + duration / spans * span + duration % spans * span / spans;
        for (; next != steps.end() && next->time <= end; ++next) balance = next->balance;
        blocks += block_of(balance, highest);
    }
    return blocks;
}

std::string date_of(std::int64_t time) {
    return format_time(time).substr(0, std::string_view("2024-05-31").size());
}

}  // namespace

std::string balance_blocks(const std::vector<wallet::HistoryEntry>& history, std::size_t columns) {
    const std::vector<Step> steps = steps_of(history);
    return highest_of(steps) == 0 ? std::string() : blocks_of(steps, columns);
}

std::string balance_lines(const std::vector<wallet::HistoryEntry>& history, std::size_t columns) {
    const std::vector<Step> steps = steps_of(history);
    const chain::Satoshis highest = highest_of(steps);
    if (highest == 0) return {};
    const std::string first = date_of(steps.front().time);
    const std::string last = date_of(steps.back().time);
    if (first == last) return {};
    return "balance over time:\n" + blocks_of(steps, columns) + "\n" + first + " to " + last +
           ", highest " + format_btc(highest) + " BTC\n";
}

}  // namespace petal::cli
