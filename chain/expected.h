/// A value or an error.
///
/// A subset of std::expected (C++23). Differences:
///
/// - value() and operator* without a value fail an assertion. std::expected throws
///   bad_expected_access from value(), and operator* is undefined behaviour.
/// - value_or() always copies the value. error() is const.
/// - There is no default value, comparison, emplace(), and_then(), transform(), or_else() or
///   std::unexpect.
#pragma once

#include <cassert>
#include <type_traits>
#include <utility>
#include <variant>

namespace petal::chain {

/// An error that converts to an Expected with any type of value.
template <typename E>
class Unexpected {
public:
    explicit Unexpected(E error) : error_(std::move(error)) {}
    const E& error() const { return error_; }

private:
    E error_;
};

/// The result of an operation on untrusted input: a value or an error.
template <typename T, typename E>
class [[nodiscard]] Expected {
public:
    Expected(T value) : state_(std::in_place_index<0>, std::move(value)) {}
    template <typename F>
    requires std::is_convertible_v<const F&, E> Expected(const Unexpected<F>& unexpected)
        : state_(std::in_place_index<1>, unexpected.error()) {}

    bool has_value() const { return state_.index() == 0; }
    explicit operator bool() const { return has_value(); }

    /// The value. Must not be called without a value.
    const T& value() const& { return assert(has_value()), std::get<0>(state_); }
    T& value() & { return assert(has_value()), std::get<0>(state_); }
    T&& value() && { return assert(has_value()), std::get<0>(std::move(state_)); }
    const T& operator*() const& { return value(); }
    T& operator*() & { return value(); }
    T&& operator*() && { return std::move(*this).value(); }
    const T* operator->() const { return &value(); }
    T* operator->() { return &value(); }

    /// The error. Must not be called while there is a value.
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
