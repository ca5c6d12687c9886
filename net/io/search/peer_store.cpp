#include "net/io/search/peer_store.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "chain/storage/private_files.h"
#include "net/io/dial/system_random.h"

namespace petal::net {

namespace {

using chain::Bytes;
using chain::ByteView;

constexpr int kSchemaVersion = 1;
constexpr std::int64_t kMaxRows = 20'000;  // more than any address manager holds

constexpr const char* kSchema = R"(
    CREATE TABLE book (key BLOB NOT NULL);
    CREATE TABLE peers (
        kind INTEGER NOT NULL, host BLOB NOT NULL, port INTEGER NOT NULL, source BLOB NOT NULL,
        services INTEGER NOT NULL, last_seen INTEGER NOT NULL, last_attempt INTEGER NOT NULL,
        last_success INTEGER NOT NULL, failures INTEGER NOT NULL, last_outcome TEXT,
        not_before INTEGER NOT NULL, tried INTEGER NOT NULL, by_user INTEGER NOT NULL,
        PRIMARY KEY (kind, host, port)) WITHOUT ROWID;
    CREATE TABLE bans (
        kind INTEGER NOT NULL, host BLOB NOT NULL, until INTEGER NOT NULL,
        by_user INTEGER NOT NULL, PRIMARY KEY (kind, host)) WITHOUT ROWID;
)";
// Files of the same version may lack it.
constexpr const char* kAnchorSchema = R"(
    CREATE TABLE IF NOT EXISTS anchors (
        kind INTEGER NOT NULL, host BLOB NOT NULL, port INTEGER NOT NULL,
        PRIMARY KEY (kind, host, port)) WITHOUT ROWID
)";

// Another process may have written since this one has read; what its user has said then stays.
constexpr const char* kWritePeer = R"(
    INSERT INTO peers VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?) ON CONFLICT DO UPDATE SET
        source = excluded.source, services = excluded.services, last_seen = excluded.last_seen,
        last_attempt = excluded.last_attempt, last_success = excluded.last_success,
        failures = excluded.failures, last_outcome = excluded.last_outcome,
        not_before = CASE WHEN by_user > excluded.by_user THEN 0 ELSE excluded.not_before END,
        tried = excluded.tried, by_user = max(by_user, excluded.by_user)
)";
constexpr const char* kRemovePeer =
    "DELETE FROM peers WHERE kind = ? AND host = ? AND port = ? AND by_user <= ?";
constexpr const char* kWriteBan = R"(
    INSERT INTO bans VALUES (?,?,?,?) ON CONFLICT DO UPDATE SET
        until = excluded.until, by_user = excluded.by_user WHERE by_user <= excluded.by_user
)";
constexpr const char* kRemoveBan = "DELETE FROM bans WHERE kind = ? AND host = ? AND by_user <= ?";

/// The file holds something that no address manager has.
class Damaged : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Makes the file, or sees to it that its owner alone may read it.
void make_private(const std::filesystem::path& file) {
    const int number = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    const bool ok = number >= 0 && ::fchmod(number, 0600) == 0;
    const std::error_code error{errno, std::generic_category()};
    if (number >= 0) ::close(number);
    if (!ok) throw PeerStoreError("cannot write " + file.string() + ": " + error.message());
}

/// Whether the file is at fault, and not this machine or another process that has it locked
/// (SQLite: result codes). What SQLiteCpp finds wrong by itself has no such code.
bool is_damage(const SQLite::Exception& error) {
    constexpr std::array kNotTheFile{3 /*PERM*/,  5 /*BUSY*/,      6 /*LOCKED*/,
                                     7 /*NOMEM*/, 8 /*READONLY*/,  10 /*IOERR*/,
                                     13 /*FULL*/, 14 /*CANTOPEN*/, 23 /*AUTH*/};
    return std::ranges::find(kNotTheFile, error.getErrorCode()) == kNotTheFile.end();
}

/// SQLite only reads what a later version of its format is said to write (SQLite: file format,
/// 1.3.3), and would say so at the first change alone.
void check_header(const std::filesystem::path& file) {
    constexpr int kLastWriteVersion = 2;
    if (SQLite::Database::getHeaderInfo(file.string()).fileFormatWriteVersion > kLastWriteVersion) {
        throw Damaged("a header");
    }
}

/// Takes each row; one that no petal has written is passed over, and costs no other.
template <typename Take>
void read_rows(SQLite::Statement& rows, Take take) {
    while (rows.executeStep()) {
        try {
            take(rows);
        } catch (const Damaged&) {
            continue;
        }
    }
}

void delete_files(const std::filesystem::path& file) {
    for (const char* ending : {"", "-journal", "-wal", "-shm"}) {
        std::filesystem::remove(file.string() + ending);
    }
}

std::array<chain::Byte, 32> random_key() {
    std::array<chain::Byte, 32> key{};
    fill_random(key);
    return key;
}

Bytes bytes_in(const SQLite::Column& column, std::size_t most) {
    const auto size = static_cast<std::size_t>(column.getBytes());
    if (!column.isBlob() || size > most) throw Damaged("a blob");
    const auto* data = static_cast<const chain::Byte*>(column.getBlob());
    return {data, data + size};
}

std::int64_t number_in(const SQLite::Column& column, std::int64_t most) {
    if (!column.isInteger()) throw Damaged("a number");
    const std::int64_t number = column.getInt64();
    if (number < 0 || number > most) throw Damaged("a number");
    return number;
}

std::int64_t time_in(const SQLite::Column& column) {
    constexpr std::int64_t kLastYear9999 = 253'402'300'799;
    return number_in(column, kLastYear9999);
}

PeerAddress address_in(SQLite::Statement& row) {
    PeerAddress address;
    const auto kind = static_cast<AddressKind>(number_in(row.getColumn("kind"), 4));
    const bool known =
        kind == AddressKind::ipv4 || kind == AddressKind::ipv6 || kind == AddressKind::onion;
    address.kind = kind;
    address.host = bytes_in(row.getColumn("host"), 32);
    if (!known || address.host.size() != address_bytes(kind)) throw Damaged("an address");
    return address;
}

PeerAddress address_and_port_in(SQLite::Statement& row) {
    PeerAddress address = address_in(row);
    address.port = static_cast<std::uint16_t>(number_in(row.getColumn("port"), 65'535));
    return address;
}

KnownPeer peer_in(SQLite::Statement& row) {
    KnownPeer peer;
    peer.address = address_and_port_in(row);
    peer.source = bytes_in(row.getColumn("source"), 255);
    if (!row.getColumn("services").isInteger()) throw Damaged("services");
    peer.services = static_cast<std::uint64_t>(row.getColumn("services").getInt64());
    peer.last_seen = time_in(row.getColumn("last_seen"));
    peer.last_attempt = time_in(row.getColumn("last_attempt"));
    peer.last_success = time_in(row.getColumn("last_success"));
    peer.failures = static_cast<std::uint32_t>(number_in(row.getColumn("failures"), 0xffffffff));
    if (const auto outcome = row.getColumn("last_outcome"); !outcome.isNull()) {
        peer.last_outcome = parse_peer_outcome(outcome.getString());
        if (!peer.last_outcome) throw Damaged("an outcome");
    }
    peer.not_before = time_in(row.getColumn("not_before"));
    peer.tried = number_in(row.getColumn("tried"), 1) != 0;
    peer.by_user = number_in(row.getColumn("by_user"), 1) != 0;
    return peer;
}

void bind_bytes(SQLite::Statement& statement, int place, ByteView bytes) {
    const void* data = bytes.empty() ? "" : static_cast<const void*>(bytes.data());
    statement.bind(place, data, static_cast<int>(bytes.size()));
}

void bind_address(SQLite::Statement& statement, const PeerAddress& address) {
    statement.bind(1, static_cast<int>(address.kind));
    bind_bytes(statement, 2, address.host);
}

void write_peer(SQLite::Statement& insert, const KnownPeer& peer) {
    bind_address(insert, peer.address);
    insert.bind(3, int{peer.address.port});
    bind_bytes(insert, 4, peer.source);
    insert.bind(5, static_cast<std::int64_t>(peer.services));
    insert.bind(6, peer.last_seen);
    insert.bind(7, peer.last_attempt);
    insert.bind(8, peer.last_success);
    insert.bind(9, std::int64_t{peer.failures});
    if (peer.last_outcome) insert.bind(10, std::string{code_of(*peer.last_outcome)});
    insert.bind(11, peer.not_before);
    insert.bind(12, peer.tried ? 1 : 0);
    insert.bind(13, peer.by_user ? 1 : 0);
    insert.exec();
    insert.reset();
    insert.clearBindings();
}

}  // namespace

class PeerStore::Database {
public:
    Database(const std::filesystem::path& file, std::chrono::milliseconds patience)
        : sqlite(chain::without_links(file), SQLite::OPEN_READWRITE | SQLite::OPEN_NOFOLLOW,
                 static_cast<int>(patience.count())) {
        sqlite.exec("PRAGMA trusted_schema = OFF");
    }

    SQLite::Database sqlite;
};

PeerStore::PeerStore(const std::filesystem::path& file, std::chrono::milliseconds patience) {
    try {
        if (file.has_parent_path()) chain::make_private_folders(file.parent_path());
        try {
            open(file, patience);
            return;
        } catch (const Damaged&) {
        } catch (const SQLite::Exception& error) {
            if (!is_damage(error)) throw;
        }
        database_.reset();
        stored_peers_.clear();
        stored_bans_.clear();
        stored_anchors_.clear();
        delete_files(file);
        open(file, patience);
        rebuilt_ = true;
    } catch (const SQLite::Exception& error) {
        throw PeerStoreError(file.string() + ": " + error.what());
    } catch (const std::system_error& error) {
        throw PeerStoreError(error.what());
    }
}

PeerStore::~PeerStore() = default;
PeerStore::PeerStore(PeerStore&&) noexcept = default;

void PeerStore::open(const std::filesystem::path& file, std::chrono::milliseconds patience) {
    make_private(file);
    const bool is_new = std::filesystem::file_size(file) == 0;
    if (!is_new) check_header(file);
    database_ = std::make_unique<Database>(file, patience);
    if (is_new) create();
    // Only to read: another process may be writing.
    SQLite::Database& sqlite = database_->sqlite;
    SQLite::Transaction transaction(sqlite, SQLite::TransactionBehavior::DEFERRED);
    const int version = sqlite.execAndGet("PRAGMA user_version").getInt();
    if (version > kSchemaVersion) {
        throw PeerStoreError(file.string() + " was written by a newer petal");
    }
    if (version < kSchemaVersion) throw Damaged("no address manager");
    // A trigger or a view would make other statements of those that are run.
    const char* const other =
        "SELECT count(*) FROM sqlite_schema WHERE type NOT IN ('table', 'index')";
    if (sqlite.execAndGet(other).getInt() != 0) throw Damaged("a trigger or a view");
    read();
}

void PeerStore::create() {
    SQLite::Database& sqlite = database_->sqlite;
    SQLite::Transaction transaction(sqlite, SQLite::TransactionBehavior::IMMEDIATE);
    // Another process may have been quicker.
    if (sqlite.execAndGet("PRAGMA user_version").getInt() != 0) return;
    sqlite.exec(kSchema);
    const auto key = random_key();
    SQLite::Statement insert(sqlite, "INSERT INTO book VALUES (?)");
    bind_bytes(insert, 1, key);
    insert.exec();
    sqlite.exec("PRAGMA user_version = " + std::to_string(kSchemaVersion));
    transaction.commit();
}

void PeerStore::read() {
    SQLite::Database& sqlite = database_->sqlite;
    if (sqlite.execAndGet("PRAGMA quick_check(1)").getString() != "ok") throw Damaged("a page");
    SQLite::Statement key(sqlite, "SELECT key FROM book");
    if (!key.executeStep()) throw Damaged("no key");
    const Bytes key_bytes = bytes_in(key.getColumn(0), key_.size());
    if (key_bytes.size() != key_.size()) throw Damaged("a short key");
    std::copy(key_bytes.begin(), key_bytes.end(), key_.begin());

    SQLite::Statement peers(sqlite, "SELECT * FROM peers LIMIT " + std::to_string(kMaxRows));
    read_rows(peers, [this](SQLite::Statement& row) {
        KnownPeer peer = peer_in(row);
        const PeerAddress address = peer.address;
        stored_peers_.emplace(address, std::move(peer));
    });
    SQLite::Statement bans(sqlite, "SELECT * FROM bans LIMIT " + std::to_string(kMaxRows));
    read_rows(bans, [this](SQLite::Statement& row) {
        const PeerBan ban{time_in(row.getColumn("until")),
                          number_in(row.getColumn("by_user"), 1) != 0};
        stored_bans_.emplace(address_in(row), ban);
    });
    if (!sqlite.tableExists("anchors")) return;
    SQLite::Statement anchors(sqlite, "SELECT * FROM anchors LIMIT " + std::to_string(kMaxRows));
    read_rows(anchors,
              [this](SQLite::Statement& row) { stored_anchors_.insert(address_and_port_in(row)); });
}

AddrMan PeerStore::load(AddrManOptions options) const {
    options.key = key_;
    AddrMan addrman{options};
    for (const auto& [address, peer] : stored_peers_)
        (void)addrman.restore(peer);  // no room: forgotten
    for (const auto& [host, ban] : stored_bans_) addrman.bans().restore(host, ban);
    for (const auto& anchor : stored_anchors_) (void)addrman.restore_anchor(anchor);
    return addrman;
}

void PeerStore::save(const AddrMan& addrman) {
    std::map<PeerAddress, KnownPeer> peers;
    for (auto& peer : addrman.peers()) peers.emplace(peer.address, std::move(peer));
    try {
        SQLite::Transaction transaction(database_->sqlite, SQLite::TransactionBehavior::IMMEDIATE);
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

void PeerStore::write_peers(const std::map<PeerAddress, KnownPeer>& peers) {
    SQLite::Statement write(database_->sqlite, kWritePeer);
    for (const auto& [address, peer] : peers) {
        const auto before = stored_peers_.find(address);
        if (before == stored_peers_.end() || before->second != peer) write_peer(write, peer);
    }
    SQLite::Statement remove(database_->sqlite, kRemovePeer);
    for (const auto& [address, peer] : stored_peers_) {
        if (peers.contains(address)) continue;
        bind_address(remove, address);
        remove.bind(3, int{address.port});
        remove.bind(4, peer.by_user ? 1 : 0);
        remove.exec();
        remove.reset();
    }
}

void PeerStore::write_anchors(const std::set<PeerAddress>& anchors) {
    if (anchors == stored_anchors_) return;
    SQLite::Database& sqlite = database_->sqlite;
    sqlite.exec(kAnchorSchema);
    sqlite.exec("DELETE FROM anchors");
    SQLite::Statement write(sqlite, "INSERT INTO anchors VALUES (?,?,?)");
    for (const auto& anchor : anchors) {
        bind_address(write, anchor);
        write.bind(3, int{anchor.port});
        write.exec();
        write.reset();
    }
}

void PeerStore::write_bans(const std::map<PeerAddress, PeerBan>& bans) {
    SQLite::Statement write(database_->sqlite, kWriteBan);
    for (const auto& [host, ban] : bans) {
        const auto before = stored_bans_.find(host);
        if (before != stored_bans_.end() && before->second == ban) continue;
        bind_address(write, host);
        write.bind(3, ban.until);
        write.bind(4, ban.by_user ? 1 : 0);
        write.exec();
        write.reset();
    }
    SQLite::Statement remove(database_->sqlite, kRemoveBan);
    for (const auto& [host, ban] : stored_bans_) {
        if (bans.contains(host)) continue;
        bind_address(remove, host);
        remove.bind(3, ban.by_user ? 1 : 0);
        remove.exec();
        remove.reset();
    }
}

}  // namespace petal::net
