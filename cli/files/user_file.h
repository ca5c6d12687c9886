/// Files that the user names, or standard input and output.
#pragma once

#include <filesystem>
#include <fstream>
#include <functional>
#include <istream>
#include <span>
#include <string>

#include "chain/bytes.h"
#include "chain/storage/new_file.h"
#include "cli/terminal/console.h"

namespace petal::cli {

/// The name of standard input or output.
inline constexpr const char* kStandardStream = "-";

/// Reads a file, or standard input.
class UserInput {
public:
    /// Throws CommandError if the file can't be read.
    UserInput(std::filesystem::path file, Console& console);
    /// Reads a file, even if the name is kStandardStream.
    explicit UserInput(std::filesystem::path file);

    /// Fills the span as far as data is available. Returns the number of bytes, 0 at the end.
    /// Throws CommandError.
    std::size_t read(std::span<chain::Byte> bytes);

    /// Reads up to the end of the data, but at most `max_bytes`. Throws CommandError.
    std::string read_at_most(std::size_t max_bytes);

private:
    void open();

    std::filesystem::path file_;
    std::ifstream opened_;
    std::istream& stream_;
};

/// The content of a file, at most `max_bytes`. Throws CommandError if the file can't be read or is
/// empty.
std::string read_user_file(const std::filesystem::path& file, std::size_t max_bytes);

/// Calls `write`, which creates a new file of this name. A system error becomes a CommandError,
/// with an error of its own for a file that exists already.
void make_user_file(const std::filesystem::path& file, const std::function<void()>& write);

}  // namespace petal::cli
