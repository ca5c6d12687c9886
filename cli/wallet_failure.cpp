#include "cli/wallet_failure.h"

#include <string_view>

#include "chain/enum_table.h"

namespace petal::cli {

CommandError command_error(const wallet::WalletError& error) {
    using enum wallet::WalletError::Kind;
    struct Row {
        ExitStatus status;
        std::string_view code;
    };
    static constexpr auto kRows = chain::enum_table<wallet::WalletError::Kind, Row>({
        {missing, {ExitStatus::wallet, "wallet-missing"}},
        {exists, {ExitStatus::failed, "wallet-exists"}},
        {locked_by_other, {ExitStatus::wallet, "wallet-locked"}},
        {wrong_network, {ExitStatus::failed, "wrong-network"}},
        {damaged, {ExitStatus::damaged, "wallet-damaged"}},
        {newer_version, {ExitStatus::failed, "newer-version"}},
        {storage, {ExitStatus::failed, "storage"}},
        {bad_password, {ExitStatus::wallet, "wrong-password"}},
        {watch_only, {ExitStatus::wallet, "watch-only"}},
        {no_new_address, {ExitStatus::failed, "no-new-address"}},
    });
    const Row& row = kRows[error.kind()];
    return {row.status, row.code, error.what()};
}

}  // namespace petal::cli
