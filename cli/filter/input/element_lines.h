/// Elements of filters, one a line, from standard input.
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>
#include <utility>

namespace petal::cli {

/// Reads the whole input as text (TextDecoder), and calls `use` with each piece as it arrives.
/// Throws CommandError: `bad-text` if it is no text, `input` if it can't be read.
void read_pieces(std::istream& in, const std::function<void(std::string_view)>& use);

/// Splits a text that arrives in arbitrary pieces into lines without the blanks around them. A line
/// that is longer than any element is cut to kMaxElementLine bytes plus one.
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
    std::string line_;    // an unfinished line without the blanks around it, cut
    std::string blanks_;  // the blanks behind it, which belong to it if more text follows
    std::uint64_t count_ = 0;
};

}  // namespace petal::cli
