/// Commands that messages advise the user to run.
#pragma once

#include <string>
#include <string_view>

#include "cli/options/options.h"

namespace petal::cli {

/// A command line in backquotes, quoted for a shell, such as `petal --datadir '/mnt/my disk'
/// --wallet savings sync`. Has the options of this command line that select the network and the
/// wallet. Settings of the environment, of the default config file and the defaults apply to the
/// next command, too, and are left out. So is --wallet with a wallet that is not there, unless the
/// command makes it. A word with characters that printable() would escape is written as $'…' (POSIX
/// 2024), which a shell reads as the same bytes. `command` includes its arguments, such as `rescan
/// --from HEIGHT|DATE`.
std::string advised(std::string_view command, const GlobalOptions& global);
/// The options of a command line that names this wallet instead.
GlobalOptions for_wallet(GlobalOptions global, const std::string& wallet);
/// advised() for another wallet of the network.
std::string advised(std::string_view command, const GlobalOptions& global,
                    const std::string& wallet);

/// The options without --wallet if there is no such wallet, for a command that makes none.
GlobalOptions without_missing_wallet(GlobalOptions global);
/// What to do about a peer whose chain has replaced the stored one, as part of a sentence.
std::string if_made_anew(const GlobalOptions& global);

}  // namespace petal::cli
