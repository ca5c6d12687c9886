/// Numbers, times and words for people.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace petal::cli {

/// With a comma between groups of three digits: 20,000.
std::string format_count(std::uint64_t count);

/// In the unit with one to three digits before the point: 812 B, 3.7 MB (decimal units).
std::string format_bytes(std::uint64_t bytes);

/// In the shortest useful form: 0.84 s, 12 s, 3 min 20 s, 2 h 5 min.
std::string format_duration(double seconds);

/// For people, in this machine's time zone (TZ): 2024-05-03 17:21 CEST.
std::string format_time(std::int64_t unix_seconds);
/// format_time() to the second: 2024-05-03 17:21:09 CEST.
std::string format_exact_time(std::int64_t unix_seconds);
/// UTC, as programs read it (ISO 8601): 2024-05-03T15:21:09Z.
std::string format_iso_time(std::int64_t unix_seconds);

/// A probability with three significant digits: 0.00001, 1.25e-07.
std::string format_rate(double rate);

/// "1 block", "2 blocks": the count with thousands' commas, and the noun in the singular or plural.
/// ending   of the noun's plural
std::string count_of(std::uint64_t count, std::string_view noun, std::string_view ending = "s");

/// "a, b, c".
std::string comma_list(const std::vector<std::string>& words);

/// The maximum size in bytes of a line that is shown.
inline constexpr std::size_t kMaxShown = 4'096;

/// The text in a form that is safe for a terminal, cut to at most `max_bytes`. Control characters
/// (C0, C1, DEL), line ends, direction marks, invisible characters and invalid UTF-8 are shown as
/// `\x1b`, `\u202e` or `\U000e0041`. The joiners and style selectors between the parts of an emoji
/// stay as they are. For text from a peer, a file, an argument or the system. `warn`, `info`,
/// errors, fields and tables apply printable() themselves. Idempotent.
std::string printable(std::string_view text, std::size_t max_bytes = 256);

/// An indented line of a name and a value. The value is made printable().
std::string field(std::string_view name, std::string_view value);

/// Whether a text is valid UTF-8 throughout.
bool is_utf8(std::string_view text);

/// Escapes in a JSON text the characters that printable() escapes, as `\u202e`, above U+FFFF as two
/// surrogates. Only strings have such characters. The text must be valid UTF-8 with C0 controls
/// escaped already.
std::string escape_json_controls(std::string_view json);

/// The first bytes of a UTF-8 text, at most `most`, without cutting a character.
std::string_view first_bytes(std::string_view utf8, std::size_t most);

/// How many columns of a terminal a UTF-8 text takes: two for a wide character, e.g. a Chinese
/// character, none for a combining character (utf8proc), and none for escape sequences of colours.
std::size_t display_width(std::string_view utf8);

/// The candidate most similar to `word`. Empty if none is similar.
std::string closest_word(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace petal::cli
