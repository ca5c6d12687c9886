/// A standard stream without leavings.
#pragma once

#include <array>
#include <streambuf>

namespace petal::cli {

/// Writes to a file descriptor in blocks, and wipes each once it is written: words of a wallet that
/// were printed are in no buffer afterwards. If the reader does not read, a write waits for it,
/// until a signal asks the process to stop (net/io/signals.h). The descriptor stays open. Not
/// thread-safe.
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
