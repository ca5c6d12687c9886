/// The folder that wallets lie in, and how a wallet's file comes to be there.
#pragma once

#include <filesystem>

namespace petal::wallet {

/// Whether there is a file or anything else of this name. Throws std::system_error where that can't
/// be told.
bool is_there(const std::filesystem::path& path);

/// Makes an empty file for its owner alone (0600). Throws std::system_error, also where it exists.
void make_private_file(const std::filesystem::path& file);

/// Removes what SQLite keeps beside a database, such as a process that was killed leaves behind:
/// the database of that name is gone, and its log would be applied to the next one.
void remove_sqlite_companions(const std::filesystem::path& database);

/// Renames, and returns when power can't undo it any more. Throws std::system_error.
void rename_durably(const std::filesystem::path& from, const std::filesystem::path& to);

/// Returns when power can't undo what was made, renamed or removed in the folder of this file.
/// Throws std::system_error.
void sync_folder_of(const std::filesystem::path& file);

}  // namespace petal::wallet
