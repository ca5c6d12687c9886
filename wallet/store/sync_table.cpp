#include "wallet/store/sync_table.h"

#include <cassert>

#include "chain/storage/sqlite_query.h"
#include "wallet/store/wallet_file.h"

namespace petal::wallet {

namespace {

using chain::BlockHash;
using chain::BlockRef;
using chain::SqliteQuery;

}  // namespace

chain::SyncState SyncTable::state() {
    SqliteQuery query(connection_.statement("SELECT height, hash, engine_memory FROM sync"));
    if (!query.step()) throw connection_.damaged("it has no sync state");
    chain::SyncState state;
    if (query.is_null(0) != query.is_null(1)) throw connection_.damaged("half a sync state");
    if (!query.is_null(0)) {
        state.synced = BlockRef{query.height(0), query.hash<BlockHash>(1)};
    }
    const chain::ByteView memory = query.blob(2, kMaxCheckpointBytes);
    state.sync_checkpoint.assign(memory.begin(), memory.end());
    return state;
}

void SyncTable::set_state(const std::optional<BlockRef>& synced, chain::ByteView sync_checkpoint) {
    assert(sync_checkpoint.size() <= kMaxCheckpointBytes);
    SqliteQuery(connection_.statement("UPDATE sync SET engine_memory = ?"))
        .bind(sync_checkpoint)
        .run();
    set_synced(synced);
}

void SyncTable::set_synced(const std::optional<BlockRef>& synced) {
    if (synced) {
        SqliteQuery(connection_.statement("UPDATE sync SET height = ?, hash = ?"))
            .bind(std::int64_t{synced->height})
            .bind(synced->hash.view())
            .run();
    } else {
        SqliteQuery(connection_.statement("UPDATE sync SET height = NULL, hash = NULL")).run();
    }
}

}  // namespace petal::wallet
