/// The table of the watched scripts in a wallet's file.
#pragma once

#include <SQLiteCpp/Database.h>

#include <functional>
#include <span>

#include "chain/bytes.h"
#include "wallet/keys/key_path.h"
#include "wallet/store/wallet_database.h"

namespace petal::wallet {

/// A script of the wallet.
struct StoredScript {
    KeyPath path;
    chain::Bytes script;
};

/// Stores the scripts of a new wallet.
void store_scripts(SQLite::Database& database, std::span<const StoredScript> scripts);
/// Recomputes the stored digest from the scripts in the table.
void renew_script_digest(SQLite::Database& database);

/// The watched scripts, and a digest of all scripts, without which a damaged script would not be
/// noticed and the wallet would miss payments. The connection must outlive the table. To be used
/// within WalletStore::read() or write().
class ScriptTable {
public:
    explicit ScriptTable(WalletConnection& connection) : connection_(connection) {}

    /// Visits the scripts in order of derivation. Throws WalletError after the last script if the
    /// digest does not match. Files of versions below 8 have no digest.
    void for_each(const std::function<void(StoredScript)>& visit);
    void add(std::span<const StoredScript> scripts);

private:
    WalletConnection& connection_;
};

}  // namespace petal::wallet
