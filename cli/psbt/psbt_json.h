/// PSBTs, for programs.
#pragma once

#include "cli/options/options.h"
#include "cli/text/json.h"
#include "wallet/psbt/analysis.h"
#include "wallet/psbt/psbt.h"

namespace petal::cli {

/// All contents of a PSBT. Records without a JSON key of their own are in `other`, in hexadecimal.
Json decoded_psbt_json(const wallet::Psbt& psbt, const GlobalOptions& global);

/// `inputs`, `next`, `fee_sat`, `vsize` and `fee_rate_sat_vb`.
Json analysis_json(const wallet::PsbtAnalysis& analysis);

}  // namespace petal::cli
