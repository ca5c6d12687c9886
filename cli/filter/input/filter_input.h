/// Reads the filters that users have: from a debug log, a packet capture, a file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bloom/bloom_filter.h"
#include "bloom/measures/inspection.h"
#include "bloom/measures/world.h"
#include "chain/expected.h"
#include "cli/options/options.h"
#include "cli/text/hex_text.h"
#include "net/sync/filters/privacy.h"
#include "net/wire/message_header.h"

namespace petal::cli {

/// The source of one filter. Empty if only parameters are given.
struct FilterSource {
    std::string hex;
    std::optional<std::filesystem::path> file;  ///< hexadecimal text or plain bytes
    bool standard_input = false;                ///< standard input has the content of a file
    bool wallet = false;                        ///< the wallet's filter
    bool awaited = false;                       ///< its filter of the awaited addresses
    std::optional<net::Privacy> privacy;        ///< for the wallet's filter. Empty: unchanged

    bool is_empty() const { return hex.empty() && !file && !standard_input && !wallet; }
};

inline constexpr double kUsedAddresses = 10;

/// The assumptions about the wallet behind a filter, and about Bitcoin.
struct FilterAssumptions {
    /// Used addresses of the wallet. If empty, the true number for the wallet's own filter, else
    /// kUsedAddresses.
    std::optional<double> used;
    unsigned shards = 1;
    bloom::World world;
};

/// Why the input is not a filter.
struct FilterInputError {
    enum class Kind : std::uint8_t {
        hex,            ///< see `hex`
        too_long,       ///< longer than any filter
        envelope,       ///< of a message. See `frame`
        unfinished,     ///< the message is cut off
        other_message,  ///< not a filterload
        bytes_behind,   ///< more bytes than one message
        filter          ///< the payload. See `filter`
    };
    Kind kind = Kind::hex;
    HexError hex{};
    bloom::FilterError filter{};
    net::FrameError frame{};
    /// The payload, if the filter is refused because it matches everything.
    chain::Bytes match_all{};
};

/// One line. Names an exceeded limit and the source of the limit.
std::string_view describe(const FilterInputError& error);

/// Parses the payload of a filterload message, or a whole filterload message, with envelope and
/// checksum, of any network that petal knows.
chain::Expected<bloom::BloomFilter, FilterInputError> parse_filter_bytes(chain::ByteView bytes);

/// Parses hexadecimal, with spaces and line ends anywhere.
chain::Expected<bloom::BloomFilter, FilterInputError> parse_filter_hex(std::string_view hex);

/// A filter, and the form in which the filter was written.
struct UserFilter {
    bloom::BloomFilter filter;
    bool is_text = true;              ///< hexadecimal
    std::optional<net::Magic> magic;  ///< of a whole message. Empty for a payload alone
};

/// The filter in a file. Throws as filter_from().
UserFilter read_filter(const std::filesystem::path& file);

/// Parses a file: as hexadecimal if the file's text (see text_of()) has only digits and spaces,
/// else as binary.
chain::Expected<bloom::BloomFilter, FilterInputError> parse_filter_file(std::string_view content);

/// The filter in hexadecimal or from a file. The source must not be the wallet or standard input.
/// Throws CommandError: `bad-filter`, or `unreadable-file` if the file can't be read.
bloom::BloomFilter filter_from(const FilterSource& source);

/// A filter to inspect. May be a filter that matches everything, which petal sends to no peer.
struct InspectedFilter {
    bloom::FilterOutline outline;
    chain::Bytes payload;  ///< of the filterload message
};
/// Throws as filter_from().
/// in   standard input
InspectedFilter inspected_filter_from(const FilterSource& source, std::istream& in);

struct NamedFilter {
    std::string name;
    bloom::BloomFilter filter;
};

/// The filter of each argument: from the file of this name if the file exists, else from
/// hexadecimal. The name of a filter is the file's name, with the folder only if two files have the
/// same name, or "filter 2" for the second argument in hexadecimal. Throws as filter_from().
std::vector<NamedFilter> named_filters_from(const std::vector<std::string>& arguments);

std::vector<bloom::BloomFilter> without_names(const std::vector<NamedFilter>& filters);

/// The assumptions by which filters are judged, without the truth.
bloom::InspectionContext context_of(const FilterAssumptions& assumptions);

}  // namespace petal::cli
