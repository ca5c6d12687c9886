/// Files and folders that only their owner may read, and what makes a change of them durable.
#pragma once

#include <filesystem>
#include <string_view>

namespace petal::chain {

// Each throws std::system_error where the system refuses.

/// Makes the folders that are missing on the way to `folder` and itself, for their owner alone
/// (0700), whatever the umask is.
void make_private_folders(const std::filesystem::path& folder);

/// Makes an empty file for its owner alone (0600). Throws also where it exists.
void make_private_file(const std::filesystem::path& file);

/// Makes an empty file where there is none, and takes the permissions of others away where there is
/// one. Throws also for a symbolic link.
void ensure_private_file(const std::filesystem::path& file);

/// Gives the file this text, for its owner alone, whole or not at all for a process that reads it
/// meanwhile; what is written first has the same name with .new behind it. Power may undo it.
/// Throws also, with device_or_resource_busy, while another process does the same.
void replace_private_file(const std::filesystem::path& file, std::string_view text);

/// The file's path without symbolic links among its folders, as SQLITE_OPEN_NOFOLLOW refuses those,
/// too. Throws also where the folder is not there.
std::filesystem::path without_links(const std::filesystem::path& file);

/// Whether there is a file or anything else of this name. Throws where that can't be told.
bool is_there(const std::filesystem::path& path);

/// Renames, and returns when power can't undo it any more.
void rename_durably(const std::filesystem::path& from, const std::filesystem::path& to);

/// Renames where there is nothing of the new name yet; throws with file_exists otherwise. On a file
/// system that cannot do both at once, another process may make a file of that name in between,
/// which is replaced.
void rename_to_new(const std::filesystem::path& from, const std::filesystem::path& to);

/// Returns when power can't undo what was made, renamed or removed in the folder of this file.
void sync_folder_of(const std::filesystem::path& file);

}  // namespace petal::chain
