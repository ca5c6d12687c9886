/// The fee rate below which peers relay nothing (BIP133), kept for the payments that follow a sync.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "net/sync/sync_status.h"
#include "wallet/spending/fee_rate.h"

namespace petal::cli {

/// No peer's word makes a payment more expensive than this. Nodes that download the chain take no
/// transactions, and say so by a much higher rate (Bitcoin Core: MAX_FILTER_FEERATE).
inline constexpr wallet::FeeRate kMostFeeFloor{100'000};

/// The rate at which half of the connected peers or more relay, of those that have stated one of at
/// most kMostFeeFloor; empty if none has.
std::optional<wallet::FeeRate> fee_floor_of(const net::SyncStatus& status);

/// Writes the rate into the network's file, whole or not at all. Where that fails, an earlier one
/// or none is read.
class FeeFloorWriter {
public:
    explicit FeeFloorWriter(std::filesystem::path file) : file_(std::move(file)) {}

    /// Writes the rate if it differs from the last one, or if that was written some minutes ago.
    /// now   Unix seconds
    void update(const net::SyncStatus& status, std::int64_t now);

private:
    std::filesystem::path file_;
    std::optional<wallet::FeeRate> written_;
    std::int64_t written_at_ = 0;
};

/// What a sync has written in the last hours; empty without such a file, and with one that is not
/// understood.
/// now   Unix seconds
std::optional<wallet::FeeRate> read_fee_floor(const std::filesystem::path& file, std::int64_t now);

}  // namespace petal::cli
