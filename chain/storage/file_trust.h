/// Whether other users of the machine can change a file or a folder (as ssh checks authorized_keys,
/// and git checks repositories).
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "chain/files/file_descriptor.h"

namespace petal::chain {

enum class TrustFlaw : std::uint8_t {
    foreign_owner,       ///< the owner is another user
    writable_by_others,  ///< the mode lets the group or all users write
    foreign_parent,      ///< the owner of a folder above is another user, who can replace the file
    open_parent,  ///< a folder above without sticky bit is writable for all users, or for a group
                  ///< other than this process's and root's
};

/// The untrusted file or folder, and the reason.
struct Distrust {
    std::filesystem::path path;
    TrustFlaw flaw = TrustFlaw::foreign_owner;
};

/// Whether files of this user are trusted. Trusted are this process's user (geteuid(2)), root and,
/// as in git, the user who called sudo to run this process as root (SUDO_UID).
bool is_trusted_owner(std::uint32_t user);

/// The reason not to trust a file or a folder, which need not exist. Checks the owner and the mode,
/// and all folders above, in the given path and in the path without symbolic links. The mode is
/// ignored below a folder that no other user may enter. Groups count as other users, as in ssh.
std::optional<Distrust> find_distrust(const std::filesystem::path& path);

/// The same for an open file, so that no other file can be put in its place between check and use.
/// The mode of a device, e.g. a terminal, is ignored.
std::optional<Distrust> find_distrust(const FileDescriptor& opened,
                                      const std::filesystem::path& path);

}  // namespace petal::chain
