/// The explanations that the user of a wallet has seen.
#pragma once

#include <cstddef>
#include <set>
#include <string>

#include "wallet/store/wallet_database.h"

namespace petal::wallet {

/// The maximum size of an explanation's name in bytes.
inline constexpr std::size_t kMaxExplanationBytes = 64;

/// The names of explanations, each of at most kMaxExplanationBytes. The connection must outlive the
/// table. To be used within WalletStore::read() or write().
class ExplanationTable {
public:
    explicit ExplanationTable(WalletConnection& connection) : connection_(connection) {}

    /// False for a file of an earlier version that is open for reading.
    bool has_table() { return connection_.has_table("explained"); }
    /// Empty without a table.
    std::set<std::string> names();
    void add(const std::string& name);

private:
    WalletConnection& connection_;
};

}  // namespace petal::wallet
