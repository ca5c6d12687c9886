#include "cli/filter/filter_input.h"

#include <algorithm>
#include <utility>

#include "chain/enum_table.h"
#include "chain/network_params.h"
#include "cli/backup/text_encoding.h"
#include "cli/backup/user_file.h"
#include "cli/command_error.h"
#include "cli/console.h"
#include "cli/text.h"

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

/// The network whose messages begin with these bytes. No valid payload does: its first byte would
/// require another size.
const chain::NetworkParams* network_of(chain::ByteView bytes) {
    for (const auto& network : chain::all_networks()) {
        if (bytes.size() > network.magic.size() &&
            std::ranges::equal(bytes.first(network.magic.size()), network.magic)) {
            return &network;
        }
    }
    return nullptr;
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

std::string read_filter_file(const std::filesystem::path& file) {
    return read_user_file(file, kMostFilterText + 1);
}

CommandError bad_filter(const FilterInputError& error, const std::string& where) {
    return {ExitStatus::failed, "bad-filter",
            where + "this is no filter: " + std::string(describe(error))};
}

/// parse_filter_hex(), or CommandError `bad-filter`.
bloom::BloomFilter filter_from_hex(std::string_view hex) {
    const auto filter = parse_filter_hex(hex);
    if (!filter) throw bad_filter(filter.error(), "");
    return *filter;
}

/// parse_filter_file(), or CommandError `bad-filter`, or `unreadable-file` if it can't be read.
bloom::BloomFilter filter_from_file(const std::filesystem::path& file) {
    const auto filter = parse_filter_file(read_filter_file(file));
    if (!filter) throw bad_filter(filter.error(), printable(file.string()) + ": ");
    return *filter;
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
    const chain::NetworkParams* network = network_of(bytes);
    // A payload may begin with any network's magic. If its size is consistent, it counts as a
    // payload.
    if (network != nullptr && !bloom::BloomFilter::decode(bytes)) {
        return parse_message(bytes, *network);
    }
    if (bytes.size() > kMostBytes) return failure({.kind = FilterInputError::Kind::too_long});
    return parse_payload(bytes);
}

Parsed parse_filter_hex(std::string_view hex) {
    if (hex.size() > kMostFilterText) return failure({.kind = FilterInputError::Kind::too_long});
    const auto bytes = parse_hex_text(hex);
    if (!bytes) return failure({.hex = bytes.error()});
    return parse_filter_bytes(*bytes);
}

Parsed parse_filter_file(std::string_view content) {
    const auto text = text_of(content);
    if (text && is_hex_text(*text)) return parse_filter_hex(*text);
    return parse_filter_bytes(chain::as_bytes(content));
}

InspectedFilter inspected_filter_from(const FilterSource& source) {
    const auto filter = source.file ? parse_filter_file(read_filter_file(*source.file))
                                    : parse_filter_hex(source.hex);
    if (filter) return {bloom::outline_of(*filter), filter->encode()};
    if (filter.error().match_all.empty()) {
        throw bad_filter(filter.error(),
                         source.file ? printable(source.file->string()) + ": " : "");
    }
    return {*bloom::outline_of_payload(filter.error().match_all), filter.error().match_all};
}

bloom::BloomFilter filter_from(const FilterSource& source) {
    return source.file ? filter_from_file(*source.file) : filter_from_hex(source.hex);
}

bloom::BloomFilter filter_from_argument(const std::string& text) {
    std::error_code error;
    const bool is_file = text.size() < 4'096 && std::filesystem::exists(text, error);
    if (is_file) return filter_from_file(text);
    if (is_hex_text(text) || text.starts_with("0x")) return filter_from_hex(text);
    throw CommandError(ExitStatus::failed, "unreadable-file",
                       "there is no file " + printable(text, 120) +
                           ", and that is no filter in hexadecimal either");
}

bloom::InspectionContext context_of(const FilterAssumptions& assumptions) {
    bloom::InspectionContext context;
    context.world = assumptions.world;
    context.used = std::min(assumptions.used.value_or(kUsedAddresses), assumptions.world.addresses);
    context.shards = assumptions.shards;
    return context;
}

}  // namespace petal::cli
