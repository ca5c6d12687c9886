/// Errors of a wallet's file.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace petal::wallet {

/// Why a wallet can't be opened, created or written. what() is one line for the user with the
/// remedy.
class WalletError : public std::runtime_error {
public:
    enum class Kind : std::uint8_t {
        missing,          ///< there is no such wallet
        exists,           ///< a wallet of this name exists
        locked_by_other,  ///< another process syncs it, or has it open
        wrong_network,
        damaged,        ///< the stored data contradict themselves
        newer_version,  ///< made by a later petal
        storage,        ///< the disk or the folder refuses
        bad_password,
        watch_only,      ///< the wallet has no private keys
        unknown_key,     ///< none of its descriptors has the public key of a coin
        no_new_address,  ///< none of its descriptors can derive further addresses
    };
    WalletError(Kind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
    Kind kind() const { return kind_; }

private:
    Kind kind_;
};

}  // namespace petal::wallet
