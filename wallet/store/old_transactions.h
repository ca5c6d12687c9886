/// Upgrades transactions that earlier versions stored.
#pragma once

#include <SQLiteCpp/Database.h>

namespace petal::wallet {

/// Removes the unconfirmed transactions that spend outputs of stored transactions, unless the user
/// broadcast them, because their signatures may never have been verified. The addresses that they
/// paid stay used. Also removes the witnesses of confirmed transactions. Must be called within a
/// database transaction. Throws BadValue for data that is not a transaction.
void clean_old_transactions(SQLite::Database& database);

/// Marks the unconfirmed transactions that peers or the user have shown. The file shows this of a
/// transaction that
/// - the user broadcast,
/// - has a witness, because transactions of blocks are stored without witnesses, or
/// - spends no output of a stored transaction.
///
/// Must be called within a database transaction. Throws BadValue for data that is not a
/// transaction.
void mark_shown_transactions(SQLite::Database& database);

}  // namespace petal::wallet
