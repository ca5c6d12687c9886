#include "cli/sync/display/status_line.h"

#include <ostream>

namespace petal::cli {
namespace {

constexpr std::chrono::seconds kLineInterval{5};

}  // namespace

StatusLine::StatusLine(Console& console, Clock::time_point start)
    : console_(console), last_line_(start) {}

StatusLine::~StatusLine() {
    clear();
}

void StatusLine::show(std::string_view text, Clock::time_point now) {
    if (console_.log_level() == LogLevel::error || text == shown_) return;
    if (console_.terminals().err) {
        console_.err() << "\r\x1b[K" << text << std::flush;
        drawn_ = true;
        shown_ = text;
    } else if (now >= last_line_ + kLineInterval) {
        console_.err() << text << std::endl;
        last_line_ = now;
        shown_ = text;
    }
}

void StatusLine::clear() {
    if (drawn_) console_.err() << "\r\x1b[K" << std::flush;
    drawn_ = false;
    shown_.clear();
}

}  // namespace petal::cli
