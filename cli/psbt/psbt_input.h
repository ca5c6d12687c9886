/// Reads PSBTs of users: binary or base64, from files or standard input.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "chain/expected.h"
#include "cli/options/options.h"
#include "cli/terminal/console.h"
#include "wallet/psbt/psbt.h"

namespace petal::cli {

/// The first characters of every PSBT in base64.
inline constexpr std::string_view kPsbtInBase64 = "cHNidP";

/// Reads a PSBT without trailing data: binary if it has the magic bytes, else base64 in a text (see
/// text_of()). The error is one line.
chain::Expected<wallet::Psbt, std::string> parse_psbt(std::string_view content);

/// Throws CommandError if `-` is given more than once.
void check_standard_input_once(const std::vector<std::string>& files);

/// Reads the files. `-` is standard input, at most once. Throws CommandError `bad-psbt`,
/// `unreadable-file`, and `wrong-network` for a PSBT with extended keys of a different network.
std::vector<wallet::Psbt> psbts_from_files(const std::vector<std::string>& files,
                                           const GlobalOptions& global, Console& console);

/// As psbts_from_files(), for one file.
wallet::Psbt psbt_from_file(const std::string& file, const GlobalOptions& global, Console& console);

}  // namespace petal::cli
