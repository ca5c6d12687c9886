/// Typed access to the parameters and rows of SQLite statements.
#pragma once

#include <SQLiteCpp/Column.h>
#include <SQLiteCpp/Statement.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "chain/bytes.h"
#include "chain/hash.h"
#include "chain/unix_time.h"

namespace petal::chain {

/// A stored value has a wrong type, length or range.
class BadValue : public std::runtime_error {
public:
    explicit BadValue(const std::string& what) : std::runtime_error(what) {}
};

/// One use of a prepared statement: binds parameters and steps through rows. The destructor resets
/// the statement, so that an exception leaves no read transaction open. Throws BadValue for a
/// column of another type, and SQLite::Exception.
class SqliteQuery {
public:
    explicit SqliteQuery(SQLite::Statement& statement) : statement_(statement) {}
    SqliteQuery(const SqliteQuery&) = delete;
    SqliteQuery& operator=(const SqliteQuery&) = delete;
    ~SqliteQuery() { static_cast<void>(statement_.tryReset()); }  // step() has already thrown

    /// Binds the next parameter. A ByteView must outlive the query.
    SqliteQuery& bind(std::int64_t value) {
        statement_.bind(++bound_, value);
        return *this;
    }
    SqliteQuery& bind(const std::optional<std::uint32_t>& value) {
        if (value) return bind(std::int64_t{*value});
        statement_.bind(++bound_);
        return *this;
    }
    SqliteQuery& bind(ByteView bytes) {
        // SQLite binds NULL for a null pointer, which an empty view may have.
        const void* data = bytes.empty() ? "" : static_cast<const void*>(bytes.data());
        statement_.bindNoCopy(++bound_, data, static_cast<int>(bytes.size()));
        return *this;
    }
    SqliteQuery& bind(const std::string& text) {
        statement_.bind(++bound_, text);
        return *this;
    }

    /// Binds a time in the range of time(). Throws std::invalid_argument for any other time.
    SqliteQuery& bind_time(std::int64_t time) {
        if (time > kLastUnixTime || time < -kLastUnixTime)
            throw std::invalid_argument("no Unix seconds");
        return bind(time);
    }

    /// Moves to the next row. Returns false after the last row.
    bool step() { return statement_.executeStep(); }
    /// Runs a statement without rows.
    void run() { static_cast<void>(statement_.exec()); }

    /// An integer of at most `max`.
    template <typename Integer>
    Integer integer(int column, Integer max = std::numeric_limits<Integer>::max()) const {
        const SQLite::Column value = statement_.getColumn(column);
        const std::int64_t number = value.getInt64();
        if (!value.isInteger() || std::cmp_less(number, std::numeric_limits<Integer>::min()) ||
            std::cmp_greater(number, max)) {
            bad(column);
        }
        return static_cast<Integer>(number);
    }

    /// A time in Unix seconds from `min` to the year 9999, so that sums with durations do not
    /// overflow.
    std::int64_t time(int column, std::int64_t min = -kLastUnixTime) const {
        const auto time = integer<std::int64_t>(column, kLastUnixTime);
        if (time < min) bad(column);
        return time;
    }

    /// A block's height of at most 31 bits, as in Bitcoin Core, so that height + 1 does not
    /// overflow.
    std::uint32_t height(int column) const {
        return integer<std::uint32_t>(column, std::numeric_limits<std::int32_t>::max());
    }

    bool is_null(int column) const { return statement_.isColumnNull(column); }

    /// The bytes of a blob of at most `max_bytes`. Valid until the next step.
    ByteView blob(int column, std::size_t max_bytes) const {
        const SQLite::Column value = statement_.getColumn(column);
        const auto* data = static_cast<const Byte*>(value.getBlob());
        const auto size = static_cast<std::size_t>(value.getBytes());
        if (!value.isBlob() || size > max_bytes) bad(column);
        return {data, size};
    }

    template <typename Hash>
    Hash hash(int column) const {
        const ByteView bytes = blob(column, 32);
        if (bytes.size() != 32) bad(column);
        return Hash::from_view(bytes);
    }

    std::string text(int column, std::size_t max_bytes) const {
        const SQLite::Column value = statement_.getColumn(column);
        if (!value.isText() || static_cast<std::size_t>(value.getBytes()) > max_bytes) bad(column);
        return value.getString();
    }

private:
    [[noreturn]] void bad(int column) const {
        throw BadValue(std::string("bad value of ") + statement_.getColumnName(column));
    }

    SQLite::Statement& statement_;
    int bound_ = 0;
};

}  // namespace petal::chain
