/// Files and folders that only the owner may read, and durable changes of files.
#pragma once

#include <filesystem>
#include <string_view>

namespace petal::chain {

// Each throws std::system_error if the system refuses.

/// Creates `folder` and missing parents with mode 0700, independent of the umask.
void make_private_folders(const std::filesystem::path& folder);

/// Creates an empty file with mode 0600. Throws also if the file exists.
void make_private_file(const std::filesystem::path& file);

/// Creates an empty file with mode 0600. If the file exists, removes the permissions of other
/// users. Throws also if the path is not a regular file, e.g. a symbolic link.
void ensure_private_file(const std::filesystem::path& file);

/// Replaces the file's text atomically, with mode 0600, through a file with .new appended. A power
/// failure may undo the change. Throws also, with device_or_resource_busy, while another process
/// replaces the same file.
void replace_private_file(const std::filesystem::path& file, std::string_view text);

/// The path with symbolic links of folders resolved, because SQLITE_OPEN_NOFOLLOW refuses links
/// anywhere in a path. Throws also if the folder does not exist.
std::filesystem::path without_links(const std::filesystem::path& file);

/// Whether the path exists, as a file of any type.
bool is_there(const std::filesystem::path& path);

/// Renames, and returns when a power failure can't undo the change. If this throws, the file has
/// its old name, if possible, but a replaced file is lost.
void rename_durably(const std::filesystem::path& from, const std::filesystem::path& to);

/// Renames, or throws with file_exists if `to` exists. On a file system without an atomic check, a
/// file that another process creates at `to` between check and rename is replaced.
void rename_to_new(const std::filesystem::path& from, const std::filesystem::path& to);

/// Waits until a power failure can't undo changes of names in this file's folder: created, renamed
/// and removed files. Returns at once on a file system that does not support this.
void sync_folder_of(const std::filesystem::path& file);

}  // namespace petal::chain
