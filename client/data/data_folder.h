/// The folder in which the programs of a user keep wallets, headers and known peers.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "chain/network_params.h"
#include "wallet/wallet.h"

namespace petal::client {

/// Why the data folder of a network can't be used.
class DataFolderError : public std::runtime_error {
public:
    enum class Kind : std::uint8_t {
        dangling_link,  ///< a folder is a symbolic link that leads nowhere
        is_file,        ///< a folder is a file
        system,         ///< the system refuses it
    };

    /// reason   part of a sentence
    DataFolderError(Kind kind, std::filesystem::path folder, const std::string& reason);

    Kind kind() const { return kind_; }
    const std::filesystem::path& folder() const { return folder_; }
    const std::string& reason() const { return reason_; }

private:
    Kind kind_;
    std::filesystem::path folder_;
    std::string reason_;
};

/// Whether the name is valid for a wallet: 1 to 64 letters, digits and `._-`, starting with a
/// letter or digit.
bool is_wallet_name(std::string_view name);

/// The places of one network's files in a folder of all data:
///
///     ROOT/NETWORK/headers.dat       block headers (chain::HeaderFile)
///     ROOT/NETWORK/peers.db          known peers (net::PeerStore)
///     ROOT/NETWORK/fee-floor.json    the fee rate that peers relay (FeeFloorWriter)
///     ROOT/NETWORK/wallets/NAME.db   wallets
///
/// Several processes may use the folder at once.
class DataFolder {
public:
    /// root   the folder of all networks' data. Need not exist
    DataFolder(std::filesystem::path root, std::shared_ptr<const chain::NetworkParams> network);

    const chain::NetworkParams& network() const { return *network_; }
    const std::filesystem::path& root() const { return root_; }
    /// The network's folder.
    std::filesystem::path folder() const;
    /// The root, the network's folder, and the folder of its wallets.
    std::array<std::filesystem::path, 3> folders() const;

    /// Throws std::invalid_argument unless is_wallet_name().
    std::filesystem::path wallet_file(const std::string& wallet) const;
    std::filesystem::path header_file() const;
    std::filesystem::path peer_file() const;
    std::filesystem::path fee_floor_file() const;

    /// The names of the network's wallets, in alphabetical order. None if there is no folder yet.
    /// Throws DataFolderError if the folder can't be read.
    std::vector<std::string> wallet_names() const;

    /// Throws DataFolderError if one of the folders is there and can't be used, before other code
    /// fails because of it.
    void check() const;
    /// Creates the network's folder, for its owner only. Throws DataFolderError.
    void make() const;

    /// Opens a wallet. Throws std::invalid_argument unless is_wallet_name(), DataFolderError, and
    /// wallet::WalletError, also if there is no such wallet.
    wallet::Wallet open_wallet(const std::string& wallet, wallet::Access access) const;
    /// Renames a wallet and the files beside it. Throws as wallet::Wallet::rename(). The wallet
    /// then keeps its name.
    void rename_wallet(const std::string& wallet, const std::string& new_name) const;
    /// Deletes a wallet and the files beside it, but keeps the hosts that received its filter
    /// (keep_filter_hosts()). Throws as wallet::Wallet::remove(), and std::system_error if the
    /// hosts can't be kept. The wallet then stays.
    void remove_wallet(const std::string& wallet) const;

private:
    std::filesystem::path root_;
    std::shared_ptr<const chain::NetworkParams> network_;
};

}  // namespace petal::client
