/// Splits a stream that arrives in pieces into lines.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace petal::cli {

/// Splits a stream into lines. A line that is too long is dropped.
class LineBuffer {
public:
    struct Line {
        std::string text;  ///< without its end; empty if it was too long
        bool too_long = false;

        friend bool operator==(const Line&, const Line&) = default;
    };

    explicit LineBuffer(std::size_t max_bytes) : max_bytes_(max_bytes) {}

    void append(std::string_view piece) { text_ += piece; }
    /// The next complete line; empty if there is none yet.
    std::optional<Line> next();

private:
    std::size_t max_bytes_;
    std::string text_;
    bool skips_ = false;  ///< skips the rest of a line whose start was dropped
};

}  // namespace petal::cli
