/// Removes transactions that earlier versions stored and this one would not.
#pragma once

#include <SQLiteCpp/Database.h>

namespace petal::wallet {

/// Removes the unconfirmed transactions that spend outputs of stored ones, unless the user
/// broadcast them: their signatures may never have been verified. The addresses that they paid stay
/// used. Removes the witnesses of confirmed transactions. Called within a database transaction;
/// throws BadValue for data that is not a transaction.
void clean_old_transactions(SQLite::Database& database);

}  // namespace petal::wallet
