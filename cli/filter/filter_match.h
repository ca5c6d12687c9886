/// `filter match`: tests which candidates match a filter.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "chain/bytes.h"
#include "chain/network_params.h"
#include "cli/filter/input/element_lines.h"
#include "cli/filter/input/filter_input.h"
#include "cli/options/options.h"
#include "cli/terminal/console.h"

namespace petal::cli {

struct FilterMatchOptions {
    FilterSource filter;
    std::vector<std::string> elements;
    bool from_stdin = false;
    bool as_texts = false;  ///< every element is a text, as if `text:` stood in front
    bool matches_only = false;
};

/// The results of the candidates.
class MatchSink {
public:
    virtual ~MatchSink() = default;
    virtual void answer(std::string_view element, bool matches) = 0;
    /// Reports a line that is no element.
    /// reason   why, without the line
    virtual void refuse(std::uint64_t line, std::string_view text, std::string_view reason) = 0;
};

/// A filter that elements are tested against, of BIP37 or larger.
struct AskedFilter {
    std::function<bool(chain::ByteView)> contains;
    double false_positive_rate = 0;
};

/// Tests a stream of candidates, one a line, that arrives in arbitrary pieces. Hexadecimal is
/// decoded on the stack, without allocation. Blanks around a candidate are ignored, and lines of
/// blanks are skipped.
class CandidateStream {
public:
    /// The filter, the network and the sink must outlive the stream.
    CandidateStream(const AskedFilter& filter, const chain::NetworkParams& network, MatchSink& sink,
                    bool as_texts = false)
        : filter_(filter), network_(network), sink_(sink), as_texts_(as_texts) {}
    CandidateStream(const CandidateStream&) = delete;
    CandidateStream& operator=(const CandidateStream&) = delete;

    void take(std::string_view piece) { lines_.take(piece); }
    /// The last line need not end in a line feed.
    void finish() { lines_.finish(); }

    std::uint64_t lines() const { return lines_.count(); }

private:
    void answer(std::uint64_t number, std::string_view text);

    const AskedFilter& filter_;
    const chain::NetworkParams& network_;
    MatchSink& sink_;
    bool as_texts_;
    ElementLines lines_{
        [this](std::uint64_t number, std::string_view text) { answer(number, text); }};
};

/// Tests the elements of the options. If the options ask for it, also reads elements from the
/// console's standard input, and answers each element as it arrives. With --json, all answers are
/// written at the end. Lines that are not elements are named in warnings and counted.
void run_filter_match(const FilterMatchOptions& options, const GlobalOptions& global,
                      Console& console);

}  // namespace petal::cli
