#include "wallet/unconfirmed_policy.h"

#include <vector>

namespace petal::wallet {

bool has_room_for(const Ledger::UnconfirmedLoad& load, std::size_t bytes) {
    return load.count < kMaxUnconfirmed && load.bytes + bytes <= kMaxUnconfirmedBytes;
}

std::int64_t plausible_seen_time(std::int64_t time, std::int64_t chain_time) {
    return time <= chain_time - chain::kUnconfirmedLifetime ? chain_time : time;
}

std::optional<chain::InvalidInput> find_invalid_spend(const WalletState& wallet_state,
                                                      const chain::Transaction& transaction) {
    std::vector<std::optional<chain::TxOutput>> spent;
    for (const chain::TxInput& input : transaction.inputs) {
        auto& output = spent.emplace_back();
        const Credit* credit = wallet_state.ledger().credit(input.prevout);
        if (credit == nullptr) continue;
        output = {credit->value, wallet_state.ring().script_at(credit->path)};
    }
    return chain::find_invalid_input(transaction, spent);
}

}  // namespace petal::wallet
