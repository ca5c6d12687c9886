/// Counts the memory that a program has allocated. It replaces the global allocation functions, so
/// a test that includes it must be a program of its own.
#pragma once

#include <cstddef>

namespace petal::test {

/// Counts from its construction on. At most one may exist at a time, and only in a single-threaded
/// program.
class CountedMemory {
public:
    CountedMemory();

    /// The bytes that are allocated now, beyond those at construction.
    std::size_t live() const;
    /// The highest value of live() since construction.
    std::size_t peak() const;

private:
    std::size_t before_;
};

}  // namespace petal::test
