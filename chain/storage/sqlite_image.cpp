#include "chain/storage/sqlite_image.h"

#include <SQLiteCpp/Exception.h>
#include <sqlite3.h>

namespace petal::chain {

namespace {

// The write and read versions (https://www.sqlite.org/fileformat2.html, 1.3): 1 for a rollback
// journal, 2 for a write-ahead log.
constexpr std::size_t kWriteVersionByte = 18;
constexpr std::size_t kReadVersionByte = 19;
constexpr std::size_t kSmallestPage = 512;

}  // namespace

void SqliteImage::Release::operator()(Byte* bytes) const {
    sqlite3_free(bytes);
}

SqliteImage::SqliteImage(SQLite::Database& database) {
    sqlite3_int64 size = 0;
    bytes_.reset(sqlite3_serialize(database.getHandle(), "main", &size, 0));
    if (!bytes_ || size < static_cast<sqlite3_int64>(kSmallestPage)) {
        throw SQLite::Exception("it can't be read as a whole", SQLITE_IOERR);
    }
    size_ = static_cast<std::size_t>(size);
    bytes_.get()[kWriteVersionByte] = 1;
    bytes_.get()[kReadVersionByte] = 1;
}

}  // namespace petal::chain
