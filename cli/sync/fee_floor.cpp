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
constexpr std::size_t kMaxFloorBytes = 1'024;

}  // namespace

std::optional<wallet::FeeRate> fee_floor_of(const net::SyncStatus& status) {
    std::vector<chain::Satoshis> rates;
    for (const net::PeerReport& peer : status.peers) {
        const chain::Satoshis rate = peer.least_fee_rate;
        const bool counts = !peer.ended && rate > 0 && rate <= kMostFeeFloor.sat_per_kvb();
        if (counts) rates.push_back(rate);
    }
    if (rates.empty()) return std::nullopt;
    const auto middle = rates.begin() + static_cast<std::ptrdiff_t>((rates.size() - 1) / 2);
    std::ranges::nth_element(rates, middle);
    return wallet::FeeRate{*middle};
}

void FeeFloorWriter::update(const net::SyncStatus& status, std::int64_t now) {
    const auto floor = fee_floor_of(status);
    if (!floor) return;
    const std::int64_t age = now - written_at_;  // negative if the clock was set back
    if (floor == written_ && age >= 0 && age < kRenewFloorAfter) return;
    written_ = floor;
    written_at_ = now;
    try {
        const Json json{{"time", now}, {"sat_per_kvb", floor->sat_per_kvb()}};
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
