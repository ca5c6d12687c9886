/// Typed access to SQLite statements: their parameters and their rows.
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

namespace petal::chain {

/// A stored value of a type, length or range that is never stored.
class BadValue : public std::runtime_error {
public:
    explicit BadValue(const std::string& what) : std::runtime_error(what) {}
};

/// One use of a prepared statement: binds its parameters, steps through its rows, and leaves it
/// ready for the next use, so that an exception keeps no read transaction open. Throws BadValue for
/// a column of another type, and SQLite::Exception.
class SqliteQuery {
public:
    explicit SqliteQuery(SQLite::Statement& statement) : statement_(statement) {}
    SqliteQuery(const SqliteQuery&) = delete;
    SqliteQuery& operator=(const SqliteQuery&) = delete;
    ~SqliteQuery() { static_cast<void>(statement_.tryReset()); }  // step() has thrown the error

    /// Binds the next parameter. Bytes must outlive the query.
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
        // SQLite takes a null pointer for NULL, and an empty view may have one.
        const void* data = bytes.empty() ? "" : static_cast<const void*>(bytes.data());
        statement_.bindNoCopy(++bound_, data, static_cast<int>(bytes.size()));
        return *this;
    }
    SqliteQuery& bind(const std::string& text) {
        statement_.bind(++bound_, text);
        return *this;
    }

    /// A time that time() reads again. Throws std::invalid_argument for another one.
    SqliteQuery& bind_time(std::int64_t time) {
        if (time > kLastTime || time < -kLastTime) throw std::invalid_argument("no Unix seconds");
        return bind(time);
    }

    /// Moves to the next row; false after the last.
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

    /// A time in Unix seconds of at least `min`, up to the year 9999: sums with durations do not
    /// overflow.
    std::int64_t time(int column, std::int64_t min = -kLastTime) const {
        const auto time = integer<std::int64_t>(column, kLastTime);
        if (time < min) bad(column);
        return time;
    }

    /// A block's height, of at most 31 bits as in Bitcoin Core: the next one is a height, too.
    std::uint32_t height(int column) const {
        return integer<std::uint32_t>(column, std::numeric_limits<std::int32_t>::max());
    }

    bool is_null(int column) const { return statement_.isColumnNull(column); }

    /// The bytes of a blob of at most `max_bytes`; valid until the next step.
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
    static constexpr std::int64_t kLastTime = 253'402'300'799;

    [[noreturn]] void bad(int column) const {
        throw BadValue(std::string("bad value of ") + statement_.getColumnName(column));
    }

    SQLite::Statement& statement_;
    int bound_ = 0;
};

}  // namespace petal::chain
