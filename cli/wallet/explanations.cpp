#include "cli/wallet/explanations.h"

#include <stdexcept>
#include <string_view>
#include <utility>

#include "chain/enum_table.h"
#include "cli/options/access_check.h"
#include "cli/options/data_folder.h"

namespace petal::cli {
namespace {

/// The name that is stored in the wallet.
std::string name_of(Explanation explanation) {
    using enum Explanation;
    static constexpr auto kNames = chain::enum_table<Explanation, std::string_view>({
        {pending_amounts, "pending amounts"},
        {frozen_coins, "frozen coins"},
        {spent_coins, "spent coins"},
        {announced_again, "announced again"},
    });
    return std::string(kNames[explanation]);
}

}  // namespace

Explanations::Explanations(std::set<std::string> seen, bool shows_all)
    : seen_(std::move(seen)), shows_all_(shows_all) {}

bool Explanations::take(Explanation explanation) {
    std::string name = name_of(explanation);
    if (seen_.contains(name)) return shows_all_;
    news_.insert(std::move(name));
    return true;
}

Explanations explanations_of_wallet(bool shows_all, const GlobalOptions& global) {
    try {
        return {open_wallet(global, wallet::Access::read).seen_explanations(), shows_all};
    } catch (const std::runtime_error&) {
        return {{}, shows_all};
    }
}

void remember_explanations(const Explanations& explanations, const GlobalOptions& global,
                           const Console& console) {
    if (explanations.news().empty() || !console.terminals().out) return;
    try {
        refuse_unsafe_folders(global);
        wallet::Wallet::remember_explanations(wallet_file(global), explanations.news());
    } catch (const std::runtime_error&) {
        return;
    }
}

}  // namespace petal::cli
