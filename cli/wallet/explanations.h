/// Explanations of results. A user sees each explanation once in a wallet.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "cli/options/options.h"
#include "cli/terminal/console.h"
#include "wallet/wallet.h"

namespace petal::cli {

enum class Explanation : std::uint8_t {
    pending_amounts,
    frozen_coins,
    spent_coins,     ///< coins that unconfirmed transactions spend
    announced_again  ///< of a payment that is in the wallet
};

/// Decides which explanations a command shows: all with --explain, otherwise the explanations that
/// the wallet's user has not seen. Warnings do not belong here, because a warning is always shown.
class Explanations {
public:
    /// seen   Wallet::seen_explanations(). Empty without a wallet
    Explanations(std::set<std::string> seen, bool shows_all);

    /// Whether to show the explanation. A shown explanation counts as seen
    /// (remember_explanations()).
    bool take(Explanation explanation);
    /// Whether --explain was given.
    bool shows_all() const { return shows_all_; }
    /// The names of the explanations that were taken and that the wallet has not stored yet.
    const std::set<std::string>& news() const { return news_; }

private:
    std::set<std::string> seen_;
    std::set<std::string> news_;
    bool shows_all_;
};

/// The explanations of the wallet that the options name. None has been seen if the wallet can't be
/// read.
Explanations explanations_of_wallet(bool shows_all, const GlobalOptions& global);

/// Stores in the wallet that the user has seen the explanations. Call this after the explanations
/// were written to standard output, also in commands that only read. Stores nothing, so that the
/// explanations are shown again, if:
/// - standard output is not a terminal: the output of a timer's command may never be read
/// - the wallet can't be written
/// - other users can change the wallet's folder
void remember_explanations(const Explanations& explanations, const GlobalOptions& global,
                           const Console& console);

}  // namespace petal::cli
