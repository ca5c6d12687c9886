/// How much memory a program has allocated. It counts every allocation, so a program that includes
/// it is one of its own.
#pragma once

#include <cstddef>

namespace petal::test {

/// Counts from its construction on. One at a time, and in programs of one thread.
class CountedMemory {
public:
    CountedMemory();

    /// The bytes that are allocated beyond those at the beginning.
    std::size_t live() const;
    /// The most that there were since.
    std::size_t peak() const;

private:
    std::size_t before_;
};

}  // namespace petal::test
