#include "regtest/front/log_lines.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <variant>

namespace petal::regtest::front {
namespace {

constexpr double kWorkPerBlock = 2;

double log2_work(std::uint32_t height) {
    return std::log2((static_cast<double>(height) + 1) * kWorkPerBlock);
}

std::string decimals(double number) {
    std::array<char, 40> text{};
    std::snprintf(text.data(), text.size(), "%f", number);
    return text.data();
}

}  // namespace

std::string log_time(std::int64_t unix_seconds) {
    const std::time_t time = unix_seconds;
    std::tm parts{};
    gmtime_r(&time, &parts);
    std::array<char, 40> text{};
    std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
    return text.data();
}

void LogLines::begin(const RegtestChain& chain) {
    count_transactions(chain);
    records_ = chain.history().records().size();
}

void LogLines::count_transactions(const RegtestChain& chain) {
    const auto& blocks = chain.blocks();
    std::size_t known = 0;
    if (!transactions_.empty()) {
        // A reorganisation changes the counts above the fork.
        known = blocks.fork_point(*blocks.find(counted_tip_)).height + std::size_t{1};
    }
    transactions_.resize(known);
    for (std::size_t height = known; height <= chain.height(); ++height) {
        const std::uint64_t before = height == 0 ? 0 : transactions_.back();
        transactions_.push_back(before +
                                blocks.at(static_cast<std::uint32_t>(height)).txids.size());
    }
    counted_tip_ = chain.tip();
}

void LogLines::on_change(const RegtestChain& chain) {
    if (counted_tip_ != chain.tip()) {
        add_disconnections(chain);
        count_transactions(chain);
    }
    const auto& records = chain.history().records();
    for (; records_ < records.size(); ++records_) {
        const ChainRecord& record = records[records_];
        const auto* const block = chain.blocks().find(record.hash);
        if (record.kind != ChainRecord::Kind::invalidated || block == nullptr) continue;
        log_("InvalidChainFound: invalid block=" + record.hash.to_hex() + "  height=" +
             std::to_string(block->height) + "  log2_work=" + decimals(log2_work(block->height)) +
             "  date=" + log_time(block->header.time));
    }
}

void LogLines::on_event(const NodeEvent& event) {
    if (const auto* block = std::get_if<BlockEvent>(&event)) {
        add_tip(block->block, block->time);
    } else if (const auto* connected = std::get_if<ConnectionEvent>(&event)) {
        log_("New " + std::string(connected->is_inbound ? "inbound" : "manual") +
             " v1 peer connected: peer=" + std::to_string(connected->id));
    } else if (const auto* ended = std::get_if<EndOfConnectionEvent>(&event)) {
        log_("disconnecting peer=" + std::to_string(ended->id));
    }
}

void LogLines::add_disconnections(const RegtestChain& chain) {
    const auto& blocks = chain.blocks();
    const auto* block = blocks.find(counted_tip_);
    const std::uint32_t fork = blocks.fork_point(*block).height;
    while (block->height > fork) {
        block = blocks.find(block->header.previous);
        add_tip({block->height, block->hash}, block->header.time);
    }
}

void LogLines::add_tip(const chain::BlockRef& block, std::uint32_t time) {
    const std::uint32_t height = block.height;
    log_("UpdateTip: new best=" + block.hash.to_hex() + " height=" + std::to_string(height) +
         " version=0x20000000 log2_work=" + decimals(log2_work(height)) +
         " tx=" + std::to_string(transactions_.at(height)) + " date='" + log_time(time) +
         "' progress=1.000000 cache=0.0MiB(0txo)");
}

}  // namespace petal::regtest::front
