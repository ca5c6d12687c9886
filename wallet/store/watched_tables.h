/// The tables of the watched descriptors in a wallet's file.
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
    account = 0,    ///< the account of the wallet's words
    candidate = 1,  ///< an account of the wallet's words, shown only once used
    imported = 2,   ///< given by the user without private keys
    restored = 3,   ///< given by the user with private keys, in a wallet without words
};

/// A descriptor of the wallet. Its position in the list is its DescriptorNumber.
struct StoredDescriptor {
    std::string text;  ///< public, with checksum
    KeyChain chain = KeyChain::receive;
    DescriptorOrigin origin = DescriptorOrigin::imported;
    LookAhead look_ahead;
    chain::Birthday birthday;  ///< as given by the user
};

/// The maximum number of descriptors of a wallet.
inline constexpr std::size_t kMaxDescriptors = 1'000;

/// Stores the descriptors of a new wallet, numbered from 0.
void store_descriptors(SQLite::Database& database, std::span<const StoredDescriptor> descriptors);
/// Stores the padding of a new wallet's filters.
void store_filter_padding(SQLite::Database& database, const chain::FilterPadding& padding);

/// Descriptors, handed-out addresses, and the padding of filters. The connection must outlive this
/// object. To be used within WalletStore::read() or write().
class WatchedTables {
public:
    explicit WatchedTables(WalletConnection& connection) : connection_(connection) {}

    /// The descriptors in the order of their numbers. Empty if the wallet has only the two
    /// descriptors of the account.
    std::vector<StoredDescriptor> descriptors();
    void add_descriptor(DescriptorNumber number, const StoredDescriptor& descriptor);

    /// Empty if the padding is derived from the account.
    std::optional<chain::FilterPadding> filter_padding();

    /// The highest handed-out index of the descriptor + 1, or 0.
    std::uint32_t handed_out(DescriptorNumber number);
    void set_handed_out(DescriptorNumber number, std::uint32_t end);

    /// The index of the descriptor's current address (Wallet::current_address()). Empty if there is
    /// none.
    std::optional<std::uint32_t> current_address(DescriptorNumber number);
    void set_current_address(DescriptorNumber number, std::optional<std::uint32_t> index);

private:
    std::optional<std::uint64_t> handed_out_row(std::int64_t row);
    void set_handed_out_row(std::int64_t row, std::uint64_t end);

    WalletConnection& connection_;
};

}  // namespace petal::wallet
