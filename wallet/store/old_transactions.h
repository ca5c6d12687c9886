/// Adapts transactions that earlier versions stored.
#pragma once

#include <SQLiteCpp/Database.h>

namespace petal::wallet {

/// Removes the unconfirmed transactions that spend outputs of stored ones, unless the user
/// broadcast them: their signatures may never have been verified. The addresses that they paid stay
/// used. Removes the witnesses of confirmed transactions. Called within a database transaction;
/// throws BadValue for data that is not a transaction.
void clean_old_transactions(SQLite::Database& database);

/// Notes which unconfirmed transactions were shown by peers or the user, as far as the file tells:
/// - transactions that the user broadcast,
/// - transactions with a witness, since transactions of blocks are stored without witnesses, and
/// - transactions that spend no output of a stored transaction.
/// Called within a database transaction; throws BadValue for data that is not a transaction.
void note_shown_transactions(SQLite::Database& database);

}  // namespace petal::wallet
