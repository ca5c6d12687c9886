/// Drops transactions that earlier versions stored, and this one would not.
#pragma once

#include <SQLiteCpp/Database.h>

namespace petal::wallet {

/// Removes the unconfirmed transactions that spend outputs of stored ones, unless the user has had
/// them announced: nothing says that their signatures were ever verified. The addresses that they
/// paid stay used. Takes the witnesses off the confirmed ones. Within a database transaction of the
/// caller's; throws BadValue for what is no transaction.
void clean_old_transactions(SQLite::Database& database);

}  // namespace petal::wallet
