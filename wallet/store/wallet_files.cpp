// The POSIX calls behind private folders and durable renames.
#include "wallet/store/wallet_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>

namespace petal::wallet {

namespace {

[[noreturn]] void fail(const std::filesystem::path& path) {
    throw std::system_error(errno, std::generic_category(), path.string());
}

/// Closes what it opened. Throws where that fails at once.
class Descriptor {
public:
    Descriptor(const std::filesystem::path& path, int flags, mode_t mode = 0)
        : number_(::open(path.c_str(), flags | O_CLOEXEC, mode)) {
        if (number_ < 0) fail(path);
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() { ::close(number_); }

    int number() const { return number_; }

private:
    int number_;
};

}  // namespace

bool is_there(const std::filesystem::path& path) {
    struct stat status {};
    if (::stat(path.c_str(), &status) == 0) return true;
    if (errno != ENOENT) fail(path);
    return false;
}

void make_private_file(const std::filesystem::path& file) {
    const Descriptor descriptor(file, O_RDWR | O_CREAT | O_EXCL, 0600);
}

void remove_sqlite_companions(const std::filesystem::path& database) {
    for (const char* suffix : {"-wal", "-shm", "-journal"}) {
        std::filesystem::remove(database.string() + suffix);
    }
}

void rename_durably(const std::filesystem::path& from, const std::filesystem::path& to) {
    std::filesystem::rename(from, to);
    sync_folder_of(to);
}

void sync_folder_of(const std::filesystem::path& file) {
    const auto folder = file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
    const Descriptor descriptor(folder, O_RDONLY | O_DIRECTORY);
    if (::fsync(descriptor.number()) != 0) fail(folder);
}

}  // namespace petal::wallet
