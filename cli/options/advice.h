/// Commands that messages advise the user to run.
#pragma once

#include <string>
#include <string_view>

#include "cli/options/options.h"

namespace petal::cli {

/// A command line in backquotes, quoted for a shell, such as `petal --datadir '/mnt/my disk'
/// --wallet savings sync`. Repeats the options of the present command line that select the network
/// and the wallet. Settings of the environment and of the default config file apply to the next
/// command anyway, and are left out. So is --wallet if the wallet does not exist, unless the
/// command makes a wallet.
///
/// Characters that printable() would escape are quoted as $'…' (POSIX 2024).
/// command   with arguments, such as `rescan --from HEIGHT|DATE`
std::string advised(std::string_view command, const GlobalOptions& global);
/// The options with this wallet instead.
GlobalOptions for_wallet(GlobalOptions global, const std::string& wallet);
/// advised() for a different wallet of the network.
std::string advised(std::string_view command, const GlobalOptions& global,
                    const std::string& wallet);

/// The options without --wallet if the wallet does not exist, for a command that makes no wallet.
GlobalOptions without_missing_wallet(GlobalOptions global);
/// What to do if a peer's chain has replaced the stored chain, as part of a sentence.
std::string if_made_anew(const GlobalOptions& global);

}  // namespace petal::cli
