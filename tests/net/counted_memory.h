/// Counts the memory that a program has allocated. This header's source replaces the global
/// allocation functions, so a test with this header must be a program of its own.
#pragma once

#include <cstddef>

namespace petal::test {

/// Counts from the construction on. At most one object may exist at a time, and only in a
/// single-threaded program.
class CountedMemory {
public:
    CountedMemory();

    /// The bytes that are allocated now, minus the bytes at construction.
    std::size_t live() const;
    /// The highest value of live() since construction.
    std::size_t peak() const;

private:
    std::size_t before_;
};

}  // namespace petal::test
