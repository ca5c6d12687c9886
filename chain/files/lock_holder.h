/// Which process holds a FileLock.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace petal::chain {

struct LockHolder {
    std::int64_t process_id = 0;
    bool is_stopped = false;  ///< suspended by a signal, as by Ctrl-Z
};

/// A process other than this one that holds a lock on the file; a stopped one, if there is any.
/// Empty if there is none, or if the system does not show it (/proc/locks of Linux).
std::optional<LockHolder> find_lock_holder(const std::filesystem::path& file);

}  // namespace petal::chain
