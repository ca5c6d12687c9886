#include "cli/secrets/wiping_output.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <ostream>
#include <string>
#include <thread>

namespace petal::cli {
namespace {

/// The bytes that a WipingOutput writes into a pipe.
template <typename Write>
std::string piped(Write write) {
    std::array<int, 2> ends{};
    EXPECT_EQ(pipe(ends.data()), 0);
    std::thread writer([&] {
        {
            WipingOutput buffer(ends[1]);
            std::ostream stream(&buffer);
            write(stream);
        }
        close(ends[1]);
    });
    std::string text;
    std::array<char, 1'000> piece{};
    for (ssize_t size = 1; size > 0;) {
        size = read(ends[0], piece.data(), piece.size());
        if (size > 0) text.append(piece.data(), static_cast<std::size_t>(size));
    }
    writer.join();
    close(ends[0]);
    return text;
}

TEST(WipingOutput, WritesAllInItsOrder) {
    EXPECT_EQ(piped([](std::ostream& stream) { stream << "a" << 1 << '\n'
                                                      << std::flush << "b"; }),
              "a1\nb");
    std::string many;
    for (int i = 0; i < 20'000; ++i) many += std::to_string(i);
    EXPECT_EQ(piped([&](std::ostream& stream) { stream << many; }), many);
    EXPECT_EQ(piped([&](std::ostream& stream) {
                  for (const char c : many) stream.put(c);
              }),
              many);
    EXPECT_EQ(piped([](std::ostream&) {}), "");
}

TEST(WipingOutput, ReportsAFailedWrite) {
    const int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
    ASSERT_GE(full, 0);
    WipingOutput buffer(full);
    std::ostream stream(&buffer);
    EXPECT_TRUE(stream << "words");
    EXPECT_FALSE(stream.flush());
    stream.clear();
    EXPECT_FALSE(stream << std::string(100'000, 'x')) << "more than its buffer holds";
    close(full);
}

}  // namespace
}  // namespace petal::cli
