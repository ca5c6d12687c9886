#include "wallet/store/wallet_locks.h"

namespace petal::wallet {

std::filesystem::path use_lock_file(const std::filesystem::path& file) {
    return file.string() + ".lock";
}

std::filesystem::path sync_lock_file(const std::filesystem::path& file) {
    return file.string() + ".sync-lock";
}

std::optional<chain::LockHolder> find_wallet_user(const std::filesystem::path& file) {
    const auto syncs = chain::find_lock_holder(sync_lock_file(file));
    if (syncs && syncs->is_stopped) return syncs;
    const auto uses = chain::find_lock_holder(use_lock_file(file));
    return syncs && !(uses && uses->is_stopped) ? syncs : uses;
}

std::string how_to_continue(const chain::LockHolder& stopped) {
    return "continue it with fg in its shell, or with kill -CONT " +
           std::to_string(stopped.process_id);
}

}  // namespace petal::wallet
