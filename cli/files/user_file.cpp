#include "cli/files/user_file.h"

#include <cerrno>
#include <system_error>
#include <utility>

#include "cli/text/command_error.h"
#include "cli/text/text.h"

namespace petal::cli {
namespace {

CommandError unreadable(const std::filesystem::path& file, int reason) {
    return {
        ExitStatus::failed, "unreadable-file",
        "cannot read " + printable(file.string()) + ": " + std::generic_category().message(reason)};
}

}  // namespace

UserInput::UserInput(std::filesystem::path file, Console& console)
    : file_(std::move(file)), stream_(file_ == kStandardStream ? console.in() : opened_) {
    if (file_ != kStandardStream) open();
}

UserInput::UserInput(std::filesystem::path file) : file_(std::move(file)), stream_(opened_) {
    open();
}

void UserInput::open() {
    errno = 0;
    opened_.open(file_, std::ios::binary);
    if (!opened_) throw unreadable(file_, errno != 0 ? errno : EIO);
    std::error_code ignored;
    if (std::filesystem::is_directory(file_, ignored)) throw unreadable(file_, EISDIR);
}

std::size_t UserInput::read(std::span<chain::Byte> bytes) {
    stream_.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    if (stream_.bad()) throw unreadable(file_, EIO);
    return static_cast<std::size_t>(stream_.gcount());
}

std::string UserInput::read_at_most(std::size_t max_bytes) {
    std::string text = cli::read_at_most(max_bytes, stream_);
    if (stream_.bad()) throw unreadable(file_, EIO);
    return text;
}

std::string read_user_file(const std::filesystem::path& file, std::size_t max_bytes) {
    std::string content = UserInput(file).read_at_most(max_bytes);
    if (!content.empty()) return content;
    throw CommandError(ExitStatus::failed, "unreadable-file",
                       printable(file.string()) + " is empty");
}

void make_user_file(const std::filesystem::path& file, const std::function<void()>& write) {
    const std::string name = printable(file.string());
    try {
        write();
    } catch (const std::system_error& error) {
        if (error.code() == std::errc::file_exists) {
            throw CommandError(ExitStatus::failed, "file-exists",
                               "there is a file " + name + " already; choose another name");
        }
        if (error.code() == std::errc::device_or_resource_busy) {
            throw CommandError(ExitStatus::failed, "file-in-use",
                               "another petal is writing " + name);
        }
        throw CommandError(ExitStatus::failed, "unwritable-file",
                           "cannot write " + name + ": " + error.code().message());
    }
}

}  // namespace petal::cli
