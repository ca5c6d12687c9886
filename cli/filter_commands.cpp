#include "cli/filter_commands.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <istream>
#include <ostream>

#include "bloom/bloom_filter.h"
#include "bloom/sizing.h"
#include "cli/command_error.h"
#include "cli/element.h"
#include "cli/json.h"
#include "cli/text.h"
#include "cli/wallet_text.h"

namespace petal::cli {
namespace {

/// A filterload payload: 3 bytes for the size, the filter, 9 for functions, tweak and flags.
constexpr std::size_t kMaxFilterFile = 2 * (3 + bloom::kMaxFilterBytes + 9) + 2;
/// An element is at most a script's largest push, in hexadecimal with its prefix.
constexpr std::size_t kMaxElementLine = 2 * 520 + 4;

std::string flags_name(bloom::UpdateMode mode) {
    switch (mode) {
        case bloom::UpdateMode::none:
            return "none";
        case bloom::UpdateMode::all:
            return "all";
        case bloom::UpdateMode::pubkey_only:
            return "p2pubkey-only";
    }
    return "";
}

CommandError bad_filter(const std::string& why) {
    return {ExitStatus::failed, "bad-filter", "this is no filter: " + why};
}

std::string read_filter_file(const std::filesystem::path& file) {
    std::ifstream stream(file, std::ios::binary);
    std::string text(kMaxFilterFile + 1, '\0');
    stream.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(stream.gcount()));
    const std::string name = printable(file.string());
    if (text.empty()) {
        throw CommandError(ExitStatus::failed, "unreadable-file",
                           "cannot read " + name + ", or it is empty");
    }
    if (text.size() > kMaxFilterFile) throw bad_filter(name + " is too large");
    return text;
}

/// The bytes of a filterload message, from hexadecimal text or, in a file, as they are.
chain::Bytes read_payload(const FilterMatchOptions& options) {
    std::string text = options.file ? read_filter_file(*options.file) : options.hex;
    const std::size_t end = text.find_last_not_of(" \t\r\n");
    const auto spelled = chain::from_hex(std::string_view(text).substr(0, end + 1));
    if (spelled) return *spelled;
    if (!options.file) throw bad_filter("it is not hexadecimal");
    const chain::ByteView bytes = chain::as_bytes(text);
    return {bytes.begin(), bytes.end()};
}

bloom::BloomFilter read_filter(const FilterMatchOptions& options) {
    const auto filter = bloom::BloomFilter::decode(read_payload(options));
    if (!filter) throw bad_filter(std::string(bloom::describe(filter.error())));
    return *filter;
}

/// A line of at most kMaxElementLine bytes, however long the input's is; false at the end of the
/// input.
bool read_line(std::istream& in, std::string& line) {
    line.clear();
    if (in.peek() == std::istream::traits_type::eof()) return false;
    for (int c = in.get(); c != std::istream::traits_type::eof() && c != '\n'; c = in.get()) {
        if (line.size() <= kMaxElementLine) line += static_cast<char>(c);
    }
    if (line.ends_with('\r')) line.pop_back();
    return true;
}

class Matcher {
public:
    using Answer = std::function<void(const std::string& element, bool matches)>;

    Matcher(bloom::BloomFilter filter, const chain::NetworkParams& network, Answer answer)
        : filter_(std::move(filter)), network_(network), answer_(std::move(answer)) {}

    double false_positive_rate() const { return filter_.false_positive_rate(); }

    /// where   in front of what is said when the text is no element
    void look_for(const std::string& text, const std::string& where) const {
        const auto element = parse_element(text, network_);
        if (!element) {
            throw CommandError(
                ExitStatus::failed, "bad-element",
                where + printable(text, 120) + ": " + std::string(describe(element.error())));
        }
        answer_(text, filter_.contains(*element));
    }

    void look_for_lines(std::istream& in) const {
        std::string line;
        for (std::uint64_t number = 1; read_line(in, line); ++number) {
            if (!line.empty()) look_for(line, "line " + std::to_string(number) + ": ");
        }
    }

private:
    bloom::BloomFilter filter_;
    const chain::NetworkParams& network_;
    Answer answer_;
};

void look_for_all(const Matcher& matcher, const FilterMatchOptions& options, Console& console) {
    for (const std::string& element : options.elements) matcher.look_for(element, "");
    if (options.from_stdin) matcher.look_for_lines(console.in());
}

void print_matches_json(const FilterMatchOptions& options, const GlobalOptions& global,
                        Console& console) {
    // Kept as text, since there may be millions.
    std::string matches;
    const Matcher matcher(read_filter(options), *global.network,
                          [&matches](const std::string& element, bool is_match) {
                              if (!matches.empty()) matches += ',';
                              matches += to_line({{"element", element}, {"match", is_match}});
                          });
    look_for_all(matcher, options, console);
    console.out() << "{\"matches\":[" << matches
                  << "],\"fpr_actual\":" << to_line(matcher.false_positive_rate()) << "}\n";
}

/// How many elements fit at the rate: the largest number for which no limit is met.
std::uint64_t most_elements_at(double rate) {
    const double ln2 = std::log(2.0);
    const double bits = static_cast<double>(bloom::kMaxFilterBytes) * 8;
    return static_cast<std::uint64_t>(std::floor(bits * ln2 * ln2 / -std::log(rate)));
}

std::string design_text(const FilterDesignOptions& options, const bloom::FilterSize& size,
                        double rate, const Console& console) {
    std::string text = console.bold("A filter for " + count_of(options.elements, "element") +
                                    " at " + format_rate(options.false_positive_rate)) +
                       "\n\n";
    text += field("size", count_of(size.bytes, "byte") + ", " + count_of(size.bytes * 8, "bit"));
    text += field("hash functions", std::to_string(size.hash_functions));
    text +=
        field("rate then", format_rate(rate) + ", 1 in " +
                               format_count(static_cast<std::uint64_t>(std::llround(1 / rate))));
    text += field("tweak", std::to_string(options.tweak));
    text += field("flags", flags_name(options.flags));
    if (!size.capped) return text;
    return text +
           "\nThe limits of BIP37 (36,000 bytes, 50 functions) do not allow the rate that was "
           "asked for:\nat " +
           format_rate(options.false_positive_rate) + " a filter holds at most about " +
           count_of(most_elements_at(options.false_positive_rate), "element") + ".\n";
}

}  // namespace

void run_filter_design(const FilterDesignOptions& options, const GlobalOptions& global,
                       Console& console) {
    const auto elements = static_cast<std::size_t>(options.elements);
    const bloom::FilterSize size = bloom::filter_size(elements, options.false_positive_rate);
    const double rate = bloom::expected_false_positive_rate(size, elements);
    if (!global.json) {
        console.out() << design_text(options, size, rate, console);
        return;
    }
    const Json json = {{"elements", options.elements},
                       {"fpr", options.false_positive_rate},
                       {"bytes", size.bytes},
                       {"bits", size.bytes * 8},
                       {"hash_functions", size.hash_functions},
                       {"fpr_at_elements", rate},
                       {"tweak", options.tweak},
                       {"flags", flags_name(options.flags)},
                       {"capped", size.capped}};
    console.out() << to_line(json) << '\n';
}

void run_filter_match(const FilterMatchOptions& options, const GlobalOptions& global,
                      Console& console) {
    if (global.json) return print_matches_json(options, global, console);
    const Matcher matcher(read_filter(options), *global.network,
                          [&console](const std::string& element, bool is_match) {
                              console.out() << (is_match ? "match     " : "no match  ")
                                            << printable(element, kMaxElementLine) << '\n';
                          });
    look_for_all(matcher, options, console);
    console.info("an element that is not in the filter matches with probability " +
                 format_rate(matcher.false_positive_rate()));
}

}  // namespace petal::cli
