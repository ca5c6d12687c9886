/// The notation of Bitcoin Core's vectors: scripts, flags and errors.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "chain/bytes.h"
#include "chain/script/script_error.h"
#include "chain/script/script_flags.h"

namespace petal::test {

/// The script of an assembler text: numbers, 0xRAW, 'TEXT', opcodes with or without OP_ (Bitcoin
/// Core: ParseScript). Throws std::invalid_argument for any other word.
chain::Bytes script_from_text(const std::string& text);

/// A flag with Bitcoin Core's name.
struct NamedFlag {
    std::string_view name;
    chain::ScriptFlag flag;
};
const std::vector<NamedFlag>& named_flags();

/// All flags.
chain::ScriptFlags all_flags();

/// The flags of a list with commas. "NONE" and "" are no flags. Throws std::invalid_argument for
/// any other name.
chain::ScriptFlags flags_from_text(const std::string& text);

/// Bitcoin Core's name for the result: "OK", "EVAL_FALSE", … Empty for an error that Bitcoin Core
/// does not have.
std::string_view name_of(const chain::ScriptResult& result);

}  // namespace petal::test
