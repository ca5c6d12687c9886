#include "wallet/store/script_table.h"

#include <SQLiteCpp/Statement.h>

#include <algorithm>
#include <array>

#include "chain/byte_writer.h"
#include "chain/hash.h"
#include "chain/script/script.h"
#include "chain/storage/sqlite_query.h"
#include "wallet/store/watched_tables.h"

namespace petal::wallet {

namespace {

using chain::ByteView;
using chain::SqliteQuery;

constexpr const char* kSelect = "SELECT chain, number, script FROM script ORDER BY id";
constexpr const char* kInsert = "INSERT INTO script (chain, number, script) VALUES (?, ?, ?)";
constexpr const char* kSelectDigest = "SELECT digest FROM script_digest";
constexpr const char* kReplaceDigest = "INSERT OR REPLACE INTO script_digest VALUES (1, ?)";

/// Each step is the SHA-256 of the previous digest and the next script. Zero without scripts.
class ScriptDigest {
public:
    void add(const KeyPath& path, ByteView script) {
        const auto numbers = chain::ByteWriter{}.u32(path.descriptor.value).u32(path.index).take();
        value_ = chain::sha256({value_, numbers, script});
    }
    /// Reads a stored digest, to be continued.
    static ScriptDigest read(const SqliteQuery& query) {
        ScriptDigest digest;
        const ByteView stored = query.blob(0, digest.value_.size());
        if (stored.size() != digest.value_.size()) throw chain::BadValue("bad digest of scripts");
        std::ranges::copy(stored, digest.value_.begin());
        return digest;
    }
    void store(SQLite::Statement& replace) const {
        SqliteQuery(replace).bind(ByteView(value_)).run();
    }

    friend bool operator==(const ScriptDigest&, const ScriptDigest&) = default;

private:
    std::array<chain::Byte, 32> value_{};
};

void insert(SQLite::Statement& statement, std::span<const StoredScript> scripts,
            ScriptDigest& digest) {
    for (const auto& [path, script] : scripts) {
        SqliteQuery(statement)
            .bind(std::int64_t{path.descriptor.value})
            .bind(std::int64_t{path.index})
            .bind(script)
            .run();
        digest.add(path, script);
    }
}

ScriptDigest visit_all(SQLite::Statement& select, const std::function<void(StoredScript)>& visit) {
    ScriptDigest digest;
    SqliteQuery query(select);
    while (query.step()) {
        const ByteView script = query.blob(2, chain::kMaxScriptBytes);
        const KeyPath path{query.integer<std::uint32_t>(0, kMaxDescriptors - 1),
                           query.integer<std::uint32_t>(1)};
        digest.add(path, script);
        visit({path, {script.begin(), script.end()}});
    }
    return digest;
}

}  // namespace

void store_scripts(SQLite::Database& database, std::span<const StoredScript> scripts) {
    ScriptDigest digest;
    SQLite::Statement statement(database, kInsert);
    insert(statement, scripts, digest);
    SQLite::Statement replace(database, kReplaceDigest);
    digest.store(replace);
}

void renew_script_digest(SQLite::Database& database) {
    SQLite::Statement select(database, kSelect);
    SQLite::Statement replace(database, kReplaceDigest);
    visit_all(select, [](const StoredScript&) {}).store(replace);
}

void ScriptTable::for_each(const std::function<void(StoredScript)>& visit) {
    const ScriptDigest digest = visit_all(connection_.statement(kSelect), visit);
    if (!connection_.has_table("script_digest")) return;
    SqliteQuery query(connection_.statement(kSelectDigest));
    if (!query.step() || ScriptDigest::read(query) != digest) {
        throw connection_.damaged("its scripts have changed");
    }
}

void ScriptTable::add(std::span<const StoredScript> scripts) {
    ScriptDigest digest;
    {
        SqliteQuery query(connection_.statement(kSelectDigest));
        if (!query.step()) throw connection_.damaged("it has no digest of its scripts");
        digest = ScriptDigest::read(query);
    }
    insert(connection_.statement(kInsert), scripts, digest);
    digest.store(connection_.statement(kReplaceDigest));
}

}  // namespace petal::wallet
