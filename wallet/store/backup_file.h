/// The format of backups: a wallet's database with checksums. Numbers are little-endian.
///
///     16 bytes   "petal backup", CR, LF, 0x1a, LF (detects a transfer in text mode)
///      4         version, 1
///     32         the network's name, padded with zeros
///      8         size of the database in bytes
///      4         the first bytes of the SHA-256 of the 60 bytes above
///      …         the database, a SQLite file
///     32         SHA-256 of all bytes above
///
/// The header (the first 64 bytes) has this layout in all versions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "chain/bytes.h"
#include "chain/expected.h"

namespace petal::wallet {

enum class BackupError : std::uint8_t {
    not_a_backup,   ///< no magic
    newer_version,  ///< a later version of the format
    truncated,      ///< shorter than stated
    damaged,        ///< a checksum does not match
    too_long,       ///< longer than stated
};

/// Part of a sentence that starts with "it".
std::string_view describe(BackupError error);

/// Receives the next bytes.
using ByteSink = std::function<void(chain::ByteView)>;
/// Fills the span as far as data is available. Returns the number of bytes, 0 at the end.
using ByteSource = std::function<std::size_t(std::span<chain::Byte>)>;

/// Writes a backup of a database, which must not be empty.
/// network   a name of at most 32 bytes
void write_backup(std::string_view network, chain::ByteView database, const ByteSink& sink);

/// Reads a backup in small pieces, passes the database on, and returns the network's name. The data
/// passed on is verified only when a value is returned.
chain::Expected<std::string, BackupError> read_backup(const ByteSource& source,
                                                      const ByteSink& database);

}  // namespace petal::wallet
