/// Files that the user names, or standard input and output.
#pragma once

#include <filesystem>
#include <fstream>
#include <functional>
#include <istream>
#include <span>

#include "chain/bytes.h"
#include "chain/storage/new_file.h"
#include "cli/console.h"

namespace petal::cli {

/// The name that stands for standard input or output.
inline constexpr const char* kStandardStream = "-";

/// Reads a file, or standard input.
class UserInput {
public:
    /// Throws CommandError where it can't be read.
    UserInput(std::filesystem::path file, Console& console);

    /// Fills as much of the bytes as there is; returns how many, and 0 at the end. Throws
    /// CommandError.
    std::size_t read(std::span<chain::Byte> bytes);

private:
    std::filesystem::path file_;
    std::ifstream opened_;
    std::istream& stream_;
};

/// Does `write`, which makes a new file of this name. What the system refuses becomes a
/// CommandError, which says so where the file is there already.
void make_user_file(const std::filesystem::path& file, const std::function<void()>& write);

}  // namespace petal::cli
