#include "cli/sync/fee_floor.h"

#include <algorithm>
#include <fstream>
#include <string>
#include <system_error>
#include <vector>

#include "chain/storage/private_files.h"
#include "cli/json.h"

namespace petal::cli {
namespace {

// Seconds. The least rate of a node whose memory pool was full halves in three hours at the
// soonest (Bitcoin Core: ROLLING_FEE_HALFLIFE).
constexpr std::int64_t kMaxFloorAge = 3 * 3'600;
constexpr std::int64_t kRenewFloorAfter = 600;
constexpr std::int64_t kChangeFloorAfter = 60;
constexpr std::size_t kMaxFloorBytes = 1'024;

std::vector<wallet::FeeRate> stated_rates(const net::SyncStatus& status) {
    std::vector<wallet::FeeRate> rates;
    for (const net::PeerReport& peer : status.peers) {
        const chain::Satoshis rate = peer.least_fee_rate;
        const bool counts = !peer.ended && rate > 0 && rate <= kMostFeeFloor.sat_per_kvb();
        if (counts) rates.emplace_back(rate);
    }
    return rates;
}

}  // namespace

std::optional<wallet::FeeRate> middle_of(std::vector<wallet::FeeRate> rates) {
    if (rates.empty()) return std::nullopt;
    const auto middle = rates.begin() + static_cast<std::ptrdiff_t>((rates.size() - 1) / 2);
    std::ranges::nth_element(rates, middle);
    return *middle;
}

FeeFloorWriter::~FeeFloorWriter() {
    if (floor_ != written_) write();
}

void FeeFloorWriter::update(std::size_t sync, const net::SyncStatus& status, std::int64_t now) {
    rates_[sync] = stated_rates(status);
    std::vector<wallet::FeeRate> all;
    for (const auto& [number, rates] : rates_) all.insert(all.end(), rates.begin(), rates.end());
    const auto floor = middle_of(std::move(all));
    if (!floor) return;
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
        const Json json{{"time", noted_at_}, {"sat_per_kvb", floor_->sat_per_kvb()}};
        chain::replace_private_file(file_, to_line(json) + '\n');
    } catch (const std::system_error&) {
        // A payment then has the usual rate; what it is refused for is said when it is sent.
    }
}

std::optional<wallet::FeeRate> read_fee_floor(const std::filesystem::path& file, std::int64_t now) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(std::filesystem::symlink_status(file, error))) {
        return std::nullopt;
    }
    std::ifstream in(file);
    std::string text(kMaxFloorBytes, '\0');
    in.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(in.gcount()));
    const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
    try {
        const bool has_integers =
            json.at("time").is_number_integer() && json.at("sat_per_kvb").is_number_integer();
        if (!has_integers) return std::nullopt;
        const auto time = json.at("time").get<std::int64_t>();
        const auto rate = json.at("sat_per_kvb").get<std::int64_t>();
        const bool is_recent = time <= now && time >= now - kMaxFloorAge;
        if (!is_recent || rate <= 0 || rate > kMostFeeFloor.sat_per_kvb()) return std::nullopt;
        return wallet::FeeRate{rate};
    } catch (const Json::exception&) {
        return std::nullopt;
    }
}

}  // namespace petal::cli
