/// `psbt sign`: shows the effect of a PSBT on the wallet, and signs the PSBT.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "cli/options/fee_terms.h"
#include "cli/options/options.h"
#include "cli/terminal/console.h"

namespace petal::cli {

struct PsbtSignOptions {
    std::string file;
    std::optional<std::filesystem::path> password_file;
    std::optional<std::uint32_t> sighash;
    bool accept_unproven_fee = false;
    wallet::FeeTerms fee_terms = {};
    bool yes = false;
};

void run_psbt_sign(const PsbtSignOptions& options, const GlobalOptions& global, Console& console);

}  // namespace petal::cli
