#include "net/io/search/peer_store.h"

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Exception.h>
#include <SQLiteCpp/Statement.h>
#include <SQLiteCpp/Transaction.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "chain/hash.h"
#include "chain/storage/private_files.h"
#include "chain/storage/sqlite_file.h"
#include "chain/storage/sqlite_query.h"
#include "net/io/dial/system_random.h"

namespace petal::net {

namespace {

using chain::BadValue;
using chain::SqliteQuery;

constexpr int kSchemaVersion = 2;
constexpr std::int64_t kMaxRows = 20'000;  // more than an address manager can hold
constexpr int kMaxRowBytes = 1'000'000;    // far larger than any row

constexpr const char* kSchema = R"(
    CREATE TABLE book (key BLOB NOT NULL);
    CREATE TABLE peers (
        kind INTEGER NOT NULL, host BLOB NOT NULL, port INTEGER NOT NULL, source BLOB NOT NULL,
        services INTEGER NOT NULL, last_seen INTEGER NOT NULL, last_attempt INTEGER NOT NULL,
        last_success INTEGER NOT NULL, failures INTEGER NOT NULL, last_outcome TEXT,
        not_before INTEGER NOT NULL, tried INTEGER NOT NULL, by_user INTEGER NOT NULL,
        services_time INTEGER NOT NULL DEFAULT 0,
        PRIMARY KEY (kind, host, port)) WITHOUT ROWID;
    CREATE TABLE bans (
        kind INTEGER NOT NULL, host BLOB NOT NULL, until INTEGER NOT NULL,
        by_user INTEGER NOT NULL, PRIMARY KEY (kind, host)) WITHOUT ROWID;
)";
// Some files of this version lack the table.
constexpr const char* kAnchorSchema = R"(
    CREATE TABLE IF NOT EXISTS anchors (
        kind INTEGER NOT NULL, host BLOB NOT NULL, port INTEGER NOT NULL,
        PRIMARY KEY (kind, host, port)) WITHOUT ROWID
)";

// From version 1, in which a node without the services needed was paused.
constexpr const char* kUpgrade = R"(
    ALTER TABLE peers ADD COLUMN services_time INTEGER NOT NULL DEFAULT 0;
    UPDATE peers SET last_outcome = NULL, not_before = 0, failures = 0
        WHERE last_outcome = 'no-bloom';
)";

constexpr const char* kReadPeers = R"(
    SELECT kind, host, port, source, services, last_seen, last_attempt, last_success, failures,
        last_outcome, not_before, tried, by_user, services_time FROM peers LIMIT ?
)";
constexpr const char* kReadBans = "SELECT kind, host, until, by_user FROM bans LIMIT ?";
constexpr const char* kReadAnchors = "SELECT kind, host, port FROM anchors LIMIT ?";

// Another process may have written since this process read the file. The choices of its user are
// kept.
constexpr const char* kWritePeer = R"(
    INSERT INTO peers VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?) ON CONFLICT DO UPDATE SET
        source = excluded.source, services = excluded.services, last_seen = excluded.last_seen,
        last_attempt = excluded.last_attempt, last_success = excluded.last_success,
        failures = excluded.failures, last_outcome = excluded.last_outcome,
        not_before = CASE WHEN by_user > excluded.by_user THEN 0 ELSE excluded.not_before END,
        tried = excluded.tried, by_user = max(by_user, excluded.by_user),
        services_time =
            CASE WHEN by_user > excluded.by_user THEN 0 ELSE excluded.services_time END
)";
constexpr const char* kRemovePeer =
    "DELETE FROM peers WHERE kind = ? AND host = ? AND port = ? AND by_user <= ?";
constexpr const char* kWriteBan = R"(
    INSERT INTO bans VALUES (?,?,?,?) ON CONFLICT DO UPDATE SET
        until = excluded.until, by_user = excluded.by_user WHERE by_user <= excluded.by_user
)";
constexpr const char* kRemoveBan = "DELETE FROM bans WHERE kind = ? AND host = ? AND by_user <= ?";

/// If the header of a database states a later format version, SQLite opens the file read-only
/// (SQLite: file format, 1.3.3), and reports an error only at the first write.
void check_header(const std::filesystem::path& file) {
    constexpr int kLastWriteVersion = 2;
    const auto version = chain::sqlite_write_version(file);
    if (!version || *version > kLastWriteVersion) throw BadValue("bad header");
}

/// Passes each row to `take`. Skips rows that petal cannot have written.
template <typename Take>
void read_rows(SQLite::Database& sqlite, const char* sql, Take take) {
    SQLite::Statement statement(sqlite, sql);
    SqliteQuery rows(statement);
    rows.bind(kMaxRows);
    while (rows.step()) {
        try {
            take(rows);
        } catch (const BadValue&) {
            continue;
        }
    }
}

/// A file of another user, or in a read-only snapshot, can still be listed.
bool is_read_only(const std::filesystem::path& file) {
    return ::access(file.c_str(), W_OK) != 0 && (errno == EACCES || errno == EROFS) &&
           chain::is_there(file);
}

std::array<chain::Byte, 32> random_key() {
    std::array<chain::Byte, 32> key{};
    fill_random(key);
    return key;
}

bool flag_in(const SqliteQuery& row, int column) {
    return row.integer<std::uint8_t>(column, 1) != 0;
}

chain::Bytes bytes_in(const SqliteQuery& row, int column, std::size_t max_bytes) {
    const chain::ByteView bytes = row.blob(column, max_bytes);
    return {bytes.begin(), bytes.end()};
}

/// Reads the first two columns.
PeerAddress address_in(const SqliteQuery& row) {
    PeerAddress address;
    const auto kind = static_cast<AddressKind>(row.integer<std::uint8_t>(0));
    const bool known =
        kind == AddressKind::ipv4 || kind == AddressKind::ipv6 || kind == AddressKind::onion;
    address.kind = kind;
    address.host = bytes_in(row, 1, 32);
    if (!known || address.host.size() != address_bytes(kind)) throw BadValue("bad address");
    return address;
}

/// Reads the first three columns.
PeerAddress address_and_port_in(const SqliteQuery& row) {
    PeerAddress address = address_in(row);
    address.port = row.integer<std::uint16_t>(2);
    return address;
}

KnownPeer peer_in(const SqliteQuery& row) {
    constexpr std::size_t kMaxOutcomeBytes = 100;
    KnownPeer peer;
    peer.address = address_and_port_in(row);
    peer.source = bytes_in(row, 3, 255);
    peer.services = static_cast<std::uint64_t>(row.integer<std::int64_t>(4));
    peer.last_seen = row.time(5, /*min=*/0);
    peer.last_attempt = row.time(6, /*min=*/0);
    peer.last_success = row.time(7, /*min=*/0);
    peer.failures = row.integer<std::uint32_t>(8);
    if (!row.is_null(9)) {
        peer.last_outcome = parse_peer_outcome(row.text(9, kMaxOutcomeBytes));
        if (!peer.last_outcome) throw BadValue("bad outcome");
    }
    peer.not_before = row.time(10, /*min=*/0);
    peer.tried = flag_in(row, 11);
    peer.by_user = flag_in(row, 12);
    peer.services_time = row.time(13, /*min=*/0);
    return peer;
}

SqliteQuery& bind_address(SqliteQuery& query, const PeerAddress& address) {
    return query.bind(static_cast<std::int64_t>(address.kind)).bind(address.host);
}

void write_peer(SQLite::Statement& insert, const KnownPeer& peer) {
    SqliteQuery query(insert);
    bind_address(query, peer.address)
        .bind(std::int64_t{peer.address.port})
        .bind(peer.source)
        .bind(static_cast<std::int64_t>(peer.services))
        .bind(peer.last_seen)
        .bind(peer.last_attempt)
        .bind(peer.last_success)
        .bind(std::int64_t{peer.failures});
    if (peer.last_outcome) {
        query.bind(std::string{code_of(*peer.last_outcome)});
    } else {
        query.bind(std::nullopt);
    }
    query.bind(peer.not_before)
        .bind(std::int64_t{peer.tried})
        .bind(std::int64_t{peer.by_user})
        .bind(peer.services_time)
        .run();
}

}  // namespace

PeerStore::PeerStore(const std::filesystem::path& file, std::chrono::milliseconds patience) {
    try {
        if (file.has_parent_path()) chain::make_private_folders(file.parent_path());
        try {
            open(file, patience);
            return;
        } catch (const BadValue&) {
        } catch (const SQLite::Exception& error) {
            if (chain::failure_of(error) != chain::SqliteFailure::damaged) throw;
        }
        database_.reset();
        stored_peers_.clear();
        stored_bans_.clear();
        stored_anchors_.clear();
        chain::rename_sqlite_file(file, damaged_copy_of(file));
        open(file, patience);
        rebuilt_ = true;
    } catch (const SQLite::Exception& error) {
        throw PeerStoreError(file.string() + ": " + error.what());
    } catch (const std::system_error& error) {
        throw PeerStoreError(std::string("cannot write ") + error.what());
    }
}

std::filesystem::path PeerStore::damaged_copy_of(const std::filesystem::path& file) {
    return file.string() + ".damaged";
}

PeerStore::~PeerStore() = default;
PeerStore::PeerStore(PeerStore&&) noexcept = default;

void PeerStore::open(const std::filesystem::path& file, std::chrono::milliseconds patience) {
    if (std::filesystem::exists(file) && !std::filesystem::is_regular_file(file)) {
        throw PeerStoreError(file.string() + " is not a regular file");
    }
    if (!is_read_only(file)) chain::ensure_private_file(file);
    const bool is_new = std::filesystem::file_size(file) == 0;
    if (!is_new) check_header(file);
    database_ =
        std::make_unique<SQLite::Database>(chain::open_sqlite_file(file, kMaxRowBytes, patience));
    if (is_new) create();
    upgrade();
    // A read transaction, because another process may be writing.
    SQLite::Database& sqlite = *database_;
    SQLite::Transaction transaction(sqlite, SQLite::TransactionBehavior::DEFERRED);
    const int version = sqlite.execAndGet("PRAGMA user_version").getInt();
    if (version > kSchemaVersion) {
        throw PeerStoreError(file.string() + " was written by a newer petal");
    }
    if (version < kSchemaVersion) throw BadValue("no address manager");
    // A trigger or a view could change the effect of statements.
    const char* const other =
        "SELECT count(*) FROM sqlite_schema WHERE type NOT IN ('table', 'index')";
    if (sqlite.execAndGet(other).getInt() != 0) throw BadValue("a trigger or a view");
    read();
}

void PeerStore::create() {
    SQLite::Database& sqlite = *database_;
    SQLite::Transaction transaction(sqlite, SQLite::TransactionBehavior::IMMEDIATE);
    // Another process may have created the tables meanwhile.
    if (sqlite.execAndGet("PRAGMA user_version").getInt() != 0) return;
    sqlite.exec(kSchema);
    const auto key = random_key();
    SQLite::Statement insert(sqlite, "INSERT INTO book VALUES (?)");
    SqliteQuery(insert).bind(chain::ByteView{key}).run();
    sqlite.exec("PRAGMA user_version = " + std::to_string(kSchemaVersion));
    transaction.commit();
}

void PeerStore::upgrade() {
    SQLite::Database& sqlite = *database_;
    const auto is_old = [&] { return sqlite.execAndGet("PRAGMA user_version").getInt() == 1; };
    if (!is_old()) return;
    SQLite::Transaction transaction(sqlite, SQLite::TransactionBehavior::IMMEDIATE);
    if (!is_old()) return;  // another process was faster
    sqlite.exec(kUpgrade);
    sqlite.exec("PRAGMA user_version = " + std::to_string(kSchemaVersion));
    transaction.commit();
}

void PeerStore::read() {
    SQLite::Database& sqlite = *database_;
    if (sqlite.execAndGet("PRAGMA quick_check(1)").getString() != "ok") throw BadValue("bad page");
    SQLite::Statement select_key(sqlite, "SELECT key FROM book");
    SqliteQuery key(select_key);
    if (!key.step()) throw BadValue("no key");
    key_ = key.hash<chain::Hash256>(0).bytes;

    read_rows(sqlite, kReadPeers, [this](const SqliteQuery& row) {
        KnownPeer peer = peer_in(row);
        const PeerAddress address = peer.address;
        stored_peers_.emplace(address, std::move(peer));
    });
    read_rows(sqlite, kReadBans, [this](const SqliteQuery& row) {
        stored_bans_.emplace(address_in(row), PeerBan{row.time(2, /*min=*/0), flag_in(row, 3)});
    });
    if (!sqlite.tableExists("anchors")) return;
    read_rows(sqlite, kReadAnchors,
              [this](const SqliteQuery& row) { stored_anchors_.insert(address_and_port_in(row)); });
}

AddrMan PeerStore::load(AddrManOptions options) const {
    options.key = key_;
    AddrMan addrman{options};
    for (const auto& [address, peer] : stored_peers_)
        (void)addrman.restore(peer);  // dropped if there is no room
    for (const auto& [host, ban] : stored_bans_) addrman.bans().restore(host, ban);
    for (const auto& anchor : stored_anchors_) (void)addrman.restore_anchor(anchor);
    return addrman;
}

void PeerStore::save(const AddrMan& addrman) {
    std::map<PeerAddress, KnownPeer> peers;
    for (auto& peer : addrman.peers()) peers.emplace(peer.address, std::move(peer));
    try {
        SQLite::Transaction transaction(*database_, SQLite::TransactionBehavior::IMMEDIATE);
        write_peers(peers);
        write_bans(addrman.bans().all());
        write_anchors(addrman.anchors());
        transaction.commit();
    } catch (const SQLite::Exception& error) {
        throw PeerStoreError(std::string("cannot store what is known of peers: ") + error.what());
    }
    stored_peers_ = std::move(peers);
    stored_bans_ = addrman.bans().all();
    stored_anchors_ = addrman.anchors();
}

void PeerStore::end_pauses_by_chain() {
    std::map<PeerAddress, KnownPeer> peers = stored_peers_;
    for (auto& [address, peer] : peers) {
        if (!peer.last_outcome || !is_by_stored_chain(*peer.last_outcome)) continue;
        peer.failures = 0;
        peer.not_before = 0;
    }
    try {
        SQLite::Transaction transaction(*database_, SQLite::TransactionBehavior::IMMEDIATE);
        write_peers(peers);
        transaction.commit();
    } catch (const SQLite::Exception& error) {
        throw PeerStoreError(std::string("cannot store what is known of peers: ") + error.what());
    }
    stored_peers_ = std::move(peers);
}

void PeerStore::write_peers(const std::map<PeerAddress, KnownPeer>& peers) {
    SQLite::Statement write(*database_, kWritePeer);
    for (const auto& [address, peer] : peers) {
        const auto before = stored_peers_.find(address);
        if (before == stored_peers_.end() || before->second != peer) write_peer(write, peer);
    }
    SQLite::Statement remove(*database_, kRemovePeer);
    for (const auto& [address, peer] : stored_peers_) {
        if (peers.contains(address)) continue;
        SqliteQuery query(remove);
        bind_address(query, address)
            .bind(std::int64_t{address.port})
            .bind(std::int64_t{peer.by_user})
            .run();
    }
}

void PeerStore::write_anchors(const std::set<PeerAddress>& anchors) {
    if (anchors == stored_anchors_) return;
    SQLite::Database& sqlite = *database_;
    sqlite.exec(kAnchorSchema);
    sqlite.exec("DELETE FROM anchors");
    SQLite::Statement write(sqlite, "INSERT INTO anchors VALUES (?,?,?)");
    for (const auto& anchor : anchors) {
        SqliteQuery query(write);
        bind_address(query, anchor).bind(std::int64_t{anchor.port}).run();
    }
}

void PeerStore::write_bans(const std::map<PeerAddress, PeerBan>& bans) {
    SQLite::Statement write(*database_, kWriteBan);
    for (const auto& [host, ban] : bans) {
        const auto before = stored_bans_.find(host);
        if (before != stored_bans_.end() && before->second == ban) continue;
        SqliteQuery query(write);
        bind_address(query, host).bind(ban.until).bind(std::int64_t{ban.by_user}).run();
    }
    SQLite::Statement remove(*database_, kRemoveBan);
    for (const auto& [host, ban] : stored_bans_) {
        if (bans.contains(host)) continue;
        SqliteQuery query(remove);
        bind_address(query, host).bind(std::int64_t{ban.by_user}).run();
    }
}

}  // namespace petal::net
