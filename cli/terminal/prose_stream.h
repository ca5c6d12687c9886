/// Prose on its way to a terminal.
#pragma once

#include <cstddef>
#include <functional>
#include <ostream>
#include <streambuf>
#include <string>

namespace petal::cli {

/// Passes each complete line to a second stream, broken as by wrap().
class ProseStream : public std::ostream {
public:
    /// target    must outlive this stream
    /// columns   called for each line, because a terminal's width may change
    ProseStream(std::ostream& target, std::function<std::size_t()> columns);

    /// Passes on the unfinished line.
    void end_line() { buffer_.end_line(); }

private:
    class Buffer : public std::streambuf {
    public:
        Buffer(std::ostream& out, std::function<std::size_t()> columns)
            : out_(out), columns_(std::move(columns)) {}
        void end_line();

    protected:
        int_type overflow(int_type character) override;
        int sync() override;

    private:
        std::ostream& out_;
        std::function<std::size_t()> columns_;
        std::string line_;
    };

    Buffer buffer_;
};

}  // namespace petal::cli
