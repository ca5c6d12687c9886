/// A filter as users have it: from a debug log, a packet capture, a file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "bloom/bloom_filter.h"
#include "bloom/measures/inspection.h"
#include "bloom/measures/world.h"
#include "chain/expected.h"
#include "cli/hex_text.h"
#include "cli/options/options.h"
#include "net/sync/filters/privacy.h"
#include "net/wire/message_header.h"

namespace petal::cli {

/// One filter of the user's; nothing set where parameters alone are given instead.
struct FilterSource {
    std::string hex;
    std::optional<std::filesystem::path> file;  ///< hexadecimal text or plain bytes
    bool wallet = false;                        ///< the wallet's own
    std::optional<net::Privacy> privacy;        ///< of the wallet's own; nothing: as so far
};

inline constexpr double kUsedAddresses = 10;

/// The assumptions about the wallet behind a filter, and about Bitcoin.
struct FilterAssumptions {
    /// Addresses of the wallet that are on the chain; where it isn't said, the truth of the
    /// wallet's own filter, else kUsedAddresses.
    std::optional<double> used;
    unsigned shards = 1;
    bloom::World world;
};

/// Why something is no filter.
struct FilterInputError {
    enum class Kind : std::uint8_t {
        hex,            ///< `hex` says why
        too_long,       ///< more than any filter takes
        envelope,       ///< of a message; `frame` says why
        unfinished,     ///< the message is cut off
        other_message,  ///< not a filterload
        bytes_behind,   ///< more than one message
        filter          ///< the payload; `filter` says why
    };
    Kind kind = Kind::hex;
    HexError hex{};
    bloom::FilterError filter{};
    net::FrameError frame{};
    /// The payload, where the filter is refused because it matches everything.
    chain::Bytes match_all{};
};

/// One line; it names the limit that was broken and where that stands.
std::string_view describe(const FilterInputError& error);

/// The payload of a filterload message, or the whole message of any network that petal knows, its
/// envelope and checksum included.
chain::Expected<bloom::BloomFilter, FilterInputError> parse_filter_bytes(chain::ByteView bytes);

/// Parses hexadecimal; spaces and line ends may stand anywhere in it.
chain::Expected<bloom::BloomFilter, FilterInputError> parse_filter_hex(std::string_view hex);

/// Parses a file: as hexadecimal where it has only that and spaces, else as plain bytes.
chain::Expected<bloom::BloomFilter, FilterInputError> parse_filter_file(std::string_view content);

/// parse_filter_hex() and parse_filter_file(), or CommandError `bad-filter` and, where the file
/// can't be read, `unreadable-file`.
bloom::BloomFilter filter_from_hex(std::string_view hex);
bloom::BloomFilter filter_from_file(const std::filesystem::path& file);

/// Whichever of the two the user gave; not for the wallet's own.
bloom::BloomFilter filter_from(const FilterSource& source);

/// A filter to be looked at: also one that matches everything, which no peer would be sent.
struct InspectedFilter {
    bloom::FilterOutline outline;
    chain::Bytes payload;  ///< of the filterload message
};
InspectedFilter inspected_filter_from(const FilterSource& source);

/// The filter in `text`: of the file with that name, where there is one, else hexadecimal.
bloom::BloomFilter filter_from_argument(const std::string& text);

/// The assumptions by which filters are judged, without the truth.
bloom::InspectionContext context_of(const FilterAssumptions& assumptions);

}  // namespace petal::cli
