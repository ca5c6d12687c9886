#include "cli/filter/filter_text.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <sstream>

#include "bloom/measures/wording.h"
#include "cli/filter/filter_options.h"
#include "cli/text.h"

namespace petal::cli {
namespace {

using bloom::counted;
using bloom::percentage;
using bloom::short_number;

/// A figure and the sentence that says what it means.
std::string entry(std::string_view name, const std::string& value, const std::string& meaning) {
    constexpr std::size_t kValueColumn = 20;
    std::string text = "  " + std::string(name);
    text += std::string(text.size() < kValueColumn ? kValueColumn - text.size() : 1, ' ') + value;
    text += '\n';
    if (meaning.empty()) return text;
    return text + std::string(kValueColumn, ' ') + wrapped(meaning, kValueColumn) + "\n";
}

std::string megabytes(double bytes) {
    return short_number(bytes / 1e6) + " MB";
}

std::string structure_text(const bloom::FilterSize& size, std::uint32_t tweak,
                           bloom::UpdateMode mode) {
    std::string text =
        entry("size", counted(size.bytes, "byte") + ", " + counted(size.bytes * 8, "bit"), "");
    text += entry("hash functions", std::to_string(size.hash_functions), "");
    text += entry("tweak", std::to_string(tweak), "");
    text += entry(
        "flags", flags_name(mode),
        mode == bloom::UpdateMode::all    ? "Nodes add the outpoint of every output that matches."
        : mode == bloom::UpdateMode::none ? "Nodes add nothing."
                                          : "Nodes add the outpoints of outputs to bare keys.");
    return text;
}

std::string structure_text(const bloom::Inspection& seen) {
    return structure_text(seen.size, seen.tweak, bloom::update_mode_of(seen.flags)) +
           entry("made by", clients_text(seen), "");
}

/// For people: what is rarer than all addresses are many is only that.
std::string rate_text(bloom::LogProbability rate) {
    constexpr double kOneInABillion = 1e-9;
    if (rate.is_zero()) return "none";
    const bool is_tiny = rate.value() < kOneInABillion;
    return is_tiny ? "fewer than one in a billion" : rate.to_string();
}

std::string chance_text(double count) {
    return count < 1e-3 ? "fewer than one in a thousand such filters has one by chance"
                        : short_number(count) + " by chance";
}

std::string content_text(const bloom::Inspection& seen) {
    std::string text =
        entry("bits set", counted(seen.bits_set, "bit") + ", " + percentage(seen.fill), "");
    text += entry("elements",
                  short_number(seen.elements.value) + " ± " + short_number(seen.elements.deviation),
                  "What anyone can tell from the bits; this is one standard deviation.");
    if (seen.context.truth) {
        const bloom::FilterTruth& truth = *seen.context.truth;
        text += entry("in truth",
                      counted(truth.elements, "element") + " of the wallet, " +
                          counted(truth.decoys, "other"),
                      "What a peer does not know.");
    }
    text += entry("rate",
                  rate_text(seen.rate) + ", designed " + short_number(seen.design_rate) +
                      (seen.design_known ? "" : " if half full"),
                  "Of addresses that are not in it, this share matches.");
    return text;
}

std::string count_text(const bloom::Inspection& seen) {
    Table table({{"addresses tested", Table::Align::left},
                 {"of these", Table::Align::right},
                 {"match falsely", Table::Align::right},
                 {"guess right", Table::Align::right},
                 {"by the paper", Table::Align::right},
                 {"bits leaked", Table::Align::right}});
    for (const bloom::CountMeasures& count : seen.counts) {
        table.add_row({std::string(count.universe.name), short_number(count.universe.addresses),
                       short_number(count.false_addresses) + " ± " +
                           short_number(std::sqrt(count.false_addresses)),
                       percentage(count.guess.value()), percentage(count.guess_plug_in.value()),
                       short_number(count.leaked_bits)});
    }
    std::istringstream lines(table.to_string());
    std::string text;
    for (std::string line; std::getline(lines, line);) text += "  " + line + "\n";
    text += entry("deniability", percentage(seen.deniability),
                  "The share of elements whose every bit some false address sets too; it says "
                  "little.");
    return text;
}

std::string inserted_text(const bloom::PairMeasures& pair) {
    if (!pair.inserted) {
        return pair.client_inserts ? "inserted by this client once it has coins"
                                   : "not known whether inserted";
    }
    if (!*pair.inserted) return "not inserted";
    if (pair.strangers == 0) return "inserted";
    return "inserted, beside " + counted(pair.strangers, "stranger");
}

std::string pairs_text(const bloom::Inspection& seen) {
    std::string text;
    for (const bloom::PairMeasures& pair : seen.pairs) {
        text += "  " + std::string(pair.pair.elements) + "\n";
        text += "      " + inserted_text(pair) + "; " + short_number(pair.false_pairs) + " of " +
                short_number(pair.pair.candidates) +
                " would match by chance, so of those that do " + percentage(pair.guess.value()) +
                " are the wallet's\n";
    }
    return text;
}

std::string evidence_text(const bloom::Inspection& seen) {
    std::string text = entry("one match", short_number(seen.match_bits) + " bits",
                             "What it tells a peer that tests an address it suspects.");
    if (seen.context.shards > 1) {
        text += entry("to one peer", short_number(seen.evidence) + " bits",
                      "For each address, as a peer holds one of " +
                          std::to_string(seen.context.shards) + " filters only.");
    }
    text += entry("known owner",
                  seen.conclusive_cluster ? counted(*seen.conclusive_cluster, "address", "es")
                                          : "never conclusive",
                  "Of an owner whose addresses are known from elsewhere, so many that match "
                  "single out the wallet.");
    for (const bloom::ChainMeasures& chain : seen.chains) {
        text += entry(std::to_string(chain.length) + " spends in a row",
                      chance_text(chain.false_chains), "");
    }
    text += entry("conclusive chain",
                  seen.conclusive_chain ? counted(*seen.conclusive_chain, "spend") : "none",
                  "So many outputs in a row, each spent by the next one's transaction, that all "
                  "match are the wallet's.");
    return text;
}

std::string cost_text(const bloom::Inspection& seen) {
    const double blocks = seen.context.world.blocks_per_day;
    std::string text =
        entry("traffic", megabytes(seen.traffic.total_bytes()) + " a day",
              megabytes(365 * seen.traffic.block_bytes()) + " for a year of history; " +
                  short_number(seen.traffic.false_transactions / blocks) +
                  " false transactions a block, which are all that hides a payment "
                  "whose time is known.");
    if (seen.doubles) {
        text += entry("fills up", "in " + short_number(seen.doubles->blocks) + " blocks",
                      "Then nodes have added so many outpoints that twice as much matches.");
    }
    return text;
}

}  // namespace

std::string wrapped(const std::string& text, std::size_t indent, std::size_t width) {
    std::istringstream words(text);
    std::string result;
    std::size_t column = indent;
    for (std::string word; words >> word;) {
        const std::size_t needed = display_width(word) + 1;
        if (!result.empty() && column + needed > width) {
            result += "\n" + std::string(indent, ' ');
            column = indent;
        } else if (!result.empty()) {
            result += ' ';
        }
        result += word;
        column += needed;
    }
    return result;
}

std::string clients_text(const bloom::Inspection& seen) {
    if (seen.context.truth) return "petal";
    if (seen.clients.empty()) return "no known client sizes a filter so";
    std::string text;
    for (const bloom::ClientGuess& guess : seen.clients) {
        if (!text.empty()) text += "; or ";
        text += std::string(guess.client->name) + ", sized for ";
        text += guess.fewest == guess.most
                    ? counted(guess.fewest, "element")
                    : std::to_string(guess.fewest) + " to " + counted(guess.most, "element");
        text += " at " + format_rate(guess.client->rate);
    }
    return text;
}

std::string match_all_text(const bloom::FilterOutline& filter, const Console& console) {
    const std::size_t bits = filter.size.bytes * 8;
    return console.bold("Structure") + "\n" +
           structure_text(filter.size, filter.tweak, bloom::update_mode_of(filter.flags)) +
           entry("bits set", counted(filter.bits_set, "bit") + " of " + counted(bits, "bit"), "");
}

std::string inspection_text(const bloom::Inspection& seen, const Console& console) {
    return console.bold("Structure") + "\n" + structure_text(seen) + "\n" +
           console.bold("Content") + "\n" + content_text(seen) + "\n" +
           console.bold("Counting: " +
                        counted(static_cast<std::uint64_t>(seen.context.used), "address", "es") +
                        " of the wallet taken to be in use") +
           "\n" + count_text(seen) + "\n" + console.bold("Pairs, of which one gives the other") +
           "\n" + pairs_text(seen) + "\n" + console.bold("Evidence") + "\n" + evidence_text(seen) +
           "\n" + console.bold("Cost") + "\n" + cost_text(seen);
}

std::string verdict_text(const bloom::Verdict& verdict, const Console& console) {
    std::string text =
        console.bold("Verdict: " + std::string(bloom::describe(verdict.grade))) + "\n";
    for (const bloom::Finding& finding : verdict.findings) {
        text += "  " + std::string(bloom::key_of(finding.grade)) + ", " +
                std::string(bloom::key_of(finding.attack)) + ": " + finding.number + "\n";
        text += "      " + wrapped(finding.reason, 6) + "\n";
        text += "      " + wrapped("Fix: " + finding.fix, 6) + "\n";
    }
    return text + "  " + wrapped(std::string(bloom::standing_warning()), 2) + "\n";
}

}  // namespace petal::cli
