/// The tables of a wallet's file, and how the files of earlier versions get them.
#pragma once

#include <SQLiteCpp/Database.h>

#include <cstdint>

namespace petal::wallet {

inline constexpr std::int64_t kSchemaVersion = 7;
/// From this version on the secret has a table of its own; before, it stood in `identity`.
inline constexpr std::int64_t kSecretTableVersion = 3;
/// From this version on, unconfirmed spends of the wallet's coins were verified when they came, and
/// confirmed transactions have no witnesses.
inline constexpr std::int64_t kCleanTransactionsVersion = 3;

/// From this version on, merkle branches are kept in the order of their transactions; before, in
/// the table `merkle_proof` by txid.
inline constexpr std::int64_t kMerkleBranchVersion = 7;

/// Makes the tables in an empty database, and marks it as a wallet of kSchemaVersion.
void create_schema(SQLite::Database& database);

/// The file's version. Throws BadValue for a database that is not a wallet, or has anything more or
/// less than the tables of its version: a trigger or a view could change what statements do. The
/// tables of a version above kSchemaVersion are unknown, and not looked at.
std::int64_t check_schema(SQLite::Database& database);

/// Gives a file of an earlier version the tables of kSchemaVersion, all of them or none. After
/// use_rollback_journal(), nothing of the secret is left where it stood before.
void renew_schema(SQLite::Database& database);

/// Has the database changed by means of a rollback journal instead of a write-ahead log: what a
/// change overwrites or deletes is in none of its files any more once it is committed. Waits for
/// current readers, some five seconds; false if they do not end.
bool use_rollback_journal(SQLite::Database& database);

}  // namespace petal::wallet
