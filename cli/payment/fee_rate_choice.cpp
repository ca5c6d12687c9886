#include "cli/payment/fee_rate_choice.h"

#include "chain/enum_table.h"
#include "cli/options/data_folder.h"
#include "cli/payment/payment_order.h"
#include "cli/text/command_error.h"

namespace petal::cli {

std::string_view describe(client::RateSource source) {
    static constexpr auto kTexts = chain::enum_table<client::RateSource, std::string_view>({
        {client::RateSource::asked, "as asked"},
        {client::RateSource::confirmed,
         "as payments that confirmed in the last day; --fee-rate sets another"},
        {client::RateSource::peers,
         "the least that half of the peers relay; --fee-rate sets another"},
        {client::RateSource::replaced, "the old rate plus 1 sat/vB; --fee-rate sets another"},
        {client::RateSource::default_rate, "the default; --fee-rate sets another"},
    });
    return kTexts[source];
}

client::ChosenRate choose_rate(const std::string& fee_rate, const wallet::Wallet& wallet,
                               bool minimum_work, const GlobalOptions& global) {
    if (!fee_rate.empty()) return {read_fee_rate(fee_rate), client::RateSource::asked};
    const auto chosen = client::choose_rate(wallet, minimum_work, data_of(global));
    if (chosen) return *chosen;
    throw usage_error(
        "--fee-rate is missing: no payment that this wallet sent has confirmed in the last day, "
        "from which petal could tell what confirms on mainnet");
}

}  // namespace petal::cli
