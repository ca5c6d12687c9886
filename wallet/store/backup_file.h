/// The format of backups: a wallet's database with checksums.
///
///     16 bytes   "petal backup", then CR, LF, 0x1a, LF: a transfer in text mode changes them
///      4         version, 1 (little-endian, as all numbers)
///     32         the network's name, filled up with zeros
///      8         size of the database in bytes
///      4         the first bytes of the SHA-256 of the 60 before; up to here the same in all
///      versions
///      …         the database, a SQLite file
///     32         SHA-256 of all before
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
    not_a_backup,   ///< it begins otherwise
    newer_version,  ///< of the format
    truncated,      ///< it ends before the end that it states
    damaged,        ///< its bytes are not those that were written
    too_long,       ///< more bytes follow
};

/// The middle of a sentence that begins with "it".
std::string_view describe(BackupError error);

/// Takes the next bytes.
using ByteSink = std::function<void(chain::ByteView)>;
/// Fills the span as far as data is available; returns the number of bytes, 0 at the end.
using ByteSource = std::function<std::size_t(std::span<chain::Byte>)>;

/// Writes a backup of a database, which is not empty.
/// network   a name of at most 32 bytes
void write_backup(std::string_view network, chain::ByteView database, const ByteSink& sink);

/// Reads a backup in small pieces, and passes its database on as it is read. The data is known to
/// be undamaged only when this returns a value, the network's name.
chain::Expected<std::string, BackupError> read_backup(const ByteSource& source,
                                                      const ByteSink& database);

}  // namespace petal::wallet
