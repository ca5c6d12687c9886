/// Explanations of results, each of which a user sees once in a wallet.
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
/// the wallet's user has not seen. A warning is always shown, and does not belong here.
class Explanations {
public:
    /// seen   Wallet::seen_explanations(). Empty without a wallet
    Explanations(std::set<std::string> seen, bool shows_all);

    /// Whether to show it. It counts as seen then (note_explanations()).
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

/// Those of the wallet that the options name; with nothing seen if it can't be read.
Explanations explanations_of_wallet(bool shows_all, const GlobalOptions& global);

/// Stores in the wallet that the user has seen the explanations, after they were shown on standard
/// output. Does nothing if that is not a terminal, because the output of a timer's command may
/// never be read. Also for commands that only read. If the wallet cannot be written, or other users
/// can change its folder, nothing is stored and the explanations are shown again.
void note_explanations(const Explanations& explanations, const GlobalOptions& global,
                       const Console& console);

}  // namespace petal::cli
