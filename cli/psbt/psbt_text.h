/// PSBTs, for people.
#pragma once

#include <string>

#include "cli/options/options.h"
#include "wallet/psbt/analysis.h"
#include "wallet/psbt/psbt.h"

namespace petal::cli {

/// The address of a script, else the first bytes of the script in hexadecimal.
std::string address_or_script(const chain::Bytes& script, const GlobalOptions& global);

/// The inputs and outputs of a PSBT, and the data of each input.
std::string decoded_psbt_text(const wallet::Psbt& psbt, const GlobalOptions& global);

/// The missing parts of each input, and which role acts next.
std::string analysis_text(const wallet::PsbtAnalysis& analysis);

}  // namespace petal::cli
