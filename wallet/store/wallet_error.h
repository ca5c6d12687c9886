/// Errors of a wallet's file.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace petal::wallet {

/// Why a wallet can't be opened, created or written. what() is one line for the user that says what
/// to do.
class WalletError : public std::runtime_error {
public:
    enum class Kind : std::uint8_t {
        missing,          ///< the wallet does not exist
        exists,           ///< a wallet of this name exists
        locked_by_other,  ///< another process syncs the wallet or has it open
        wrong_network,
        damaged,        ///< the stored data is inconsistent
        newer_version,  ///< written by a later version of petal
        storage,        ///< an error of the disk or folder
        bad_password,
        watch_only,      ///< the wallet has no private keys
        unknown_key,     ///< no descriptor has the public key of a coin
        no_new_address,  ///< no descriptor can derive further addresses
    };
    WalletError(Kind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
    Kind kind() const { return kind_; }

private:
    Kind kind_;
};

}  // namespace petal::wallet
