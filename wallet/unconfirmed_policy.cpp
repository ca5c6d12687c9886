#include "wallet/unconfirmed_policy.h"

namespace petal::wallet {

bool has_room_for(const Ledger::UnconfirmedLoad& load, std::size_t bytes) {
    return load.count < kMaxUnconfirmed && load.bytes + bytes <= kMaxUnconfirmedBytes;
}

std::int64_t plausible_seen_time(std::int64_t time, std::int64_t chain_time) {
    return time <= chain_time - chain::kUnconfirmedLifetime ? chain_time : time;
}

std::optional<InvalidSpend> find_invalid_spend(const WalletState& wallet_state,
                                               const chain::Transaction& transaction) {
    const chain::SighashCache cache(transaction);
    for (std::size_t i = 0; i < transaction.inputs.size(); ++i) {
        const Credit* credit = wallet_state.ledger().credit(transaction.inputs[i].prevout);
        if (credit == nullptr) continue;
        const chain::TxOutput spent{credit->value, wallet_state.ring().script_at(credit->path)};
        const auto verdict = chain::verify_input(cache, i, spent);
        if (!verdict) return InvalidSpend{i, verdict.error()};
    }
    return std::nullopt;
}

}  // namespace petal::wallet
