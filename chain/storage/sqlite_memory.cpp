#include "chain/storage/sqlite_memory.h"

#include <openssl/crypto.h>
#include <sqlite3.h>

#include <algorithm>
#include <cstring>

namespace petal::chain {

namespace {

// SQLite's default allocator, which the functions below call.
sqlite3_mem_methods plain_memory;

std::size_t size_of(void* memory) {
    return static_cast<std::size_t>(plain_memory.xSize(memory));
}

void wipe_and_release(void* memory) {
    if (memory == nullptr) return;
    OPENSSL_cleanse(memory, size_of(memory));
    plain_memory.xFree(memory);
}

void* move_and_wipe(void* memory, int bytes) {
    void* const moved = plain_memory.xMalloc(bytes);
    if (moved == nullptr) return nullptr;
    std::memcpy(moved, memory, std::min(static_cast<std::size_t>(bytes), size_of(memory)));
    wipe_and_release(memory);
    return moved;
}

}  // namespace

void wipe_sqlite_memory() {
    static const bool once = [] {
        if (sqlite3_config(SQLITE_CONFIG_GETMALLOC, &plain_memory) != SQLITE_OK) return false;
        sqlite3_mem_methods wiping = plain_memory;
        wiping.xFree = wipe_and_release;
        wiping.xRealloc = move_and_wipe;
        return sqlite3_config(SQLITE_CONFIG_MALLOC, &wiping) == SQLITE_OK;
    }();
    static_cast<void>(once);
}

}  // namespace petal::chain
