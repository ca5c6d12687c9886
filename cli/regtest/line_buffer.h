/// The lines of a stream that comes in pieces.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace petal::cli {

/// Splits a stream into lines. Of a line that is too long, nothing is kept.
class LineBuffer {
public:
    struct Line {
        std::string text;  ///< without its end; empty for one that is too long
        bool too_long = false;

        friend bool operator==(const Line&, const Line&) = default;
    };

    explicit LineBuffer(std::size_t max_bytes) : max_bytes_(max_bytes) {}

    void append(std::string_view piece) { text_ += piece; }
    /// The next line that has come with its end; empty if none has.
    std::optional<Line> next();

private:
    std::size_t max_bytes_;
    std::string text_;
    bool skips_ = false;  ///< the rest of a line whose first part was dropped
};

}  // namespace petal::cli
