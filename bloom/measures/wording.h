/// Numbers as the verdicts print them.
#pragma once

#include <cstdint>
#include <string>

namespace petal::bloom {

/// Three significant digits, in words from a million on: "0.00242", "2,120", "1.5 billion",
/// "2.87e28".
std::string short_number(double value);

/// A probability as a percentage: "0.47 %", "99.9 %", "< 0.001 %".
std::string percentage(double probability);

/// "1 address", "3 addresses": `noun` with its plural's ending.
std::string counted(std::uint64_t count, const std::string& noun, const std::string& ending = "s");

}  // namespace petal::bloom
