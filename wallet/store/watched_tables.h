/// The tables of a wallet's file with the descriptors that it watches.
#pragma once

#include <SQLiteCpp/Database.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "chain/watcher.h"
#include "wallet/descriptors/key_ring.h"
#include "wallet/keys/key_path.h"
#include "wallet/store/wallet_database.h"

namespace petal::wallet {

/// Why a wallet watches a descriptor. Wallet files store the numbers.
enum class DescriptorOrigin : std::uint8_t {
    account = 0,    ///< of an account of the wallet's words
    candidate = 1,  ///< the same, but shown only after it was used
    imported = 2,   ///< given by the user without private keys
    restored = 3,   ///< given by the user with its private keys; the wallet has no words
};

/// One of the wallet's descriptors; its index is its number.
struct StoredDescriptor {
    std::string text;  ///< public, with checksum
    KeyChain chain = KeyChain::receive;
    DescriptorOrigin origin = DescriptorOrigin::imported;
    LookAhead look_ahead;
    chain::Birthday birthday;  ///< as the user gave it
};

/// The maximum number of a wallet's descriptors.
inline constexpr std::size_t kMaxDescriptors = 1'000;

/// Stores the descriptors of a new wallet, numbered from 0.
void store_descriptors(SQLite::Database& database, std::span<const StoredDescriptor> descriptors);
/// Stores the padding of a new wallet's filters.
void store_filter_padding(SQLite::Database& database, const chain::FilterPadding& padding);

/// Descriptors, their handed-out addresses, and the padding of filters. A handle: the connection
/// must outlive it. Within WalletStore::read() or write().
class WatchedTables {
public:
    explicit WatchedTables(WalletConnection& connection) : connection_(connection) {}

    /// In the order of their numbers. Empty if they are the two of the account.
    std::vector<StoredDescriptor> descriptors();
    void add_descriptor(DescriptorNumber number, const StoredDescriptor& descriptor);

    /// Empty if it follows from the account.
    std::optional<chain::FilterPadding> filter_padding();

    /// One more than the highest index of the descriptor that was handed out.
    std::uint32_t handed_out(DescriptorNumber number);
    void set_handed_out(DescriptorNumber number, std::uint32_t end);

    /// The index of the descriptor's address that Wallet::current_address() shows; empty if it
    /// shows none.
    std::optional<std::uint32_t> current_address(DescriptorNumber number);
    void set_current_address(DescriptorNumber number, std::optional<std::uint32_t> index);

private:
    std::optional<std::uint64_t> handed_out_row(std::int64_t row);
    void set_handed_out_row(std::int64_t row, std::uint64_t end);

    WalletConnection& connection_;
};

}  // namespace petal::wallet
