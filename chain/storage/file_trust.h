/// Whether other users of the machine can change a file or a folder, as ssh checks its
/// authorized_keys, and git its repositories.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "chain/files/file_descriptor.h"

namespace petal::chain {

enum class TrustFlaw : std::uint8_t {
    foreign_owner,       ///< it belongs to another user
    writable_by_others,  ///< its mode lets its group, or all, write to it
    foreign_parent,      ///< a folder above belongs to another user, who can replace it
    open_parent,         ///< others may write to a folder above that is not sticky: all, or a group
                         ///< that is neither this process's nor root's
};

/// What is at fault, and why.
struct Distrust {
    std::filesystem::path path;
    TrustFlaw flaw = TrustFlaw::foreign_owner;
};

/// Whether the files of this user are trusted: this process's own (geteuid(2)) and root's and, as
/// git does, those of the user who called sudo to run this process as root (SUDO_UID).
bool is_trusted_owner(std::uint32_t user);

/// The reason not to trust a file or a folder, whether or not it exists: its owner or its mode, or
/// a folder above, in the path as it is given and without symbolic links. The mode does not count
/// below a folder that no other user may enter. Groups count as other users, as in ssh.
std::optional<Distrust> find_distrust(const std::filesystem::path& path);

/// The same for an open file, so that its owner and mode are those of what is read. The mode of a
/// device does not count, e.g. of a terminal.
std::optional<Distrust> find_distrust(const FileDescriptor& opened,
                                      const std::filesystem::path& path);

}  // namespace petal::chain
