#include "cli/text/wallet_failure.h"

#include <string>
#include <string_view>

#include "chain/enum_table.h"

namespace petal::cli {

CommandError command_error(const wallet::WalletError& error) {
    using enum wallet::WalletError::Kind;
    struct Row {
        ExitStatus status;
        std::string_view code;
        std::string_view advice = {};  ///< names commands, which the library does not know
    };
    static constexpr auto kRows = chain::enum_table<wallet::WalletError::Kind, Row>({
        {missing, {ExitStatus::wallet, "wallet-missing"}},
        {exists, {ExitStatus::failed, "wallet-exists"}},
        {locked_by_other, {ExitStatus::wallet, "wallet-locked"}},
        {wrong_network, {ExitStatus::failed, "wrong-network"}},
        {damaged,
         {ExitStatus::damaged, "wallet-damaged", " (petal restore-backup or petal restore)"}},
        {newer_version, {ExitStatus::failed, "newer-version"}},
        {storage, {ExitStatus::failed, "storage"}},
        {bad_password, {ExitStatus::wallet, "wrong-password"}},
        {watch_only,
         {ExitStatus::wallet, "watch-only",
          "; petal restore makes a wallet of its words or of its descriptors with private keys"}},
        {unknown_key,
         {ExitStatus::wallet, "watch-only",
          "; petal watch makes a wallet of the key's descriptor, as wpkh(KEY)"}},
        {no_new_address,
         {ExitStatus::failed, "no-new-address",
          "; petal info lists the descriptors by number, petal receive without --new shows the "
          "only address of a descriptor, and petal import adds descriptors"}},
    });
    const Row& row = kRows[error.kind()];
    return {row.status, row.code, std::string(error.what()) + std::string(row.advice)};
}

}  // namespace petal::cli
