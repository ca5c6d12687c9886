#include "cli/filter/general/filter_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "chain/files/file_lock.h"
#include "chain/files/regular_file.h"
#include "chain/files/write_all.h"
#include "chain/storage/private_files.h"
#include "cli/filter/input/filter_input.h"
#include "cli/text/command_error.h"
#include "cli/text/text.h"

namespace petal::cli {
namespace {

using Access = bloom::LargeFilterFile::Access;

CommandError file_error(const char* code, const std::filesystem::path& file,
                        const std::string& reason) {
    return {ExitStatus::failed, code, printable(file.string()) + ": " + reason};
}

CommandError in_use(const std::filesystem::path& file) {
    return file_error("file-in-use", file, "another petal is adding to it");
}

[[noreturn]] void fail() {
    throw std::system_error(errno, std::generic_category());
}

/// Repeats `attempt` until there is a result. Throws `file-in-use` at the end of the patience.
template <typename Attempt>
auto patiently(std::chrono::milliseconds patience, const std::filesystem::path& file,
               Attempt attempt) {
    constexpr std::chrono::milliseconds kPause{50};
    const auto end = std::chrono::steady_clock::now() + patience;
    for (;;) {
        if (auto result = attempt()) return *std::move(result);
        if (std::chrono::steady_clock::now() >= end) throw in_use(file);
        std::this_thread::sleep_for(kPause);
    }
}

/// The file that a symbolic link leads to. Throws `unreadable-file` if there is no file.
std::filesystem::path real_path(const std::filesystem::path& file) {
    std::error_code error;
    const auto path = std::filesystem::canonical(file, error);
    if (error) throw file_error("unreadable-file", file, error.message());
    return path;
}

/// The opened filter. Empty while another process adds to the file.
std::optional<bloom::LargeFilterFile> opened_large(const std::filesystem::path& file,
                                                   Access access) {
    try {
        auto opened = bloom::LargeFilterFile::open(file, access);
        if (opened) return *std::move(opened);
        if (opened.error() == bloom::LargeFilterError::in_use) return std::nullopt;
        const bool is_newer = opened.error() == bloom::LargeFilterError::newer_version;
        throw file_error(is_newer ? "newer-version" : "bad-filter", file,
                         std::string(describe(opened.error())));
    } catch (const std::system_error& error) {
        throw file_error(access == Access::add ? "unwritable-file" : "unreadable-file", file,
                         error.code().message());
    }
}

/// The file, locked. Empty while another process adds to the file. Throws std::system_error.
std::optional<chain::FileDescriptor> locked_file(const std::filesystem::path& file) {
    chain::FileDescriptor opened = chain::open_regular_file(file, O_RDWR);
    if (!lock_at_once(opened, chain::FileLock::Mode::exclusive, file)) return std::nullopt;
    // The process that had the lock may have replaced the file.
    if (!opened.is_at(file)) return std::nullopt;
    return opened;
}

}  // namespace

bool is_large_filter(const std::filesystem::path& file) {
    constexpr std::size_t kEnough = 64;
    try {
        const std::string start = chain::read_regular_file(real_path(file), kEnough);
        return bloom::LargeFilterFile::is_start_of_one(chain::as_bytes(start));
    } catch (const std::exception&) {
        return false;  // reading the file as a BIP37 filter says why
    }
}

bloom::LargeFilterFile open_large_filter(const std::filesystem::path& file) {
    return opened_large(file, Access::read).value();  // no lock excludes readers
}

FilterFile::FilterFile(const std::filesystem::path& file, std::chrono::milliseconds patience)
    : file_(real_path(file)), filter_(open(file_, patience)) {}

FilterFile::~FilterFile() = default;

FilterFile::Filter FilterFile::open(const std::filesystem::path& file,
                                    std::chrono::milliseconds patience) {
    if (!is_large_filter(file)) return open_peer_filter(file, patience);
    return patiently(patience, file, [&file] { return opened_large(file, Access::add); });
}

FilterFile::PeerFilter FilterFile::open_peer_filter(const std::filesystem::path& file,
                                                    std::chrono::milliseconds patience) {
    try {
        auto locked = patiently(patience, file, [&file] { return locked_file(file); });
        UserFilter read = read_filter(file);
        return {std::move(locked), std::move(read.filter), read.is_text, read.magic, false};
    } catch (const std::system_error& error) {
        throw file_error("unwritable-file", file, error.code().message());
    }
}

bool FilterFile::insert(chain::ByteView element) {
    if (auto* large = std::get_if<bloom::LargeFilterFile>(&filter_)) return large->insert(element);
    auto& small = std::get<PeerFilter>(filter_);
    const bool is_new = !small.filter.contains(element);
    if (is_new) small.filter.insert(element);
    small.is_changed |= is_new;
    return is_new;
}

void FilterFile::save() {
    try {
        if (auto* large = std::get_if<bloom::LargeFilterFile>(&filter_)) return large->flush();
        const auto& small = std::get<PeerFilter>(filter_);
        if (!small.is_changed) return;
        if (small.filter.bits_set() == small.filter.bit_count()) {
            throw file_error("bad-filter", file_,
                             "every bit of it would be set, so it would match everything");
        }
        replace(small);
    } catch (const std::system_error& error) {
        throw file_error("unwritable-file", file_, error.code().message());
    }
}

void FilterFile::replace(const PeerFilter& changed) const {
    chain::Bytes content = changed.filter.encode();
    if (changed.magic) content = net::encode_frame(*changed.magic, "filterload", content);
    const std::string hex = chain::to_hex(content) + "\n";
    struct stat status {};
    if (::fstat(changed.locked.number(), &status) != 0) fail();
    // The new file belongs to the caller and gets the old file's permission bits. If a foreign
    // owner has set these bits, the new file could be a program that runs as the caller.
    if (status.st_uid != ::geteuid()) {
        throw file_error("unwritable-file", file_,
                         "it belongs to another user, and would be replaced by a file of yours");
    }
    // Only the process that has locked the file writes the draft. An older draft is of a process
    // that was killed.
    std::filesystem::path draft = file_;
    draft += ".petal-draft";
    std::filesystem::remove(draft);
    try {
        const chain::FileDescriptor made(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW);
        if (::fchmod(made.number(), status.st_mode & 0777) != 0) fail();
        write_all(made, changed.is_text ? chain::as_bytes(hex) : chain::ByteView(content), draft);
        if (::fsync(made.number()) != 0) fail();
        chain::rename_durably(draft, file_);
    } catch (const std::system_error&) {
        std::error_code ignored;  // the draft may have the new name already
        std::filesystem::remove(draft, ignored);
        throw;
    }
}

double FilterFile::false_positive_rate() const {
    if (const auto* large = std::get_if<bloom::LargeFilterFile>(&filter_)) {
        return large->filter().false_positive_rate();
    }
    return std::get<PeerFilter>(filter_).filter.false_positive_rate();
}

}  // namespace petal::cli
