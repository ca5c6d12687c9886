/// A database as the bytes of its file.
#pragma once

#include <SQLiteCpp/Database.h>

#include <cstddef>
#include <memory>

#include "chain/bytes.h"

namespace petal::chain {

/// A copy of a database, in memory that SQLite allocates (see wipe_sqlite_memory()). The bytes are
/// a database file that needs no log.
class SqliteImage {
public:
    /// Copies the state of the current transaction, if there is one. Includes free pages. Throws
    /// SQLite::Exception.
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
