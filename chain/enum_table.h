/// Tables with a row for each enumerator of an enum.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

namespace petal::chain {

/// Whether an enumerator has this value. Compilers print the name of an enumerator in
/// __PRETTY_FUNCTION__, and a cast of a number for a value without an enumerator.
template <auto kValue>
consteval bool is_enumerator() {
    const std::string_view name = __PRETTY_FUNCTION__;
    const char first = name[name.rfind(')') + 1];
    return first < '0' || first > '9';
}

/// The code, text or trait of each enumerator of an enum that counts from zero.
template <typename Enum, typename Row, std::size_t kRows>
class EnumTable {
public:
    /// Compiles only if each enumerator has a row, in the order of the enumerators.
    consteval explicit EnumTable(const std::pair<Enum, Row> (&rows)[kRows]) {
        static_assert(is_enumerator<static_cast<Enum>(kRows - 1)>(), "a row has no enumerator");
        static_assert(!is_enumerator<static_cast<Enum>(kRows)>(), "an enumerator has no row");
        for (std::size_t i = 0; i < kRows; ++i) {
            if (rows[i].first != static_cast<Enum>(i)) throw "a row is out of order";
            rows_[i] = rows[i].second;
        }
    }

    /// The number of enumerators.
    static constexpr std::size_t size() { return kRows; }

    constexpr const Row& operator[](Enum value) const {
        return rows_.at(static_cast<std::size_t>(value));
    }

    /// The enumerator whose row has `value` in `member`. Empty without such a row.
    template <typename Class, typename Member, typename Value>
    constexpr std::optional<Enum> find(Member Class::*member, const Value& value) const {
        for (std::size_t i = 0; i < kRows; ++i) {
            if (rows_[i].*member == value) return static_cast<Enum>(i);
        }
        return std::nullopt;
    }

private:
    std::array<Row, kRows> rows_{};
};

/// The table of these rows: enum_table<Colour, int>({{Colour::red, 1}, {Colour::blue, 2}}).
template <typename Enum, typename Row, std::size_t kRows>
consteval EnumTable<Enum, Row, kRows> enum_table(const std::pair<Enum, Row> (&rows)[kRows]) {
    return EnumTable<Enum, Row, kRows>(rows);
}

}  // namespace petal::chain
