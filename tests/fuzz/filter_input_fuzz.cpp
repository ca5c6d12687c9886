// Filters as users enter them, as text or bytes, payload or message: an accepted filter is read
// from its own payload in every form, and inspecting it does not fail. Candidates, one a line: they
// are the elements that a user could also enter singly, however the stream is cut. Texts decode to
// the same, however they are cut.
#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bloom/measures/verdict.h"
#include "cli/filter/filter_match.h"
#include "cli/filter/input/element.h"
#include "cli/filter/input/filter_input.h"
#include "cli/text/text.h"
#include "cli/text/text_encoding.h"

namespace {

using namespace petal;

struct Answer {
    std::string line;
    bool is_element = false;
    bool matches = false;
    bool operator==(const Answer&) const = default;
};

class Answers : public cli::MatchSink {
public:
    void answer(std::string_view element, bool matches) override {
        all.push_back({std::string(element), true, matches});
    }
    void refuse(std::uint64_t, std::string_view text, std::string_view reason) override {
        assert(!reason.empty());
        all.push_back({std::string(text.substr(0, cli::kMaxElementLine)), false, false});
    }

    std::vector<Answer> all;
};

std::vector<Answer> answers_singly(std::string_view content, const cli::AskedFilter& filter,
                                   const chain::NetworkParams& network) {
    std::vector<Answer> answers;
    while (!content.empty()) {
        const std::size_t end = std::min(content.find('\n'), content.size());
        std::string_view line = content.substr(0, end);
        content.remove_prefix(std::min(end + 1, content.size()));
        line = cli::without_outer_blanks(line);
        if (line.empty()) continue;
        const bool is_too_long = line.size() > cli::kMaxElementLine;
        const auto element = cli::parse_element(line.substr(0, cli::kMaxElementLine), network);
        const bool is_element = !is_too_long && element;
        answers.push_back({std::string(line.substr(0, cli::kMaxElementLine)), is_element,
                           is_element && filter.contains(*element)});
    }
    return answers;
}

void check_candidates(std::string_view content) {
    const auto& network = *chain::find_network("regtest");
    static const cli::AskedFilter filter = [] {
        bloom::BloomFilter made({8, 1}, 0, bloom::UpdateMode::all);
        made.insert(chain::Bytes(20, 1));
        return cli::AskedFilter{[made](chain::ByteView element) { return made.contains(element); },
                                made.false_positive_rate()};
    }();
    Answers answers;
    cli::CandidateStream stream(filter, network, answers);
    const std::size_t piece = content.size() % 2 == 0 ? content.size() : content.size() % 40;
    for (std::size_t at = 0; at < content.size(); at += piece) {
        stream.take(content.substr(at, piece));
    }
    stream.finish();
    assert(answers.all == answers_singly(content, filter, network));
}

/// A text is the same however it is cut into pieces, and what is valid UTF-8 without a mark stays.
void check_decoding(std::string_view content) {
    cli::TextDecoder at_once;
    cli::TextDecoder in_pieces;
    std::string whole;
    std::string joined;
    auto fault = at_once.take(content, whole);
    if (!fault) fault = at_once.finish(whole);
    std::optional<cli::TextFault> other;
    const std::size_t piece = content.size() % 7 + 1;
    for (std::size_t at = 0; at < content.size() && !other; at += piece) {
        other = in_pieces.take(content.substr(at, piece), joined);
    }
    if (!other) other = in_pieces.finish(joined);
    assert(fault == other && (fault || whole == joined));
    if (fault) return;
    if (!cli::has_byte_order_mark(content)) assert(whole == content);
    if (content.starts_with("\xff\xfe") || content.starts_with("\xfe\xff")) {
        assert(cli::is_utf8(whole) && whole.size() <= content.size() / 2 * 3);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view content(reinterpret_cast<const char*>(data), size);
    check_candidates(content);
    check_decoding(content);
    const auto filter = cli::parse_filter_file(content);
    if (!filter) {
        assert(!cli::describe(filter.error()).empty());
        return 0;
    }
    const chain::Bytes payload = filter->encode();
    const auto from_bytes = cli::parse_filter_bytes(payload);
    assert(from_bytes && *from_bytes == *filter);
    const auto from_hex = cli::parse_filter_hex(chain::to_hex(payload));
    assert(from_hex && *from_hex == *filter);

    const auto seen = bloom::inspect(*filter, {});
    assert(std::isfinite(seen.elements.value) && seen.elements.value >= 0);
    assert(seen.rate <= bloom::LogProbability::of(1));
    for (const auto& count : seen.counts) {
        assert(count.guess.value() >= 0 && count.guess.value() <= 1);
    }
    assert(!bloom::judge(seen).findings.empty());
    return 0;
}
