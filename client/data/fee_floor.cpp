#include "client/data/fee_floor.h"

#include <algorithm>
#include <system_error>
#include <vector>

#include "client/data/record_file.h"

namespace petal::client {
namespace {

// Seconds. The minimum fee rate of a node whose mempool was full takes at least three hours to
// halve (Bitcoin Core: ROLLING_FEE_HALFLIFE).
constexpr std::int64_t kMaxFloorAge = std::int64_t{3} * 3'600;
constexpr std::int64_t kRenewFloorAfter = 600;
constexpr std::int64_t kChangeFloorAfter = 60;
constexpr std::size_t kMaxFloorBytes = 1'024;

constexpr std::size_t kLeastGroups = 2;

}  // namespace

std::optional<wallet::FeeRate> middle_of(std::vector<wallet::FeeRate> rates) {
    if (rates.empty()) return std::nullopt;
    const auto middle = rates.begin() + static_cast<std::ptrdiff_t>((rates.size() - 1) / 2);
    std::ranges::nth_element(rates, middle);
    return *middle;
}

FeeFloorWriter::GroupRates FeeFloorWriter::stated_rates(const net::SyncStatus& status) {
    GroupRates rates;
    for (const net::PeerReport& peer : status.peers) {
        const net::PeerClaims& claims = peer.claims;
        const bool counts = !peer.ended && claims.has_version && claims.takes_transactions &&
                            claims.least_fee_rate <= kMostFeeFloor.sat_per_kvb();
        if (!counts) continue;
        const wallet::FeeRate rate{std::max<chain::Satoshis>(claims.least_fee_rate, 0)};
        const auto [found, is_new] = rates.emplace(peer.group, rate);
        if (!is_new) found->second = std::min(found->second, rate);
    }
    return rates;
}

FeeFloorWriter::~FeeFloorWriter() {
    if (floor_ != written_) write();
}

void FeeFloorWriter::update(std::size_t sync, const net::SyncStatus& status, std::int64_t now) {
    rates_[sync] = stated_rates(status);
    GroupRates groups;
    for (const auto& [number, rates] : rates_) {
        for (const auto& [group, rate] : rates) {
            const auto [found, is_new] = groups.emplace(group, rate);
            if (!is_new) found->second = std::min(found->second, rate);
        }
    }
    if (groups.size() < kLeastGroups) return;
    std::vector<wallet::FeeRate> all;
    for (const auto& [group, rate] : groups) all.push_back(rate);
    const auto floor = middle_of(std::move(all));
    // Peers state their rate a moment after they connect. Until then, the last sync's rate counts.
    if (floor == wallet::FeeRate{0} && !written_) return;
    floor_ = floor;
    noted_at_ = now;
    const std::int64_t age = now - written_at_;  // negative if the clock was set back
    const std::int64_t least_age = floor_ == written_ ? kRenewFloorAfter : kChangeFloorAfter;
    if (!written_ || age < 0 || age >= least_age) write();
}

void FeeFloorWriter::write() {
    written_ = floor_;
    written_at_ = noted_at_;
    try {
        Record record;
        record.set("time", noted_at_);
        record.set("sat_per_kvb", floor_->sat_per_kvb());
        record.write(file_);
    } catch (const std::system_error&) {
        // A payment then has the usual rate; if it is refused, the broadcast reports the reason.
    }
}

std::optional<wallet::FeeRate> read_fee_floor(const std::filesystem::path& file, std::int64_t now) {
    const Record record = Record::read(file, kMaxFloorBytes);
    const auto time = record.integer("time");
    const auto rate = record.integer("sat_per_kvb");
    const bool is_recent = time && *time <= now && *time >= now - kMaxFloorAge;
    const bool is_possible = rate && *rate > 0 && *rate <= kMostFeeFloor.sat_per_kvb();
    return is_recent && is_possible ? std::optional(wallet::FeeRate{*rate}) : std::nullopt;
}

}  // namespace petal::client
