/// The names of wallets, and their folders.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace petal::regtest::wallets {

/// The name of a wallet's file in its folder, as in Bitcoin Core.
inline constexpr const char* kWalletFile = "wallet.dat";

/// The file with a wallet's flags. A wallet without keys has no other file.
inline constexpr const char* kFlagsFile = "wallet.flags";

/// Whether the folder is a wallet's. Its files need not be valid.
bool is_wallet_folder(const std::filesystem::path& folder);

/// Why a name can't be a wallet's. Empty if it can. A name is a relative path below the folder of
/// all wallets. Unlike in Bitcoin Core, absolute paths are refused. The empty name stands for the
/// folder of all wallets itself.
std::optional<std::string> find_name_fault(const std::string& name);

/// The names of all wallets in the folder, in alphabetical order.
std::vector<std::string> list_wallet_names(const std::filesystem::path& folder);

}  // namespace petal::regtest::wallets
