#include "bloom/measures/wording.h"

#include <array>
#include <cmath>
#include <cstdio>

namespace petal::bloom {
namespace {

std::string printed(const char* format, double value) {
    std::array<char, 64> text;
    const int size = std::snprintf(text.data(), text.size(), format, value);
    return {text.data(), static_cast<std::size_t>(size)};
}

}  // namespace

std::string short_number(double value) {
    const double size = std::abs(value);
    if (size < 999.5) return printed("%.3g", value);
    if (size >= 999.5e9) {
        std::string text = printed("%.3g", value);
        std::erase(text, '+');
        return text;
    }
    if (size >= 999.5e6) return printed("%.3g billion", value / 1e9);
    if (size >= 999'999.5) return printed("%.3g million", value / 1e6);
    std::string digits = printed("%.0f", value);
    digits.insert(digits.size() - 3, ",");
    return digits;
}

std::string percentage(double probability) {
    const double percent = 100 * probability;
    if (percent > 0 && percent < 0.001) return "< 0.001 %";
    if (percent > 99.9 && percent < 100) return "> 99.9 %";
    return printed(percent >= 10 ? "%.3g %%" : "%.2g %%", percent);
}

std::string one_in(LogProbability rate) {
    constexpr double kOneInABillion = 1e-9;
    if (rate.is_zero()) return "none";
    const double share = rate.value();
    if (share >= 0.1) return percentage(share);
    if (share < kOneInABillion) return "fewer than one in a billion";
    return "1 in " + short_number(1 / share);
}

std::string range_text(const RateRange& rates) {
    const std::string lowest = one_in(LogProbability::of(rates.lowest));
    const std::string highest = one_in(LogProbability::of(rates.highest));
    return lowest == highest ? lowest : highest + " to " + lowest;
}

std::string mean_count(double mean, const std::string& noun, const std::string& ending) {
    if (mean < 0.01) return "practically no " + noun + ending;
    const std::string number = short_number(mean);
    return number + " " + noun + (number == "1" ? "" : ending);
}

std::string at_least_one(double mean) {
    return mean < 1 ? "fewer than one" : short_number(mean);
}

std::string counted(std::uint64_t count, const std::string& noun, const std::string& ending) {
    std::string digits = std::to_string(count);
    for (std::size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, ",");
    return digits + " " + noun + (count == 1 ? "" : ending);
}

}  // namespace petal::bloom
