/// A database as the bytes of its file.
#pragma once

#include <SQLiteCpp/Database.h>

#include <cstddef>
#include <memory>

#include "chain/bytes.h"

namespace petal::chain {

/// A copy of a whole database in memory of SQLite's (see wipe_sqlite_memory()). Its bytes are a
/// database file that needs no log.
class SqliteImage {
public:
    /// Called within a transaction, copies the state of that transaction; free pages are copied,
    /// too. Throws SQLite::Exception.
    explicit SqliteImage(SQLite::Database& database);

    ByteView view() const { return {bytes_.get(), size_}; }

private:
    struct Release {
        void operator()(Byte* bytes) const;
    };

    std::unique_ptr<Byte, Release> bytes_;
    std::size_t size_ = 0;
};

}  // namespace petal::chain
