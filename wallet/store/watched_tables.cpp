// The tables of watched data: descriptors, handed-out addresses, the padding of filters.
#include "wallet/store/watched_tables.h"

#include <SQLiteCpp/Statement.h>

#include <algorithm>
#include <cassert>
#include <limits>

#include "chain/storage/sqlite_query.h"
#include "wallet/descriptors/descriptor.h"

namespace petal::wallet {

namespace {

using chain::ByteView;
using chain::SqliteQuery;

constexpr const char* kInsertDescriptor = "INSERT INTO descriptor VALUES (?, ?, ?, ?, ?, ?, ?, ?)";
constexpr const char* kReplacePadding = "INSERT OR REPLACE INTO filter_padding VALUES (1, ?, ?)";
constexpr auto kLastOrigin = static_cast<std::uint8_t>(DescriptorOrigin::restored);

// In files of earlier versions, between the rows of the account's two chains: the only current
// address of the wallet, with the descriptor's number in the upper half.
constexpr std::int64_t kOldCurrentAddressRow = 2;

/// The row of handed_out for a descriptor.
std::int64_t handed_out_row_of(DescriptorNumber number) {
    return number.value < kOldCurrentAddressRow ? number.value : std::int64_t{number.value} + 1;
}

/// The row of handed_out for a descriptor's current address, which contains index + 1, or 0.
std::int64_t current_address_row_of(DescriptorNumber number) {
    return -1 - std::int64_t{number.value};
}

void insert(SQLite::Statement& statement, DescriptorNumber number,
            const StoredDescriptor& descriptor) {
    assert(number.value < kMaxDescriptors && descriptor.text.size() <= kMaxDescriptorCharacters);
    SqliteQuery(statement)
        .bind(std::int64_t{number.value})
        .bind(descriptor.text)
        .bind(static_cast<std::int64_t>(descriptor.chain))
        .bind(static_cast<std::int64_t>(descriptor.origin))
        .bind(std::int64_t{descriptor.look_ahead.gap_limit})
        .bind(std::int64_t{descriptor.look_ahead.watched})
        .bind(std::int64_t{descriptor.birthday.height})
        .bind_time(descriptor.birthday.time)
        .run();
}

void replace(SQLite::Statement& statement, const chain::FilterPadding& padding) {
    SqliteQuery(statement)
        .bind(ByteView(padding.secret))
        .bind(static_cast<std::int64_t>(padding.first_elements))
        .run();
}

StoredDescriptor read_descriptor(const SqliteQuery& query) {
    StoredDescriptor descriptor;
    descriptor.text = query.text(1, kMaxDescriptorCharacters);
    descriptor.chain = static_cast<KeyChain>(query.integer<std::uint8_t>(2, kKeyChains.size() - 1));
    descriptor.origin = static_cast<DescriptorOrigin>(query.integer<std::uint8_t>(3, kLastOrigin));
    descriptor.look_ahead.gap_limit = query.integer<std::uint32_t>(4);
    descriptor.look_ahead.watched = query.integer<std::uint32_t>(5);
    descriptor.birthday.height = query.integer<std::uint32_t>(6);
    descriptor.birthday.time = query.time(7);
    return descriptor;
}

}  // namespace

void store_descriptors(SQLite::Database& database, std::span<const StoredDescriptor> descriptors) {
    SQLite::Statement statement(database, kInsertDescriptor);
    std::uint32_t number = 0;
    for (const StoredDescriptor& descriptor : descriptors) insert(statement, number++, descriptor);
}

void store_filter_padding(SQLite::Database& database, const chain::FilterPadding& padding) {
    SQLite::Statement statement(database, kReplacePadding);
    replace(statement, padding);
}

std::vector<StoredDescriptor> WatchedTables::descriptors() {
    std::vector<StoredDescriptor> descriptors;
    if (!connection_.has_table("descriptor")) return descriptors;
    SqliteQuery query(connection_.statement(
        "SELECT number, text, chain, origin, gap_limit, watched, birthday_height,"
        " birthday_time FROM descriptor ORDER BY number"));
    while (query.step()) {
        if (query.integer<std::uint32_t>(0, kMaxDescriptors - 1) != descriptors.size()) {
            throw connection_.damaged("a descriptor is missing");
        }
        descriptors.push_back(read_descriptor(query));
    }
    return descriptors;
}

void WatchedTables::add_descriptor(DescriptorNumber number, const StoredDescriptor& descriptor) {
    insert(connection_.statement(kInsertDescriptor), number, descriptor);
}

std::optional<chain::FilterPadding> WatchedTables::filter_padding() {
    if (!connection_.has_table("filter_padding")) return std::nullopt;
    SqliteQuery query(connection_.statement("SELECT secret, first_elements FROM filter_padding"));
    if (!query.step()) return std::nullopt;
    chain::FilterPadding padding;
    const ByteView secret = query.blob(0, padding.secret.size());
    if (secret.size() != padding.secret.size()) throw connection_.damaged("bad filter secret");
    std::ranges::copy(secret, padding.secret.begin());
    padding.first_elements = query.integer<std::uint32_t>(1);
    return padding;
}

std::uint32_t WatchedTables::handed_out(DescriptorNumber number) {
    const std::uint64_t end = handed_out_row(handed_out_row_of(number)).value_or(0);
    if (end > std::numeric_limits<std::uint32_t>::max())
        throw connection_.damaged("scripts are missing");
    return static_cast<std::uint32_t>(end);
}

std::optional<std::uint32_t> WatchedTables::current_address(DescriptorNumber number) {
    std::uint64_t end = 0;
    if (const auto own = handed_out_row(current_address_row_of(number))) {
        end = *own;
    } else if (const auto old = handed_out_row(kOldCurrentAddressRow);
               old && *old >> 32 == number.value) {
        end = static_cast<std::uint32_t>(*old);
    }
    if (end == 0) return std::nullopt;
    if (end > std::numeric_limits<std::uint32_t>::max())
        throw connection_.damaged("scripts are missing");
    return static_cast<std::uint32_t>(end - 1);
}

std::optional<std::uint64_t> WatchedTables::handed_out_row(std::int64_t row) {
    SqliteQuery query(connection_.statement("SELECT end FROM handed_out WHERE chain = ?"));
    query.bind(row);
    constexpr std::uint64_t kHighest = std::numeric_limits<std::int64_t>::max();
    if (!query.step()) return std::nullopt;
    return query.integer<std::uint64_t>(0, kHighest);
}

void WatchedTables::set_handed_out(DescriptorNumber number, std::uint32_t end) {
    set_handed_out_row(handed_out_row_of(number), end);
}

void WatchedTables::set_current_address(DescriptorNumber number,
                                        std::optional<std::uint32_t> index) {
    set_handed_out_row(current_address_row_of(number), index ? std::uint64_t{*index} + 1 : 0);
}

void WatchedTables::set_handed_out_row(std::int64_t row, std::uint64_t end) {
    SqliteQuery(connection_.statement("INSERT OR REPLACE INTO handed_out VALUES (?, ?)"))
        .bind(row)
        .bind(static_cast<std::int64_t>(end))
        .run();
}

}  // namespace petal::wallet
