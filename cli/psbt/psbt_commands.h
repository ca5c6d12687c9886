/// The commands that make, sign and finish partially signed transactions.
#pragma once

#include <string>
#include <vector>

#include "cli/options/command_entry.h"
#include "cli/payment/payment_builder.h"

namespace petal::cli {

struct PsbtCreateOptions : PaymentOptions {
    bool yes = false;
};

struct PsbtFileOptions {
    std::string file;
};

struct PsbtFilesOptions {
    std::vector<std::string> files;
};

/// Adds psbt create, sign, combine, join, finalize, extract, decode and analyze.
std::vector<CommandEntry> add_psbt_commands(CLI::App& root);

}  // namespace petal::cli
