/// The tables of a wallet's file, and upgrades from earlier versions.
#pragma once

#include <SQLiteCpp/Database.h>

#include <cstdint>

namespace petal::wallet {

inline constexpr std::int64_t kSchemaVersion = 12;
/// From this version on, the secret has a table of its own. Before, it was in `identity`.
inline constexpr std::int64_t kSecretTableVersion = 3;
/// From this version on, unconfirmed spends of the wallet's coins were verified on receipt, and
/// confirmed transactions have no witnesses.
inline constexpr std::int64_t kCleanTransactionsVersion = 3;

/// From this version on, merkle branches are stored by the row of the transaction. Before, they
/// were in the table `merkle_proof` by txid.
inline constexpr std::int64_t kMerkleBranchVersion = 7;

/// From this version on, the table `shown` has the transactions that were shown unconfirmed.
inline constexpr std::int64_t kShownVersion = 9;

/// Creates the tables of kSchemaVersion in an empty database.
void create_schema(SQLite::Database& database);

/// The file's version. Throws BadValue if the database is not a wallet, or its schema is not
/// exactly the schema of the version: a trigger or a view could change the effect of statements.
/// The schema of a version above kSchemaVersion is not checked.
std::int64_t check_schema(SQLite::Database& database);

/// Upgrades a file of an earlier version to kSchemaVersion, atomically. After
/// use_rollback_journal(), no copy of the secret remains at the former place.
void renew_schema(SQLite::Database& database);

/// Switches the database from a write-ahead log to a rollback journal. Data that a committed change
/// overwrites or deletes then remains in none of the database's files. Waits some five seconds for
/// current readers, and returns false if they do not end.
bool use_rollback_journal(SQLite::Database& database);

}  // namespace petal::wallet
