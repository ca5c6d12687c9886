#include "client/spending/fee_choice.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <vector>

#include "chain/enum_table.h"
#include "client/data/fee_floor.h"
#include "client/spending/sent_payment.h"
#include "net/io/clocks.h"

namespace petal::client {
namespace {

/// Rounded to a tenth of a satoshi: the exact rate of a payment reveals its fee, which would link
/// the two payments.
wallet::FeeRate rounded(double sat_vb) {
    constexpr double kSteps = 10;
    constexpr std::int64_t kSatPerKvb = 100;  // of a step
    constexpr std::int64_t kMost = wallet::FeeRate::kMaxSatPerKvb / kSatPerKvb;
    return wallet::FeeRate{std::llround(std::min(sat_vb * kSteps, double{kMost})) * kSatPerKvb};
}

/// The median of the rates of the wallet's payments that blocks confirmed in the last day. With
/// several payments, one urgent payment or one that its child paid for does not decide.
///
/// An attacker can fabricate a block with payments. Payments that only blocks have shown are left
/// out before the count, so that fabricated payments cannot displace the wallet's own. Replacements
/// are left out because their rate was chosen for one urgent payment. The wallet stores which of
/// its payments are replacements. Replacements that were made elsewhere are known as long as the
/// history has the replaced payment.
std::optional<wallet::FeeRate> confirmed_rate(const wallet::Wallet& wallet, std::int64_t now) {
    constexpr std::int64_t kDay = std::int64_t{24} * 3'600;
    constexpr std::size_t kMostPayments = 100;
    const SentPayments payments(wallet);
    const std::vector<wallet::HistoryEntry> history = wallet.history(/*limit=*/0);
    std::set<chain::Txid> replacements;
    for (const wallet::HistoryEntry& entry : history) {
        if (entry.replaced_by) replacements.insert(*entry.replaced_by);
    }
    std::vector<wallet::FeeRate> rates;
    for (const wallet::HistoryEntry& entry : history) {
        if (rates.size() == kMostPayments) break;
        if (replacements.contains(entry.txid)) continue;
        if (!entry.height || entry.time < now - kDay) continue;
        const auto payment = payments.find(entry);
        const bool counts =
            payment && payment->shown && !payment->is_replacement && payment->fee_rate;
        if (counts) rates.push_back(rounded(*payment->fee_rate));
    }
    return middle_of(std::move(rates));
}

ChosenRate at_least_relayed(ChosenRate rate, const DataFolder& data) {
    if (data.network().name == "mainnet") return rate;
    const auto floor = read_fee_floor(data.fee_floor_file(), net::unix_time_now());
    return floor && *floor > rate.rate ? ChosenRate{*floor, RateSource::peers} : rate;
}

}  // namespace

std::string_view code_of(RateSource source) {
    static constexpr auto kCodes = chain::enum_table<RateSource, std::string_view>({
        {RateSource::asked, "asked"},
        {RateSource::confirmed, "confirmed"},
        {RateSource::peers, "peers"},
        {RateSource::replaced, "replaced"},
        {RateSource::default_rate, "default"},
    });
    return kCodes[source];
}

std::optional<ChosenRate> choose_rate(const wallet::Wallet& wallet, bool minimum_work,
                                      const DataFolder& data) {
    const auto confirmed =
        minimum_work ? confirmed_rate(wallet, net::unix_time_now()) : std::nullopt;
    if (confirmed) {
        return at_least_relayed({std::max(*confirmed, kDefaultFeeRate), RateSource::confirmed},
                                data);
    }
    if (data.network().name == "mainnet") return std::nullopt;
    return at_least_relayed({kDefaultFeeRate, RateSource::default_rate}, data);
}

ChosenRate replacement_rate(const wallet::ReplacedPayment& replaced, const DataFolder& data) {
    const std::int64_t rate =
        replaced.package_rate.sat_per_kvb() + wallet::kIncrementalRelayRate.sat_per_kvb();
    return at_least_relayed(
        {wallet::FeeRate{std::min(rate, wallet::FeeRate::kMaxSatPerKvb)}, RateSource::replaced},
        data);
}

}  // namespace petal::client
