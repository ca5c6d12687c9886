/// The labels in a wallet's file.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "wallet/store/wallet_database.h"

namespace petal::wallet {

/// Labels by their BIP329 type (`addr`, `tx`, `output`) and what they name. A handle: the
/// connection must outlive it. Within WalletStore::read() or write().
class LabelTable {
public:
    explicit LabelTable(WalletConnection& connection) : connection_(connection) {}

    void for_each(const std::function<void(std::string_view type, std::string ref,
                                           std::string label)>& visit);
    /// Empty if there is none; it may be empty.
    std::optional<std::string> find(std::string_view type, const std::string& ref);
    /// At most kMaxLabelBytes. An empty label is stored too: it remembers that there was one.
    void set(std::string_view type, const std::string& ref, const std::string& label);
    void remove(std::string_view type, const std::string& ref);

private:
    WalletConnection& connection_;
};

}  // namespace petal::wallet
