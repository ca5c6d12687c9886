/// The fee rate below which peers relay nothing (BIP133), kept for the payments that follow a sync.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "net/sync/sync_status.h"
#include "wallet/spending/fee_rate.h"

namespace petal::cli {

/// No peer's word makes a payment more expensive than this. Nodes that download the chain take no
/// transactions, and say so by a much higher rate (Bitcoin Core: MAX_FILTER_FEERATE).
inline constexpr wallet::FeeRate kMostFeeFloor{100'000};

/// The lowest of these rates that half of them or more do not exceed; empty if there are none.
std::optional<wallet::FeeRate> middle_of(std::vector<wallet::FeeRate> rates);

/// Writes into the network's file, whole or not at all, the rate at which half of the connected
/// peers or more relay, of those that have stated one of at most kMostFeeFloor. Where that fails,
/// an earlier one or none is read.
class FeeFloorWriter {
public:
    explicit FeeFloorWriter(std::filesystem::path file) : file_(std::move(file)) {}
    /// Writes the last rate, if it is not written yet.
    ~FeeFloorWriter();
    FeeFloorWriter(const FeeFloorWriter&) = delete;
    FeeFloorWriter& operator=(const FeeFloorWriter&) = delete;

    /// Notes what the peers of one of the syncs that run side by side say. Writes the rate of all
    /// their peers if it differs from the last one, but at most once a minute, since peers may
    /// change theirs at any time; or if that was written some minutes ago.
    /// sync   tells it from the others
    /// now    Unix seconds
    void update(std::size_t sync, const net::SyncStatus& status, std::int64_t now);

private:
    void write();

    std::filesystem::path file_;
    std::map<std::size_t, std::vector<wallet::FeeRate>> rates_;  ///< of the peers of each sync
    std::optional<wallet::FeeRate> floor_;
    std::int64_t noted_at_ = 0;
    std::optional<wallet::FeeRate> written_;
    std::int64_t written_at_ = 0;
};

/// The floor that a sync wrote in the last hours; empty without such a file, and with one that is
/// not understood.
/// now   Unix seconds
std::optional<wallet::FeeRate> read_fee_floor(const std::filesystem::path& file, std::int64_t now);

}  // namespace petal::cli
