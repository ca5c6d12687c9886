/// Which unconfirmed transactions a wallet accepts: fabricating them costs nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "chain/script/input_verification.h"
#include "chain/transaction.h"
#include "chain/transaction_rules.h"
#include "wallet/wallet_state.h"

namespace petal::wallet {

/// How many a wallet stores that its user has not had announced, and the bytes of their wire forms.
/// Transactions above these bounds are refused and never evict earlier ones. A busy wallet has tens
/// at once; these make a file that every command reads within a fraction of a second.
inline constexpr std::size_t kMaxUnconfirmed = 2'000;
inline constexpr std::size_t kMaxUnconfirmedBytes = 10'000'000;

/// Whether there is room for one more of this size.
bool has_room_for(const Ledger::UnconfirmedLoad& load, std::size_t bytes);

/// When an unconfirmed transaction counts as seen: at `time`, or, where a chain with blocks as late
/// as `chain_time` shows that the machine's clock is two weeks behind, at `chain_time`. Otherwise
/// the next block would let it expire.
std::int64_t plausible_seen_time(std::int64_t time, std::int64_t chain_time);

/// The first input of the transaction that spends an output of the wallet and is not verified to be
/// allowed to (chain::verify_input); empty if all are. A taproot signature that covers the outputs
/// which foreign inputs spend cannot be verified, because the wallet knows only its own outputs.
std::optional<chain::InvalidInput> find_invalid_spend(const WalletState& wallet_state,
                                                      const chain::Transaction& transaction);

}  // namespace petal::wallet
