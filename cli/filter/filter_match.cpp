#include "cli/filter/filter_match.h"

#include <algorithm>
#include <array>
#include <optional>
#include <ostream>
#include <utility>

#include "bloom/large_filter_file.h"
#include "cli/filter/general/filter_file.h"
#include "cli/filter/input/element.h"
#include "cli/filter/input/wallet_filter.h"
#include "cli/text/command_error.h"
#include "cli/text/json.h"
#include "cli/text/text.h"

namespace petal::cli {
namespace {

/// Longer than any Base58 address. A Bech32 address is not hexadecimal: it begins with a network's
/// name.
constexpr std::size_t kSurelyHex = 36;
/// The maximum number of invalid lines that are named. Further lines are only counted.
constexpr std::size_t kMostNamedLines = 20;

/// The value of each hexadecimal digit. 0xff for any other character.
constexpr std::array<std::uint8_t, 256> kDigitValues = [] {
    std::array<std::uint8_t, 256> values{};
    values.fill(0xff);
    for (std::uint8_t i = 0; i < 10; ++i) values[static_cast<std::size_t>('0' + i)] = i;
    for (std::uint8_t i = 0; i < 6; ++i) {
        values[static_cast<std::size_t>('a' + i)] = static_cast<std::uint8_t>(10 + i);
        values[static_cast<std::size_t>('A' + i)] = static_cast<std::uint8_t>(10 + i);
    }
    return values;
}();

using ElementBuffer = std::array<chain::Byte, kMaxElementBytes>;

/// The bytes of a line that can only be hexadecimal. Nothing for any other line.
std::optional<chain::ByteView> decode_hex(std::string_view text, ElementBuffer& buffer) {
    if (text.size() < kSurelyHex || text.size() % 2 != 0 || text.size() > 2 * buffer.size()) {
        return std::nullopt;
    }
    if ((text[0] | 0x20) == 'b' && (text[1] | 0x20) == 'c' && text[2] == '1') return std::nullopt;
    std::uint8_t wrong = 0;
    for (std::size_t i = 0; i < text.size() / 2; ++i) {
        const std::uint8_t high = kDigitValues[static_cast<unsigned char>(text[2 * i])];
        const std::uint8_t low = kDigitValues[static_cast<unsigned char>(text[2 * i + 1])];
        wrong = static_cast<std::uint8_t>(wrong | high | low);
        buffer[i] = static_cast<chain::Byte>((high << 4) | (low & 15));
    }
    if (wrong > 15) return std::nullopt;
    return chain::ByteView(buffer).first(text.size() / 2);
}

bool is_plain(std::string_view text) {
    return std::ranges::all_of(text, [](char c) { return c >= 0x20 && c < 0x7f; });
}

/// Lines of text, or the elements of a JSON array, gathered and written in large pieces.
class MatchWriter : public MatchSink {
public:
    MatchWriter(bool json, bool matches_only, Console& console)
        : json_(json), matches_only_(matches_only), console_(console) {}

    void answer(std::string_view element, bool matches) override {
        if (matches_only_ && !matches) return;
        if (json_) {
            add_json(element, matches);
        } else {
            pending_ += matches ? "match     " : "no match  ";
            pending_ += is_plain(element) ? element : printable(element, kMaxElementLine);
            pending_ += '\n';
        }
    }

    void refuse(std::uint64_t line, std::string_view text, std::string_view reason) override {
        ++bad_lines_;
        if (named_.size() >= kMostNamedLines) return;
        named_.push_back({{"line", line}, {"reason", reason}});
        console_.warn("line " + std::to_string(line) + ": " + printable(text, 120) + ": " +
                      std::string(reason));
    }

    /// Writes the pending answers. JSON is kept until the end.
    void flush() {
        if (json_ || pending_.empty()) return;
        console_.out() << pending_ << std::flush;
        pending_.clear();
    }

    std::uint64_t bad_lines() const { return bad_lines_; }
    const Json& named() const { return named_; }
    const std::string& json_elements() const { return pending_; }

private:
    void add_json(std::string_view element, bool matches) {
        if (!pending_.empty()) pending_ += ',';
        const bool needs_no_escape =
            is_plain(element) && element.find_first_of("\"\\") == std::string_view::npos;
        if (needs_no_escape) {
            pending_ += "{\"element\":\"";
            pending_ += element;
            pending_ += matches ? "\",\"match\":true}" : "\",\"match\":false}";
        } else {
            pending_ += to_line({{"element", element}, {"match", matches}});
        }
    }

    bool json_;
    bool matches_only_;
    Console& console_;
    std::string pending_;
    std::uint64_t bad_lines_ = 0;
    Json named_ = Json::array();
};

void match_standard_input(CandidateStream& stream, MatchWriter& writer, std::istream& in) {
    read_pieces(in, [&](std::string_view piece) {
        stream.take(piece);
        writer.flush();
    });
    stream.finish();
}

/// large   receives the filter if the filter is a large filter
AskedFilter asked_filter(const FilterMatchOptions& options, const GlobalOptions& global,
                         std::optional<bloom::LargeFilterFile>& large) {
    const FilterSource& source = options.filter;
    if (source.file && is_large_filter(*source.file)) {
        large.emplace(open_large_filter(*source.file));
        const bloom::LargeFilter& filter = large->filter();
        return {[&filter](chain::ByteView element) { return filter.contains(element); },
                filter.false_positive_rate()};
    }
    bloom::BloomFilter filter = source.wallet
                                    ? wallet_filter(global, source.privacy, source.awaited).filter
                                    : filter_from(source);
    const double rate = filter.false_positive_rate();
    return {
        [filter = std::move(filter)](chain::ByteView element) { return filter.contains(element); },
        rate};
}

void answer_argument(const std::string& text, const AskedFilter& filter, bool as_text,
                     const chain::NetworkParams& network, MatchWriter& writer) {
    const auto element = as_text ? text_element(text) : parse_element(text, network);
    if (!element) {
        throw CommandError(ExitStatus::failed, "bad-element", describe(text, element.error()));
    }
    writer.answer(text, filter.contains(*element));
}

}  // namespace

void CandidateStream::answer(std::uint64_t number, std::string_view text) {
    if (text.empty()) return;
    if (text.size() > kMaxElementLine) {
        const bool is_text = as_texts_ || text.starts_with("text:");
        const ElementError too_long{
            is_text ? ElementError::Kind::text_too_long : ElementError::Kind::too_long, {}, {}};
        return sink_.refuse(number, text, describe(too_long));
    }
    if (as_texts_) {
        const auto element = text_element(text);
        if (!element) return sink_.refuse(number, text, describe(element.error()));
        return sink_.answer(text, filter_.contains(*element));
    }
    ElementBuffer buffer;
    if (const auto bytes = decode_hex(text, buffer)) {
        return sink_.answer(text, filter_.contains(*bytes));
    }
    const auto element = parse_element(text, network_);
    if (!element) return sink_.refuse(number, text, describe(element.error()));
    sink_.answer(text, filter_.contains(*element));
}

void run_filter_match(const FilterMatchOptions& options, const GlobalOptions& global,
                      Console& console) {
    std::optional<bloom::LargeFilterFile> large;
    const AskedFilter filter = asked_filter(options, global, large);
    MatchWriter writer(global.json, options.matches_only, console);
    for (const std::string& text : options.elements) {
        answer_argument(text, filter, options.as_texts, *global.network, writer);
    }
    CandidateStream stream(filter, *global.network, writer, options.as_texts);
    if (options.from_stdin) match_standard_input(stream, writer, console.in());
    writer.flush();

    if (writer.bad_lines() > 0) {
        console.warn(count_of(writer.bad_lines(), "line") + " of " + format_count(stream.lines()) +
                     " could not be read as elements and were left out");
    }
    if (global.json) {
        console.out() << "{\"matches\":[" << writer.json_elements()
                      << "],\"fpr_actual\":" << to_line(filter.false_positive_rate)
                      << ",\"lines\":" << stream.lines() << ",\"bad_lines\":" << writer.bad_lines()
                      << ",\"bad\":" << to_line(writer.named()) << "}\n";
        return;
    }
    console.info("an element that is not in the filter matches with probability " +
                 format_rate(filter.false_positive_rate));
}

}  // namespace petal::cli
