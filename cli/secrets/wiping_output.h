/// A standard stream that leaves no output in memory.
#pragma once

#include <array>
#include <streambuf>

namespace petal::cli {

/// Writes to a file descriptor in blocks, and wipes each block after the write, so that no buffer
/// keeps the printed words of a wallet. A write waits for the reader, until a signal asks the
/// process to stop (net/io/signals.h). The descriptor stays open. Not thread-safe.
class WipingOutput : public std::streambuf {
public:
    explicit WipingOutput(int descriptor);
    /// Writes the remaining data, if possible.
    ~WipingOutput() override;
    WipingOutput(const WipingOutput&) = delete;
    WipingOutput& operator=(const WipingOutput&) = delete;

protected:
    int_type overflow(int_type byte) override;
    int sync() override;

private:
    bool write_all();
    bool wait_until_writable() const;

    int descriptor_;
    std::array<char, 16'384> block_{};
};

}  // namespace petal::cli
