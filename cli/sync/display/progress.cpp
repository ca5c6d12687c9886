#include "cli/sync/display/progress.h"

#include <algorithm>
#include <ostream>
#include <utility>

#include "cli/text/text.h"

namespace petal::cli {
namespace {

using std::chrono::duration;

constexpr std::chrono::seconds kRateWindow{5};
constexpr std::chrono::seconds kJsonInterval{1};
constexpr std::size_t kMaxBarColumns = 40;
constexpr std::size_t kMinBarColumns = 8;

/// The number of blocks that this run has to scan, and the number that have arrived.
struct Scan {
    std::uint64_t total = 0;
    std::uint64_t done = 0;

    double share() const {
        return total == 0 ? 0 : static_cast<double>(done) / static_cast<double>(total);
    }
};

Scan scan_of(const net::SyncStatus& status) {
    if (status.target_height < status.first_height) return {};
    const std::uint64_t total = std::uint64_t{status.target_height} - status.first_height + 1;
    return {total, std::min(status.counts.scanned_blocks, total)};
}

std::string stall_text(const net::SyncStatus& status) {
    if (status.stall_reason == net::StallReason::none) return "";
    return "; waiting for " + std::string(describe(status.stall_reason));
}

/// Marks a number that is based on the target height, if the target height is only a peer's claim.
std::string claimed_text(const net::SyncStatus& status) {
    return status.target_height > status.header_height ? " claimed" : "";
}

/// A sync that does not listen waits for more peers, or for the end of the stall.
std::string listening_text(const net::SyncStatus& status, bool listens) {
    if (listens) return "listening for unconfirmed transactions" + stall_text(status);
    if (status.stall_reason == net::StallReason::none) return "waiting for more peers";
    return "waiting for " + std::string(describe(status.stall_reason));
}

std::string bar(double share, std::size_t columns, bool colours) {
    const auto full = static_cast<std::size_t>(share * static_cast<double>(columns));
    std::string text = colours ? "\x1b[32m" : "";
    for (std::size_t i = 0; i < full; ++i) text += "█";
    if (colours) text += "\x1b[0m\x1b[2m";
    for (std::size_t i = full; i < columns; ++i) text += "░";
    return text + (colours ? "\x1b[0m" : "");
}

}  // namespace

Json progress_json(const net::SyncStatus& status) {
    return {{"phase", net::code_of(status.phase)},
            {"header_height", status.header_height},
            {"presync_height", status.presync_height},
            {"synced_height", status.synced_height},
            {"target_height", status.target_height},
            {"waiting_for", status.stall_reason == net::StallReason::none
                                ? Json(nullptr)
                                : Json(net::code_of(status.stall_reason))},
            {"ahead_of_clock_until_time", status.early_until}};
}

net::SyncStatus overall_status(const std::vector<const net::SyncStatus*>& syncs) {
    const auto less = [](const net::SyncStatus* a, const net::SyncStatus* b) {
        return a->phase < b->phase;
    };
    net::SyncStatus all = **std::ranges::min_element(syncs, less);
    if (all.phase != net::SyncPhase::blocks) return all;
    Scan sum;
    for (const net::SyncStatus* sync : syncs) {
        const Scan scan = scan_of(*sync);
        sum.total += scan.total;
        sum.done += scan.done;
    }
    all.first_height = 1;
    all.target_height = static_cast<std::uint32_t>(sum.total);
    all.counts.scanned_blocks = sum.done;
    return all;
}

Progress::Progress(Console& console, Clock::time_point start, ProgressFormat format,
                   std::string wallet, bool listens)
    : console_(console),
      line_(console, start),
      format_(format),
      wallet_(std::move(wallet)),
      listens_(listens) {}

void Progress::write_json(const net::SyncStatus& status, Clock::time_point now) {
    const bool is_done = status.phase == net::SyncPhase::done;
    if (written_at_ && now < *written_at_ + kJsonInterval && !is_done) return;
    Json line{{"event", "progress"}};
    if (!wallet_.empty()) line["wallet"] = wallet_;
    line.update(progress_json(status));
    if (line == written_) return;
    console_.err() << to_line(line) << std::endl;
    written_ = std::move(line);
    written_at_ = now;
}

void Progress::update(const net::SyncStatus& status, Clock::time_point now) {
    if (format_ == ProgressFormat::none) return;
    if (format_ == ProgressFormat::json) return write_json(status, now);
    if (status.phase == net::SyncPhase::done) return clear();
    if (status.phase == net::SyncPhase::blocks) sample(scan_of(status).done, now);
    line_.show(console_.terminals().err ? bar_line(status) : plain_line(status), now);
}

void Progress::sample(std::uint64_t blocks, Clock::time_point now) {
    samples_.push_back({now, blocks});
    while (samples_.size() > 2 && samples_.front().time + kRateWindow < now) samples_.pop_front();
}

double Progress::rate() const {
    if (samples_.size() < 2) return 0;
    const Sample& first = samples_.front();
    const Sample& last = samples_.back();
    const double seconds = duration<double>(last.time - first.time).count();
    if (seconds <= 0 || last.blocks <= first.blocks) return 0;
    return static_cast<double>(last.blocks - first.blocks) / seconds;
}

std::string Progress::phase_text(const net::SyncStatus& status) const {
    const std::string reason = stall_text(status);
    switch (status.phase) {
        case net::SyncPhase::no_peer:
            return "connecting" + reason;
        case net::SyncPhase::handshake:
            return "greeting the peer" + reason;
        case net::SyncPhase::headers:
            if (status.presync_height) {
                return "checking the work of headers: " + format_count(*status.presync_height) +
                       " of " + format_count(status.target_height) + claimed_text(status) + reason;
            }
            return "headers " + format_count(status.header_height) + " of " +
                   format_count(status.target_height) + claimed_text(status) + reason;
        case net::SyncPhase::blocks:
            break;
        case net::SyncPhase::listening:
            return listening_text(status, listens_);
        case net::SyncPhase::done:
            return "done";
    }
    return "";
}

std::string Progress::counts(const net::SyncStatus& status) const {
    const Scan scan = scan_of(status);
    if (scan.total == 0) return "headers " + format_count(status.header_height);
    std::string text = "blocks " + format_count(scan.done) + " of " + format_count(scan.total) +
                       claimed_text(status) + " (" +
                       std::to_string(static_cast<int>(scan.share() * 100)) + "%), headers " +
                       format_count(status.header_height);
    if (const double per_second = rate(); per_second > 0) {
        const double left = static_cast<double>(scan.total - scan.done) / per_second;
        text += ", " + format_count(static_cast<std::uint64_t>(per_second)) + "/s, " +
                format_duration(left) + " left";
    }
    return text;
}

std::string Progress::plain_line(const net::SyncStatus& status) const {
    const bool scanning = status.phase == net::SyncPhase::blocks;
    return scanning ? counts(status) + stall_text(status) : phase_text(status);
}

std::string Progress::bar_line(const net::SyncStatus& status) const {
    if (status.phase != net::SyncPhase::blocks) return phase_text(status);
    const std::size_t columns = console_.err_columns() - 1;  // the last column may wrap
    const std::string text = counts(status) + stall_text(status);
    if (text.size() + kMinBarColumns + 1 > columns) return text;
    const std::size_t width = std::min(kMaxBarColumns, columns - text.size() - 1);
    return bar(scan_of(status).share(), width, console_.colours_err()) + " " + text;
}

}  // namespace petal::cli
