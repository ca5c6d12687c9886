/// The fee rate below which peers relay nothing (BIP133), kept for payments after a sync.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "chain/bytes.h"
#include "net/sync/state/sync_status.h"
#include "wallet/spending/fee_rate.h"

namespace petal::client {

/// No claim of a peer makes a payment more expensive than this. Nodes that download the chain
/// accept no transactions, and signal it by a much higher rate (Bitcoin Core: MAX_FILTER_FEERATE).
inline constexpr wallet::FeeRate kMostFeeFloor{100'000};

/// The lower median of the rates. Empty without rates.
std::optional<wallet::FeeRate> middle_of(std::vector<wallet::FeeRate> rates);

/// Writes the rate at which at least half of the connected peers relay to the network's file,
/// atomically. If writing fails, readers find the former rate or none.
///
/// Each network group counts once, with the lowest rate of its peers, and at least two groups are
/// needed. One peer, or the nodes of one owner, can't raise the rate. A peer that states no rate
/// counts as 0. A peer with a rate above kMostFeeFloor, or that relays no transactions, does not
/// count.
class FeeFloorWriter {
public:
    explicit FeeFloorWriter(std::filesystem::path file) : file_(std::move(file)) {}
    /// Writes the last rate, if it is not written yet.
    ~FeeFloorWriter();
    FeeFloorWriter(const FeeFloorWriter&) = delete;
    FeeFloorWriter& operator=(const FeeFloorWriter&) = delete;

    /// Notes the rates of the peers of one of the concurrent syncs. Writes the rate of the peers of
    /// all syncs if the rate has changed, at most once a minute, and if the file is some minutes
    /// old.
    /// sync   identifies the sync
    /// now    Unix seconds
    void update(std::size_t sync, const net::SyncStatus& status, std::int64_t now);

private:
    using GroupRates = std::map<chain::Bytes, wallet::FeeRate>;

    static GroupRates stated_rates(const net::SyncStatus& status);
    void write();

    std::filesystem::path file_;
    std::map<std::size_t, GroupRates> rates_;  ///< of each sync
    std::optional<wallet::FeeRate> floor_;
    std::int64_t noted_at_ = 0;
    std::optional<wallet::FeeRate> written_;
    std::int64_t written_at_ = 0;
};

/// The floor that a sync wrote in the last hours. Empty without a valid file.
/// now   Unix seconds
std::optional<wallet::FeeRate> read_fee_floor(const std::filesystem::path& file, std::int64_t now);

}  // namespace petal::client
