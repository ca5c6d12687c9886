/// A value or an error.
///
/// Has the names of the part of std::expected (C++23) that petal needs. Differences:
///
/// - value() without a value is a bug in the caller: an assertion fails. std::expected throws
///   bad_expected_access, and its operator* is undefined behaviour then.
/// - value_or() copies the value, also of a temporary. error() is const.
/// - There is no default value, no comparison, no emplace(), and_then(), transform() or or_else(),
///   and no std::unexpect: an error is given as Unexpected.
#pragma once

#include <cassert>
#include <type_traits>
#include <utility>
#include <variant>

namespace petal::chain {

/// Wraps an error so that an Expected can be made from it, whatever its value's type.
template <typename E>
class Unexpected {
public:
    explicit Unexpected(E error) : error_(std::move(error)) {}
    const E& error() const { return error_; }

private:
    E error_;
};

/// The result of an operation on input from outside: the value, or an error.
template <typename T, typename E>
class [[nodiscard]] Expected {
public:
    Expected(T value) : state_(std::in_place_index<0>, std::move(value)) {}
    template <typename F>
    requires std::is_convertible_v<const F&, E> Expected(const Unexpected<F>& unexpected)
        : state_(std::in_place_index<1>, unexpected.error()) {}

    bool has_value() const { return state_.index() == 0; }
    explicit operator bool() const { return has_value(); }

    /// The value. Calling any of these without one is a bug in the caller.
    const T& value() const& { return assert(has_value()), std::get<0>(state_); }
    T& value() & { return assert(has_value()), std::get<0>(state_); }
    T&& value() && { return assert(has_value()), std::get<0>(std::move(state_)); }
    const T& operator*() const& { return value(); }
    T& operator*() & { return value(); }
    T&& operator*() && { return std::move(*this).value(); }
    const T* operator->() const { return &value(); }
    T* operator->() { return &value(); }

    /// The error. Calling it while there is a value is a bug in the caller.
    const E& error() const { return assert(!has_value()), std::get<1>(state_); }

    template <typename U>
    T value_or(U&& fallback) const& {
        return has_value() ? value() : static_cast<T>(std::forward<U>(fallback));
    }

private:
    std::variant<T, E> state_;
};

/// The result of an operation without a value.
template <typename E>
class [[nodiscard]] Expected<void, E> {
public:
    Expected() = default;
    template <typename F>
    requires std::is_convertible_v<const F&, E> Expected(const Unexpected<F>& unexpected)
        : state_(std::in_place_index<1>, unexpected.error()) {}

    bool has_value() const { return state_.index() == 0; }
    explicit operator bool() const { return has_value(); }
    const E& error() const { return assert(!has_value()), std::get<1>(state_); }

private:
    std::variant<std::monostate, E> state_;
};

}  // namespace petal::chain
