/// The tables of a wallet's file that say what it watches.
#pragma once

#include <SQLiteCpp/Database.h>

#include <span>

#include "chain/watcher.h"
#include "wallet/store/wallet_store.h"

namespace petal::wallet {

/// Stores the descriptors of a new wallet, numbered from 0.
void store_descriptors(SQLite::Database& database, std::span<const StoredDescriptor> descriptors);
/// Stores the padding of a new wallet's filters.
void store_filter_padding(SQLite::Database& database, const chain::FilterPadding& padding);

}  // namespace petal::wallet
