#include "chain/storage/new_file.h"

#include "chain/storage/private_files.h"

namespace petal::chain {

namespace {

FileLock lock_draft(const std::filesystem::path& draft) {
    auto lock = FileLock::acquire(draft, FileLock::Mode::exclusive);
    if (lock) return *std::move(lock);
    throw std::system_error(EBUSY, std::generic_category(), draft.string());
}

FileDescriptor open_draft(const std::filesystem::path& draft) {
    ensure_private_file(draft);  // it may be left of a process that was killed
    return {draft, O_WRONLY | O_TRUNC | O_NOFOLLOW};
}

}  // namespace

NewFile::NewFile(std::filesystem::path file, std::filesystem::path draft)
    : file_(std::move(file)),
      draft_(std::move(draft)),
      lock_(lock_draft(draft_)),
      descriptor_(open_draft(draft_)) {}

NewFile::~NewFile() {
    if (kept_) return;
    std::error_code ignored;  // what is left does no harm
    std::filesystem::remove(draft_, ignored);
}

void NewFile::write(ByteView bytes) {
    while (!bytes.empty()) {
        const ssize_t written = ::write(descriptor_.number(), bytes.data(), bytes.size());
        if (written >= 0) {
            bytes = bytes.subspan(static_cast<std::size_t>(written));
        } else if (errno != EINTR) {
            throw std::system_error(errno, std::generic_category(), file_.string());
        }
    }
}

void NewFile::keep() {
    if (::fsync(descriptor_.number()) != 0) {
        throw std::system_error(errno, std::generic_category(), file_.string());
    }
    rename_to_new(draft_, file_);
    kept_ = true;
    sync_folder_of(file_);
}

}  // namespace petal::chain
