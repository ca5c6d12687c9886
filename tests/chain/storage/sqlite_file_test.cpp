#include "chain/storage/sqlite_file.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <utility>

namespace petal::chain {
namespace {

TEST(SqliteFile, TellsDamageFromWhatTheMachineRefuses) {
    constexpr std::pair<int, SqliteFailure> kFailures[] = {
        {SQLITE_CORRUPT, SqliteFailure::damaged},
        {SQLITE_NOTADB, SqliteFailure::damaged},
        {SQLITE_ERROR, SqliteFailure::damaged},
        {SQLITE_TOOBIG, SqliteFailure::damaged},
        {-1, SqliteFailure::damaged},  // of SQLiteCpp's own
        {SQLITE_BUSY, SqliteFailure::busy},
        {SQLITE_FULL, SqliteFailure::machine},
        {SQLITE_IOERR, SqliteFailure::machine},
        {SQLITE_READONLY, SqliteFailure::machine},
        {SQLITE_CANTOPEN, SqliteFailure::machine},
        {SQLITE_PERM, SqliteFailure::machine},
        {SQLITE_AUTH, SqliteFailure::machine},
        {SQLITE_LOCKED, SqliteFailure::machine},
        {SQLITE_PROTOCOL, SqliteFailure::machine},
        {SQLITE_NOLFS, SqliteFailure::machine},
        {SQLITE_NOMEM, SqliteFailure::machine},
    };
    for (const auto& [code, failure] : kFailures) {
        EXPECT_EQ(failure_of(SQLite::Exception("what", code)), failure) << code;
    }
}

}  // namespace
}  // namespace petal::chain
