/// How GoogleTest prints a wallet's records.
#pragma once

#include <ostream>

#include "wallet/ledger/records.h"

namespace petal::wallet {

inline void PrintTo(const Balance& balance, std::ostream* out) {
    *out << balance.confirmed << " confirmed, " << balance.pending << " pending, "
         << balance.immature << " immature, " << balance.unconfirmed_spent
         << " spent by unconfirmed ones";
}

inline void PrintTo(const Coin& coin, std::ostream* out) {
    *out << coin.outpoint.to_string() << " " << coin.value << " to " << coin.path.descriptor.value
         << "/" << coin.path.index << ", " << coin.confirmations << " confirmations"
         << (coin.coinbase ? ", coinbase" : "") << (coin.spendable ? "" : ", not spendable");
    if (coin.height) *out << ", height " << *coin.height;
}

inline void PrintTo(const HistoryEntry& entry, std::ostream* out) {
    *out << "\n  " << entry.txid.to_hex() << " +" << entry.received << " -" << entry.sent
         << ", net " << entry.net << ", time " << entry.time << ", " << entry.confirmations
         << " confirmations" << (entry.coinbase ? ", coinbase" : "");
    if (entry.height) *out << ", height " << *entry.height;
    if (entry.undone) *out << ", undone";
    if (entry.fee) *out << ", fee " << *entry.fee;
    if (entry.replaced_by) *out << ", replaced by " << entry.replaced_by->to_hex();
}

}  // namespace petal::wallet
