/// Elements of filters, one a line, from standard input.
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>
#include <utility>

namespace petal::cli {

/// Reads the whole input as text (TextDecoder), and calls `use` with each piece as soon as the
/// piece arrives. Throws CommandError: `bad-text` if the input is no text, `input` if reading
/// fails.
void read_pieces(std::istream& in, const std::function<void(std::string_view)>& use);

/// Splits a text that arrives in arbitrary pieces into lines, and removes the blanks around each
/// line. A line that is longer than any element is cut to kMaxElementLine bytes plus one.
class ElementLines {
public:
    /// number   of the line, counted from 1
    /// text     may be empty
    using Visit = std::function<void(std::uint64_t number, std::string_view text)>;

    explicit ElementLines(Visit visit) : visit_(std::move(visit)) {}

    void take(std::string_view piece);
    /// The last line need not end in a line feed.
    void finish();

    std::uint64_t count() const { return count_; }

private:
    void append(std::string_view text);

    Visit visit_;
    std::string line_;    // the unfinished line, without outer blanks, cut
    std::string blanks_;  // blanks behind line_, part of the line if text follows
    std::uint64_t count_ = 0;
};

}  // namespace petal::cli
