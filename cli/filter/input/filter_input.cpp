#include "cli/filter/input/filter_input.h"

#include <algorithm>
#include <istream>
#include <map>
#include <utility>

#include "bloom/large_filter_file.h"
#include "chain/enum_table.h"
#include "chain/network_params.h"
#include "cli/files/user_file.h"
#include "cli/terminal/console.h"
#include "cli/text/command_error.h"
#include "cli/text/text.h"
#include "cli/text/text_encoding.h"

namespace petal::cli {
namespace {

using Parsed = chain::Expected<bloom::BloomFilter, FilterInputError>;

/// A whole message: 24 bytes of envelope, 3 for the size, the filter, 9 for functions, tweak and
/// flags.
constexpr std::size_t kMostBytes = net::kMessageHeaderBytes + 3 + bloom::kMaxFilterBytes + 9;
/// In hexadecimal, with one space for each digit.
constexpr std::size_t kMostFilterText = 4 * kMostBytes;

chain::Unexpected<FilterInputError> failure(FilterInputError error) {
    return chain::Unexpected(std::move(error));
}

Parsed parse_payload(chain::ByteView payload) {
    using Kind = FilterInputError::Kind;
    auto filter = bloom::BloomFilter::decode(payload);
    if (filter) return *std::move(filter);
    FilterInputError error{.kind = Kind::filter, .filter = filter.error()};
    if (bloom::outline_of_payload(payload)) error.match_all.assign(payload.begin(), payload.end());
    return chain::Unexpected(std::move(error));
}

/// The network with messages that begin with these bytes. A valid payload never begins so, because
/// the first byte would require a different size.
const chain::NetworkParams* network_of(chain::ByteView bytes) {
    for (const auto& network : chain::all_networks()) {
        if (bytes.size() > network.magic.size() &&
            std::ranges::equal(bytes.first(network.magic.size()), network.magic)) {
            return &network;
        }
    }
    return nullptr;
}

/// The network of a whole message. Null for a payload. Bytes that begin with a network's magic
/// count as a payload if the size is consistent with a payload.
const chain::NetworkParams* network_of_message(chain::ByteView bytes) {
    const chain::NetworkParams* const network = network_of(bytes);
    return network != nullptr && !bloom::BloomFilter::decode(bytes) ? network : nullptr;
}

Parsed parse_message(chain::ByteView bytes, const chain::NetworkParams& network) {
    using Kind = FilterInputError::Kind;
    net::FrameDecoder decoder(network.magic);
    const auto room = decoder.prepare(bytes.size());
    std::ranges::copy(bytes, room.begin());
    decoder.commit(bytes.size());

    const auto frame = decoder.next();
    if (!frame) return failure({.kind = Kind::envelope, .frame = frame.error()});
    if (!*frame) return failure({.kind = Kind::unfinished});
    if ((*frame)->command != "filterload") return failure({.kind = Kind::other_message});
    if ((*frame)->payload.size() + net::kMessageHeaderBytes != bytes.size()) {
        return failure({.kind = Kind::bytes_behind});
    }
    return parse_payload((*frame)->payload);
}

bool is_a_file(const std::string& argument) {
    std::error_code error;
    return argument.size() < 4'096 && std::filesystem::exists(argument, error);
}

std::string read_filter_file(const std::filesystem::path& file) {
    const std::string name = file.string();
    if (is_hex_text(name) && !is_a_file(name)) {
        throw CommandError(ExitStatus::failed, "unreadable-file",
                           "there is no file " + printable(name, 40) +
                               "; a filter in hexadecimal is given with --hex");
    }
    std::string content = read_user_file(file, kMostFilterText + 1);
    if (!bloom::LargeFilterFile::is_start_of_one(chain::as_bytes(content))) return content;
    throw CommandError(ExitStatus::failed, "bad-filter",
                       printable(name) +
                           " is larger than a filter for peers, which alone can be inspected; "
                           "filter add and filter match take it");
}

/// The source's name in an error's message. Empty for a filter in hexadecimal.
std::string place_of(const FilterSource& source) {
    if (source.standard_input) return "standard input: ";
    return source.file ? printable(source.file->string()) + ": " : "";
}

CommandError bad_filter(const FilterInputError& error, const std::string& where,
                        const std::string& advice = "") {
    return {ExitStatus::failed, "bad-filter",
            where + "this is no filter: " + std::string(describe(error)) + advice};
}

/// As parse_filter_hex(), but throws CommandError `bad-filter`.
bloom::BloomFilter filter_from_hex(std::string_view hex) {
    const auto filter = parse_filter_hex(hex);
    if (!filter) throw bad_filter(filter.error(), "");
    return *filter;
}

/// The filter in a file. Throws CommandError `bad-filter`, or `unreadable-file` if the file can't
/// be read.
bloom::BloomFilter filter_from_file(const std::filesystem::path& file) {
    return read_filter(file).filter;
}

/// The filter in `text`: from the file of this name if the file exists, else from hexadecimal.
bloom::BloomFilter filter_from_argument(const std::string& text) {
    if (is_a_file(text)) {
        const auto filter = parse_filter_file(read_filter_file(text));
        if (filter) return *filter;
        throw bad_filter(filter.error(), printable(text) + ": ", "; leave the file out");
    }
    if (is_hex_text(text) || text.starts_with("0x")) return filter_from_hex(text);
    throw CommandError(ExitStatus::failed, "unreadable-file",
                       "there is no file " + printable(text, 120) +
                           ", and that is no filter in hexadecimal either");
}

}  // namespace

std::string_view describe(const FilterInputError& error) {
    using Kind = FilterInputError::Kind;
    if (error.kind == Kind::hex) return describe(error.hex);
    if (error.kind == Kind::envelope) return net::describe(error.frame);
    if (error.kind == Kind::filter) return bloom::describe(error.filter);
    static constexpr auto kTexts = chain::enum_table<Kind, std::string_view>({
        {Kind::hex, ""},
        {Kind::too_long,
         "it is longer than a filterload message with 36,000 bytes, the limit of BIP37"},
        {Kind::envelope, ""},
        {Kind::unfinished, "the message is cut off before its end"},
        {Kind::other_message, "it is another message than filterload"},
        {Kind::bytes_behind, "something follows the message"},
        {Kind::filter, ""},
    });
    return kTexts[error.kind];
}

Parsed parse_filter_bytes(chain::ByteView bytes) {
    if (bytes.empty()) return failure({.hex = HexError::empty});
    if (const auto* network = network_of_message(bytes)) return parse_message(bytes, *network);
    if (bytes.size() > kMostBytes) return failure({.kind = FilterInputError::Kind::too_long});
    return parse_payload(bytes);
}

Parsed parse_filter_hex(std::string_view hex) {
    if (hex.size() > kMostFilterText) return failure({.kind = FilterInputError::Kind::too_long});
    const auto bytes = parse_hex_text(hex);
    if (!bytes) return failure({.hex = bytes.error()});
    return parse_filter_bytes(*bytes);
}

UserFilter read_filter(const std::filesystem::path& file) {
    const std::string content = read_filter_file(file);
    auto filter = parse_filter_file(content);
    if (!filter) throw bad_filter(filter.error(), printable(file.string()) + ": ");
    const auto text = text_of(content);
    UserFilter read{*std::move(filter), text && is_hex_text(*text), std::nullopt};
    const chain::Bytes bytes =
        read.is_text ? *parse_hex_text(*text) : chain::Bytes(content.begin(), content.end());
    if (const auto* network = network_of_message(bytes)) read.magic = network->magic;
    return read;
}

Parsed parse_filter_file(std::string_view content) {
    const auto text = text_of(content);
    if (text && is_hex_text(*text)) return parse_filter_hex(*text);
    return parse_filter_bytes(chain::as_bytes(content));
}

namespace {

Parsed parsed_filter_from(const FilterSource& source, std::istream& in) {
    if (source.standard_input) return parse_filter_file(read_at_most(kMostFilterText + 1, in));
    if (source.file) return parse_filter_file(read_filter_file(*source.file));
    return parse_filter_hex(source.hex);
}

}  // namespace

InspectedFilter inspected_filter_from(const FilterSource& source, std::istream& in) {
    const auto filter = parsed_filter_from(source, in);
    if (filter) return {bloom::outline_of(*filter), filter->encode()};
    if (filter.error().match_all.empty()) throw bad_filter(filter.error(), place_of(source));
    return {*bloom::outline_of_payload(filter.error().match_all), filter.error().match_all};
}

bloom::BloomFilter filter_from(const FilterSource& source) {
    return source.file ? filter_from_file(*source.file) : filter_from_hex(source.hex);
}

std::vector<NamedFilter> named_filters_from(const std::vector<std::string>& arguments) {
    std::map<std::string, int> files;  // number of files of this name, in all folders
    for (const std::string& argument : arguments) {
        if (is_a_file(argument)) ++files[std::filesystem::path(argument).filename().string()];
    }
    std::vector<NamedFilter> filters;
    for (const std::string& argument : arguments) {
        std::string name = "filter " + std::to_string(filters.size() + 1);
        if (is_a_file(argument)) {
            name = std::filesystem::path(argument).filename().string();
            if (files[name] > 1) name = argument;
            name = printable(name, 60);
        }
        filters.push_back({std::move(name), filter_from_argument(argument)});
    }
    return filters;
}

std::vector<bloom::BloomFilter> without_names(const std::vector<NamedFilter>& filters) {
    std::vector<bloom::BloomFilter> bare;
    bare.reserve(filters.size());
    for (const NamedFilter& named : filters) bare.push_back(named.filter);
    return bare;
}

bloom::InspectionContext context_of(const FilterAssumptions& assumptions) {
    bloom::InspectionContext context;
    context.world = assumptions.world;
    context.used = std::min(assumptions.used.value_or(kUsedAddresses), assumptions.world.addresses);
    context.shards = assumptions.shards;
    return context;
}

}  // namespace petal::cli
