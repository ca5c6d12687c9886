/// Which process holds a FileLock.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace petal::chain {

struct LockHolder {
    std::int64_t process_id = 0;
    bool is_stopped = false;  ///< suspended by a signal, e.g. by Ctrl-Z
};

/// Another process that holds a lock on the file, preferably a stopped process. Empty if there is
/// none, or if the system does not show locks (/proc/locks on Linux).
std::optional<LockHolder> find_lock_holder(const std::filesystem::path& file);

}  // namespace petal::chain
