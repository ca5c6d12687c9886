#include "wallet/store/wallet_locks.h"

namespace petal::wallet {

std::filesystem::path use_lock_file(const std::filesystem::path& file) {
    return file.string() + ".lock";
}

std::filesystem::path sync_lock_file(const std::filesystem::path& file) {
    return file.string() + ".sync-lock";
}

std::string how_to_continue(const chain::LockHolder& stopped) {
    return "continue it with fg in its shell, or with kill -CONT " +
           std::to_string(stopped.process_id);
}

}  // namespace petal::wallet
