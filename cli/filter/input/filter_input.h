/// A filter as users have it: from a debug log, a packet capture, a file.
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

/// One filter of the user's. Empty if only parameters are given.
struct FilterSource {
    std::string hex;
    std::optional<std::filesystem::path> file;  ///< hexadecimal text or plain bytes
    bool standard_input = false;                ///< the content of a file, from standard input
    bool wallet = false;                        ///< the wallet's own
    std::optional<net::Privacy> privacy;        ///< for the wallet's filter. Empty: unchanged

    bool is_empty() const { return hex.empty() && !file && !standard_input && !wallet; }
};

inline constexpr double kUsedAddresses = 10;

/// The assumptions about the wallet behind a filter, and about Bitcoin.
struct FilterAssumptions {
    /// Used addresses of the wallet; if empty, the true number for the wallet's own filter, else
    /// kUsedAddresses.
    std::optional<double> used;
    unsigned shards = 1;
    bloom::World world;
};

/// Why the input is not a filter.
struct FilterInputError {
    enum class Kind : std::uint8_t {
        hex,            ///< see `hex`
        too_long,       ///< more than any filter takes
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

/// One line; names the exceeded limit and its source.
std::string_view describe(const FilterInputError& error);

/// The payload of a filterload message, or the whole message of any network that petal knows, its
/// envelope and checksum included.
chain::Expected<bloom::BloomFilter, FilterInputError> parse_filter_bytes(chain::ByteView bytes);

/// Parses hexadecimal, with spaces and line ends anywhere.
chain::Expected<bloom::BloomFilter, FilterInputError> parse_filter_hex(std::string_view hex);

/// A filter, and how it was written.
struct UserFilter {
    bloom::BloomFilter filter;
    bool is_text = true;              ///< hexadecimal
    std::optional<net::Magic> magic;  ///< of a whole message. Empty for its payload alone
};

/// The filter in a file. Throws as filter_from().
UserFilter read_filter(const std::filesystem::path& file);

/// Parses a file: as hexadecimal if its text (see text_of()) has only digits and spaces, else as
/// binary.
chain::Expected<bloom::BloomFilter, FilterInputError> parse_filter_file(std::string_view content);

/// The filter in hexadecimal or from a file, as the user gave it. Not for the wallet's own, nor
/// from standard input. Throws CommandError: `bad-filter`, or `unreadable-file` if the file can't
/// be read.
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

/// The filter of each argument: from the file of that name if it exists, else hexadecimal. Its name
/// is that of the file, with the folder only if two files have one name, or "filter 2" for the
/// second argument in hexadecimal. Throws as filter_from().
std::vector<NamedFilter> named_filters_from(const std::vector<std::string>& arguments);

/// The filters without their names.
std::vector<bloom::BloomFilter> without_names(const std::vector<NamedFilter>& filters);

/// The assumptions by which filters are judged, without the truth.
bloom::InspectionContext context_of(const FilterAssumptions& assumptions);

}  // namespace petal::cli
