#include "chain/storage/sqlite_file.h"

#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <utility>

#include "tests/support/temporary_folder.h"

namespace petal::chain {
namespace {

TEST(SqliteFile, TellsDamageFromWhatTheMachineRefuses) {
    constexpr std::pair<int, SqliteFailure> kFailures[] = {
        {SQLITE_CORRUPT, SqliteFailure::damaged},
        {SQLITE_NOTADB, SqliteFailure::damaged},
        {SQLITE_ERROR, SqliteFailure::damaged},
        {SQLITE_TOOBIG, SqliteFailure::damaged},
        {SQLITE_SCHEMA, SqliteFailure::damaged},
        {SQLITE_CONSTRAINT, SqliteFailure::damaged},
        {SQLITE_MISMATCH, SqliteFailure::damaged},
        {-1, SqliteFailure::damaged},  // SQLiteCpp's own error
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
        {SQLITE_OK, SqliteFailure::machine},
        {SQLITE_INTERRUPT, SqliteFailure::machine},
        {SQLITE_MISUSE, SqliteFailure::machine},
    };
    for (const auto& [code, failure] : kFailures) {
        EXPECT_EQ(failure_of(SQLite::Exception("what", code)), failure) << code;
    }
}

constexpr int kRowBytes = 1'000;

std::filesystem::path make_database(const test::TemporaryFolder& folder) {
    const auto file = folder.path() / "a.db";
    SQLite::Database(file.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE)
        .exec("CREATE TABLE t (x)");
    return file;
}

TEST(SqliteFile, IsNotOpenedBesideAFifo) {
    const test::TemporaryFolder folder;
    const auto file = make_database(folder);
    for (const char* suffix : {"-journal", "-wal", "-shm"}) {
        const std::string companion = file.string() + suffix;
        ASSERT_EQ(::mkfifo(companion.c_str(), 0600), 0);
        EXPECT_THROW(open_sqlite_file(file, kRowBytes, std::chrono::milliseconds{0}),
                     std::system_error)
            << suffix;
        std::filesystem::remove(companion);
    }
    EXPECT_NO_THROW(open_sqlite_file(file, kRowBytes, std::chrono::milliseconds{0}));
}

/// Fails each write to a file during its lifetime, as a full disk does.
class FullDisk {
public:
    FullDisk() : handler_before_(::signal(SIGXFSZ, SIG_IGN)) {
        ::getrlimit(RLIMIT_FSIZE, &before_);
        const rlimit none{0, before_.rlim_max};
        ::setrlimit(RLIMIT_FSIZE, &none);
    }
    ~FullDisk() {
        ::setrlimit(RLIMIT_FSIZE, &before_);
        ::signal(SIGXFSZ, handler_before_);
    }
    FullDisk(const FullDisk&) = delete;
    FullDisk& operator=(const FullDisk&) = delete;

private:
    void (*handler_before_)(int);
    rlimit before_{};
};

int count_rows(SQLite::Database database) {
    return database.execAndGet("SELECT count(*) FROM t").getInt();
}

TEST(SqliteFile, IsReadOnAFullDisk) {
    constexpr std::chrono::milliseconds kNoPatience{0};
    const test::TemporaryFolder folder;
    const auto file = make_database(folder);
    open_sqlite_file(file, kRowBytes, kNoPatience)
        .exec("PRAGMA journal_mode = WAL; INSERT INTO t VALUES (1)");
    {
        const FullDisk full;
        EXPECT_THROW(count_rows(open_sqlite_file(file, kRowBytes, kNoPatience)), SQLite::Exception);
        EXPECT_EQ(count_rows(open_sqlite_file_to_read(file, kRowBytes, kNoPatience)), 1);
        // The failed attempt left companions without content.
        EXPECT_EQ(count_rows(open_sqlite_file_to_read(file, kRowBytes, kNoPatience)), 1);
    }
    EXPECT_EQ(count_rows(open_sqlite_file_to_read(file, kRowBytes, kNoPatience)), 1);
}

// A process that was killed, or whose last writes failed, leaves a log.
TEST(SqliteFile, IsReadWithItsLogOnAFullDisk) {
    constexpr std::chrono::milliseconds kNoPatience{0};
    const test::TemporaryFolder folder;
    const auto file = make_database(folder);
    const std::filesystem::path copy = folder.path() / "b.db";
    {
        SQLite::Database database = open_sqlite_file(file, kRowBytes, kNoPatience);
        database.exec("PRAGMA journal_mode = WAL; INSERT INTO t VALUES (1)");
        std::filesystem::copy(file, copy);
        std::filesystem::copy(file.string() + "-wal", copy.string() + "-wal");
    }
    {
        const FullDisk full;
        EXPECT_EQ(count_rows(open_sqlite_file_to_read(copy, kRowBytes, kNoPatience)), 1);
        EXPECT_EQ(count_rows(open_sqlite_file_to_read(copy, kRowBytes, kNoPatience)), 1);
    }
    EXPECT_EQ(count_rows(open_sqlite_file_to_read(copy, kRowBytes, kNoPatience)), 1);
}

// SQLite looks for a journal at each transaction.
TEST(SqliteFile, DoesNotWaitForAFifoThatIsMadeLater) {
    const test::TemporaryFolder folder;
    const auto file = make_database(folder);
    SQLite::Database database = open_sqlite_file(file, kRowBytes, std::chrono::milliseconds{0});
    const std::string journal = file.string() + "-journal";
    ASSERT_EQ(::mkfifo(journal.c_str(), 0600), 0);
    EXPECT_THROW(database.exec("INSERT INTO t VALUES (1)"), SQLite::Exception);
    std::filesystem::remove(journal);
    EXPECT_NO_THROW(database.exec("INSERT INTO t VALUES (1)"));
}

TEST(SqliteFile, SaysWhichVersionTheFileIsOf) {
    const test::TemporaryFolder folder;
    const auto file = folder.path() / "a.db";
    EXPECT_THROW(static_cast<void>(sqlite_write_version(file)), std::system_error);
    std::ofstream(file) << "no database";
    EXPECT_EQ(sqlite_write_version(file), std::nullopt);
    std::ofstream(file) << std::string(100, 'x');
    EXPECT_EQ(sqlite_write_version(file), std::nullopt);
    std::filesystem::remove(file);
    SQLite::Database(file.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE)
        .exec("CREATE TABLE t (x)");
    EXPECT_EQ(sqlite_write_version(file), 1);
}

/// The first column of a statement's first row, or SQLite's error code, in words.
std::string outcome_of(SQLite::Database& database, const std::string& statement) {
    try {
        return database.execAndGet(statement).getString();
    } catch (const SQLite::Exception& error) {
        return "error " + std::to_string(error.getErrorCode());
    }
}

TEST(SqliteFile, NeitherReadsNorWritesALargerRowThanAllowed) {
    const test::TemporaryFolder folder;
    const auto file = folder.path() / "a.db";
    SQLite::Database(file.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE)
        .exec("CREATE TABLE t (x); INSERT INTO t VALUES (hex(zeroblob(10000)))");
    const auto outcome = [&](int max_row_bytes, const std::string& statement) {
        auto database = open_sqlite_file(file, max_row_bytes, std::chrono::milliseconds(0));
        return outcome_of(database, statement);
    };
    const std::string too_big = "error " + std::to_string(SQLITE_TOOBIG);
    EXPECT_EQ(outcome(30'000, "SELECT x FROM t"), std::string(20'000, '0'));
    EXPECT_EQ(outcome(10'000, "SELECT x FROM t"), too_big);
    const std::string insertion = "INSERT INTO t VALUES (randomblob(20000)) RETURNING length(x)";
    EXPECT_EQ(outcome(30'000, insertion), "20000");
    EXPECT_EQ(outcome(10'000, insertion), too_big);
}

// A file's views and triggers run with the statements that use them. Without trust, they reach no
// virtual table or function but those that SQLite calls innocuous.
TEST(SqliteFile, TrustsNoSchema) {
    const test::TemporaryFolder folder;
    const auto file = folder.path() / "a.db";
    SQLite::Database created(file.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    created.exec("CREATE VIEW harmless AS SELECT abs(-1)");
    created.exec("CREATE VIEW nosy AS SELECT file FROM pragma_database_list");
    EXPECT_EQ(outcome_of(created, "SELECT * FROM nosy"), file.string());
    auto database = open_sqlite_file(file, 10'000, std::chrono::milliseconds(0));
    EXPECT_EQ(outcome_of(database, "SELECT * FROM harmless"), "1");
    EXPECT_EQ(outcome_of(database, "SELECT * FROM nosy"), "error " + std::to_string(SQLITE_ERROR));
}

// Pages whose cells overlap are refused when they are loaded.
TEST(SqliteFile, ChecksTheSizesOfCells) {
    const test::TemporaryFolder folder;
    const auto file = folder.path() / "a.db";
    std::ofstream{file};
    auto database = open_sqlite_file(file, 10'000, std::chrono::milliseconds(0));
    EXPECT_EQ(outcome_of(database, "PRAGMA cell_size_check"), "1");
}

/// A database that holds 1, and an interrupted transaction that was changing it to 2.
void write_interrupted(const std::filesystem::path& file) {
    const test::TemporaryFolder elsewhere;
    const auto original = elsewhere.path() / "a.db";
    SQLite::Database database(original.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    database.exec("CREATE TABLE t (x); INSERT INTO t VALUES (1); CREATE TABLE large (x)");
    // Writes more than the cache holds, so that pages are written before the transaction ends.
    database.exec("PRAGMA cache_size = 1; BEGIN; UPDATE t SET x = 2");
    database.exec("INSERT INTO large VALUES (zeroblob(1000000))");
    for (const char* suffix : {"", "-journal"}) {
        std::filesystem::copy_file(original.string() + suffix, file.string() + suffix);
    }
}

/// The number that open_sqlite_file() finds; 0 if it refuses the file.
int stored_number(const std::filesystem::path& file) {
    try {
        auto database = open_sqlite_file(file, 10'000'000, std::chrono::milliseconds(0));
        return database.execAndGet("SELECT x FROM t").getInt();
    } catch (const SQLite::Exception&) {
        return 0;
    }
}

TEST(SqliteFile, InterruptedChangeIsNotReadFromAReadOnlyFolder) {
    if (::geteuid() != 0) GTEST_SKIP() << "the test drops root's privileges, so it must have them";
    const test::TemporaryFolder folder;
    const auto file = folder.path() / "a.db";
    write_interrupted(file);
    const auto open_all = std::filesystem::perms(0755);
    std::filesystem::permissions(folder.path(), open_all);
    for (const char* suffix : {"", "-journal"}) {
        std::filesystem::permissions(file.string() + suffix, open_all);
    }
    const auto number_of_another_user = [&] {
        if (::setuid(65'534) != 0) std::_Exit(9);
        std::_Exit(stored_number(file));
    };
    EXPECT_EXIT(number_of_another_user(), testing::ExitedWithCode(0), "");
    std::filesystem::rename(file.string() + "-journal", file.string() + "-aside");
    EXPECT_EXIT(number_of_another_user(), testing::ExitedWithCode(2), "");
    std::filesystem::rename(file.string() + "-aside", file.string() + "-journal");
    EXPECT_EQ(stored_number(file), 1);
}

TEST(SqliteFile, CanBeWrittenOnceItsOwnerAllowsIt) {
    using std::filesystem::perms;
    const test::TemporaryFolder folder;
    const auto file = folder.path() / "a.db";
    const auto log = file.string() + "-shm";
    std::ofstream{file};
    std::ofstream{log};
    std::filesystem::permissions(log, perms::owner_read);
    static_cast<void>(open_sqlite_file(file, 1'000, std::chrono::milliseconds(0)));
    EXPECT_EQ(std::filesystem::status(log).permissions(), perms::owner_read | perms::owner_write);
}

TEST(SqliteFile, IsRenamedWithItsCompanions) {
    const test::TemporaryFolder folder;
    const auto write = [&](const std::string& name) {
        std::ofstream(folder.path() / name) << name;
    };
    const auto has = [&](const std::string& name) {
        return std::filesystem::exists(folder.path() / name);
    };
    for (const char* name : {"a", "a-wal", "b", "b-wal", "b-shm"}) write(name);
    rename_sqlite_file(folder.path() / "a", folder.path() / "b");
    EXPECT_FALSE(has("a"));
    EXPECT_FALSE(has("a-wal"));
    EXPECT_TRUE(has("b"));
    EXPECT_TRUE(has("b-wal"));
    EXPECT_FALSE(has("b-shm")) << "it belongs to another database";
    std::string content;
    std::ifstream(folder.path() / "b-wal") >> content;
    EXPECT_EQ(content, "a-wal");
}

}  // namespace
}  // namespace petal::chain
