/// The table of a wallet's file with the scripts that it watches.
#pragma once

#include <SQLiteCpp/Database.h>

#include <functional>
#include <span>

#include "chain/bytes.h"
#include "wallet/keys/key_path.h"
#include "wallet/store/wallet_database.h"

namespace petal::wallet {

/// One of the wallet's scripts.
struct StoredScript {
    KeyPath path;
    chain::Bytes script;
};

/// Stores the scripts of a new wallet.
void store_scripts(SQLite::Database& database, std::span<const StoredScript> scripts);
/// Stores the digest of the scripts that are in the table, in place of the one that there is.
void renew_script_digest(SQLite::Database& database);

/// The watched scripts, and a digest of all of them. A transaction has its txid, a descriptor its
/// checksum. But nothing else shows that a script was damaged, and the wallet would miss payments
/// to the right one. A handle: the connection must outlive it. Within WalletStore::read() or
/// write().
class ScriptTable {
public:
    explicit ScriptTable(WalletConnection& connection) : connection_(connection) {}

    /// In order of derivation. Throws WalletError after the last one if they are not those that
    /// were added; files of versions below 8 cannot tell.
    void for_each(const std::function<void(StoredScript)>& visit);
    void add(std::span<const StoredScript> scripts);

private:
    WalletConnection& connection_;
};

}  // namespace petal::wallet
