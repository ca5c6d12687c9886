/// The tables of a wallet's file, and the upgrade of earlier versions.
#pragma once

#include <SQLiteCpp/Database.h>

#include <cstdint>

namespace petal::wallet {

inline constexpr std::int64_t kSchemaVersion = 10;
/// From this version on the secret has a table of its own; before, it was in `identity`.
inline constexpr std::int64_t kSecretTableVersion = 3;
/// From this version on, unconfirmed spends of the wallet's coins were verified on receipt, and
/// confirmed transactions have no witnesses.
inline constexpr std::int64_t kCleanTransactionsVersion = 3;

/// From this version on, merkle branches are kept in the order of their transactions; before, in
/// the table `merkle_proof` by txid.
inline constexpr std::int64_t kMerkleBranchVersion = 7;

/// From this version on, the table `shown` has the transactions that were shown unconfirmed.
inline constexpr std::int64_t kShownVersion = 9;

/// Makes the tables in an empty database, and marks it as a wallet of kSchemaVersion.
void create_schema(SQLite::Database& database);

/// The file's version. Throws BadValue for a database that is not a wallet, or that has more or
/// fewer tables than its version: a trigger or a view could change the effect of statements. The
/// tables of a version above kSchemaVersion are unknown, and not checked.
std::int64_t check_schema(SQLite::Database& database);

/// Gives a file of an earlier version the tables of kSchemaVersion, all of them or none. After
/// use_rollback_journal(), no copy of the secret remains at its former place.
void renew_schema(SQLite::Database& database);

/// Switches the database from a write-ahead log to a rollback journal: data that a change
/// overwrites or deletes is then in none of its files any more once the change is committed. Waits
/// some five seconds for current readers; returns false if they do not end.
bool use_rollback_journal(SQLite::Database& database);

}  // namespace petal::wallet
