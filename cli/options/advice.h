/// Commands that messages advise the user to run.
#pragma once

#include <string>
#include <string_view>

#include "cli/options/options.h"

namespace petal::cli {

/// A command line in backquotes, quoted for a shell, such as `petal --datadir '/mnt/my disk'
/// --wallet savings sync`. Has the options of the present command line that select the network and
/// the wallet. Left out are:
/// - settings of the environment, the default config file and the defaults, because these apply to
///   the next command too
/// - --wallet with a wallet that does not exist, unless the command makes a wallet
///
/// A word with characters that printable() would escape is written as $'…' (POSIX 2024), which a
/// shell reads as the same bytes.
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
