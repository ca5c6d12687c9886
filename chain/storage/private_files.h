/// Files and folders that only their owner may read, and durable changes of them.
#pragma once

#include <filesystem>
#include <string_view>

namespace petal::chain {

// Each throws std::system_error if the system refuses.

/// Creates `folder` and its missing parents, for their owner only (0700), whatever the umask is.
void make_private_folders(const std::filesystem::path& folder);

/// Makes an empty file, readable by its owner only (0600). Throws also if it exists.
void make_private_file(const std::filesystem::path& file);

/// Creates an empty file if there is none. If the file exists, removes the permissions of other
/// users. Throws also for a symbolic link, or anything else that is not a regular file.
void ensure_private_file(const std::filesystem::path& file);

/// Replaces the file's text atomically, for its owner only, by writing to the same name with .new
/// appended. A power failure may undo it. Throws also, with device_or_resource_busy, while another
/// process does the same.
void replace_private_file(const std::filesystem::path& file, std::string_view text);

/// The file's path without symbolic links among its folders, as SQLITE_OPEN_NOFOLLOW refuses those,
/// too. Throws also if the folder does not exist.
std::filesystem::path without_links(const std::filesystem::path& file);

/// Whether a file, or anything else, of this name exists. Throws if this can't be determined.
bool is_there(const std::filesystem::path& path);

/// Renames, and returns when a power failure can't undo it any more. If it throws, the file has its
/// old name, if possible; a file that it replaced is lost.
void rename_durably(const std::filesystem::path& from, const std::filesystem::path& to);

/// Renames unless the new name exists; throws with file_exists otherwise. On a file system that
/// cannot do both atomically, a file of that name that another process creates in between is
/// replaced.
void rename_to_new(const std::filesystem::path& from, const std::filesystem::path& to);

/// Returns when a power failure can't undo that files in this file's folder were created, renamed
/// or removed; at once on a file system that does not offer this.
void sync_folder_of(const std::filesystem::path& file);

}  // namespace petal::chain
