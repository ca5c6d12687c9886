#include "cli/filter/measures/wording.h"

#include <array>
#include <cmath>
#include <cstdio>

#include "chain/enum_table.h"

namespace petal::cli {
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

std::string one_in(bloom::LogProbability rate) {
    constexpr double kOneInABillion = 1e-9;
    if (rate.is_zero()) return "none";
    const double share = rate.value();
    if (share >= 0.1) return percentage(share);
    if (share < kOneInABillion) return "fewer than one in a billion";
    return "1 in " + short_number(1 / share);
}

std::string range_text(const bloom::RateRange& rates) {
    const std::string lowest = one_in(bloom::LogProbability::of(rates.lowest));
    const std::string highest = one_in(bloom::LogProbability::of(rates.highest));
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

std::string elements_text(bloom::DerivablePair pair) {
    using enum bloom::DerivablePair;
    static constexpr auto kTexts = chain::enum_table<bloom::DerivablePair, std::string_view>({
        {key_and_hash, "a public key and its hash"},
        {hash_and_wrapped_hash,
         "a key hash and its P2SH-wrapped form (wpkh and sh-wpkh of one key)"},
        {script_and_hash, "a redeem or witness script and its hash"},
        {address_and_coin, "an address and the outpoint of its coin"},
    });
    return std::string(kTexts[pair]);
}

std::string finder_text(bloom::DerivablePair pair) {
    using enum bloom::DerivablePair;
    static constexpr auto kTexts = chain::enum_table<bloom::DerivablePair, std::string_view>({
        {key_and_hash, "anyone, once the key was used"},
        {hash_and_wrapped_hash, "anyone, for every key hash"},
        {script_and_hash, "anyone, after the first spend"},
        {address_and_coin, "anyone, from the set of unspent outputs"},
    });
    return std::string(kTexts[pair]);
}

std::string_view describe(bloom::Grade grade) {
    using enum bloom::Grade;
    static constexpr auto kTexts = chain::enum_table<bloom::Grade, std::string_view>({
        {exposed, "exposed: a peer knows addresses of this wallet"},
        {weak, "weak: a peer needs to know little more to find this wallet"},
        {limited, "limited: not found by the filter alone, but every match tells much"},
        {best, "the best that BIP37 can do"},
        {nothing, "empty: nothing matches it"},
        {all, "match all: everything, or nearly everything, matches it"},
    });
    return kTexts[grade];
}

std::string_view describe(bloom::Attack attack) {
    using enum bloom::Attack;
    static constexpr auto kTexts = chain::enum_table<bloom::Attack, std::string_view>({
        {count, "A peer tests all addresses there are, and guesses among those that match."},
        {pair,
         "A peer tests two things of which it can compute one from the other, such as an address "
         "and its coin: both match by chance far more rarely than one."},
        {candidate,
         "A peer tests an address that it suspects, or all addresses that it knows of one owner."},
        {under_fill,
         "A filter with less in it than it was made for has few bits set, so that hardly any "
         "other address matches."},
        {cut,
         "A peer that has seen several filters of one wallet keeps the addresses that match all."},
        {growth,
         "A peer that has seen two filters of one wallet tests what matches the later one alone."},
        {none, "There is nothing to guess."},
    });
    return kTexts[attack];
}

std::string_view describe(bloom::FilterRelation relation) {
    using enum bloom::FilterRelation;
    static constexpr auto kTexts = chain::enum_table<bloom::FilterRelation, std::string_view>({
        {identical, "the same filter: together they say no more than one"},
        {nested, "one grew into the other: their difference shows what was added"},
        {same_hashes, "hashed the same way with different bits: each dropped or added something"},
        {resized, "the same tweak at another size: chance matches are partly the same"},
        {shifted, "tweaks a multiple of 0xFBA4C795 apart: some hashes are the same"},
        {independent, "unrelated hashes: hardly anything but the wallet's own matches both"},
    });
    return kTexts[relation];
}

std::string_view describe(bloom::AddressSet set) {
    using enum bloom::AddressSet;
    static constexpr auto kTexts = chain::enum_table<bloom::AddressSet, std::string_view>({
        {all, "all addresses ever used"},
        {year, "first seen within a year (a known birthday)"},
        {year_type, "the same, of one kind of address"},
        {funded, "those that hold coins"},
        {day, "active on one day"},
        {block, "in one block (a known payment)"},
    });
    return kTexts[set];
}

std::string flags_name(bloom::UpdateMode mode) {
    return std::string(bloom::describe(mode));
}

}  // namespace petal::cli
