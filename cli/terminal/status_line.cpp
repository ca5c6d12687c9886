#include "cli/terminal/status_line.h"

#include <ostream>

#include "cli/terminal/wrap.h"

namespace petal::cli {
namespace {

constexpr std::chrono::seconds kLineInterval{5};

/// The part of a text that fits a row, because only one row can be cleared. The last column stays
/// free: a character there may wrap. A bar with colours already fits and is not cut.
std::string in_one_row(std::string_view text, std::size_t columns) {
    const bool has_colours = text.find('\x1b') != text.npos;
    return has_colours ? std::string(text) : cut_at_word(text, columns - 1);
}

}  // namespace

StatusLine::StatusLine(Console& console, Clock::time_point start)
    : console_(console), last_line_(start) {}

StatusLine::~StatusLine() {
    clear();
}

void StatusLine::show(std::string_view text, Clock::time_point now) {
    if (console_.log_level() == LogLevel::error || text == shown_) return;
    if (console_.terminals().err) {
        console_.err() << "\r\x1b[K" << in_one_row(text, console_.err_columns()) << std::flush;
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
