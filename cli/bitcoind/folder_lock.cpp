#include "cli/bitcoind/folder_lock.h"

#include <fcntl.h>

#include <system_error>

#include "cli/bitcoind/init_error.h"

namespace petal::cli {
namespace {

chain::FileDescriptor open_lock(const std::filesystem::path& folder) {
    try {
        return {folder / ".lock", O_RDWR | O_CREAT | O_NOFOLLOW};
    } catch (const std::system_error&) {
        throw InitError("Cannot write to directory '" + folder.string() + "'; check permissions.");
    }
}

}  // namespace

FolderLock::FolderLock(const std::filesystem::path& folder) : file_(open_lock(folder)) {
    struct flock whole {};
    whole.l_type = F_WRLCK;
    whole.l_whence = SEEK_SET;
    if (fcntl(file_.number(), F_SETLK, &whole) == 0) return;
    throw InitError("Cannot obtain a lock on directory " + folder.string() +
                    ". Bitcoin Core is probably already running.");
}

}  // namespace petal::cli
