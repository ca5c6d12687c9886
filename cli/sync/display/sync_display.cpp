#include "cli/sync/display/sync_display.h"

namespace petal::cli {

SyncDisplay::SyncDisplay(const DisplayOptions& options, const GlobalOptions& global,
                         Console& console, Clock::time_point start, Mode mode)
    : options_(options), console_(console), start_(start), mode_(mode) {
    if (mode_ != Mode::follows) return;
    events_.emplace(
        console, global.json, [this] { clear(); }, options.notify);
}

std::size_t SyncDisplay::add(const net::SyncStatus& status, const std::string& wallet) {
    statuses_.push_back(&status);
    if (progress_.empty() || options_.progress == ProgressFormat::json) {
        const bool listens = mode_ != Mode::to_the_last_block;
        progress_.push_back(
            std::make_unique<Progress>(console_, start_, options_.progress, wallet, listens));
    }
    return statuses_.size() - 1;
}

/// No progress after all blocks: events replace the progress, and a log must not get a line for
/// each later block.
bool SyncDisplay::shows(const net::SyncStatus& all) {
    was_done_ = was_done_ || all.phase >= net::SyncPhase::listening;
    if (mode_ == Mode::follows && all.phase >= net::SyncPhase::listening) return false;
    const bool is_log = options_.progress == ProgressFormat::automatic && !console_.terminals().err;
    return !(mode_ >= Mode::stays && is_log && was_done_);
}

void SyncDisplay::update(std::size_t sync, Clock::time_point now) {
    const bool is_shared = statuses_.size() > 1 && options_.progress != ProgressFormat::json;
    const net::SyncStatus status = is_shared ? overall_status(statuses_) : *statuses_[sync];
    Progress& progress = *progress_[is_shared ? 0 : sync];
    if (shows(status)) {
        progress.update(status, now);
    } else {
        progress.clear();
    }
}

void SyncDisplay::finish_events() {
    if (events_) events_->finish_commands();
}

void SyncDisplay::clear() {
    for (const auto& progress : progress_) progress->clear();
}

}  // namespace petal::cli
