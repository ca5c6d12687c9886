#include "cli/filter/input/element_lines.h"

#include <algorithm>
#include <istream>
#include <vector>

#include "cli/filter/input/element.h"
#include "cli/text/command_error.h"
#include "cli/text/text_encoding.h"

namespace petal::cli {
namespace {

constexpr std::size_t kCut = kMaxElementLine + 1;

/// The input that is available, at most the size of `room`. Empty at the end of the input.
std::string_view read_some(std::istream& in, std::vector<char>& room) {
    if (in.peek() == std::istream::traits_type::eof()) return {};
    const std::streamsize ready = std::clamp<std::streamsize>(
        in.rdbuf()->in_avail(), 1, static_cast<std::streamsize>(room.size()));
    const std::streamsize got = in.rdbuf()->sgetn(room.data(), ready);
    return {room.data(), static_cast<std::size_t>(got)};
}

void append_cut(std::string_view text, std::string& line) {
    line += text.substr(0, kCut - std::min(line.size(), kCut));
}

}  // namespace

void read_pieces(std::istream& in, const std::function<void(std::string_view)>& use) {
    std::vector<char> room(std::size_t{1} << 16);
    TextDecoder decoder;
    std::string text;
    const auto check = [](const std::optional<TextFault>& fault) {
        if (!fault) return;
        throw CommandError(ExitStatus::failed, "bad-text",
                           "standard input is no text: " + std::string(describe(*fault)));
    };
    for (auto piece = read_some(in, room); !piece.empty(); piece = read_some(in, room)) {
        text.clear();
        check(decoder.take(piece, text));
        use(text);
    }
    if (in.bad()) throw CommandError(ExitStatus::failed, "input", "cannot read standard input");
    text.clear();
    check(decoder.finish(text));
    use(text);
}

void ElementLines::take(std::string_view piece) {
    while (!piece.empty()) {
        const std::size_t end = piece.find('\n');
        const std::string_view text = piece.substr(0, end);
        if (end == std::string_view::npos) return append(text);
        if (line_.empty()) {
            blanks_.clear();
            visit_(++count_, without_outer_blanks(text).substr(0, kCut));
        } else {
            append(text);
            visit_(++count_, line_);
            line_.clear();
            blanks_.clear();
        }
        piece.remove_prefix(end + 1);
    }
}

void ElementLines::append(std::string_view text) {
    const std::string_view inner = without_outer_blanks(text);
    const auto start = static_cast<std::size_t>(inner.data() - text.data());
    if (!inner.empty()) {
        if (!line_.empty()) {
            append_cut(blanks_, line_);
            append_cut(text.substr(0, start), line_);
        }
        append_cut(inner, line_);
        blanks_.clear();
        text.remove_prefix(start + inner.size());
    }
    append_cut(text, blanks_);
}

void ElementLines::finish() {
    if (!line_.empty()) visit_(++count_, line_);
    line_.clear();
    blanks_.clear();
}

}  // namespace petal::cli
