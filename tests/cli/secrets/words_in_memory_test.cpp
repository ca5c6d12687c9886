// The mnemonic of a new wallet is shown once, and is nowhere in memory afterwards.
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <sstream>
#include <string_view>

#include "cli/run.h"
#include "cli/secrets/wiping_output.h"
#include "tests/cli/scene.h"
#include "tests/support/memory_scan.h"

namespace petal::cli {
namespace {

/// Runs `create` with its standard output connected to a pipe, and stores the output in `shown`.
template <std::size_t N>
std::string_view create_into(std::array<char, N>& shown, const test::Scene& scene,
                             std::vector<std::string> arguments) {
    std::array<int, 2> ends{};
    EXPECT_EQ(pipe(ends.data()), 0);
    {
        WipingOutput buffer(ends[1]);
        std::istringstream in;
        std::ostream out(&buffer);
        std::ostringstream err;
        Console console(in, out, err, {}, /*no_colour=*/true);
        arguments.insert(arguments.begin(),
                         {"--datadir", scene.folder().string(), "--network", "regtest", "create"});
        EXPECT_EQ(run(arguments, console), ExitStatus::done) << err.str();
    }
    close(ends[1]);
    const ssize_t size = read(ends[0], shown.data(), shown.size());
    close(ends[0]);
    return {shown.data(), static_cast<std::size_t>(size)};
}

struct WordsCase {
    const char* name;
    std::vector<std::string> arguments;
    std::string_view before_words;
};

class WordsInMemory : public testing::TestWithParam<WordsCase> {};

TEST_P(WordsInMemory, AreGoneOnceTheyArePrinted) {
    const test::Scene scene;
    std::array<char, 8'192> shown{};
    const std::string_view text = create_into(shown, scene, GetParam().arguments);
    const std::size_t place = text.find(GetParam().before_words);
    ASSERT_NE(place, std::string_view::npos) << text;
    // A few of the first words, so that a part of the output is found as well.
    const test::MaskedBytes words(
        chain::as_bytes(text.substr(place + GetParam().before_words.size(), 20)));
    EXPECT_EQ(test::count_in_memory(words), 1U) << "in the text that this test has read";
    shown.fill(0);
    EXPECT_EQ(test::count_in_memory(words), 0U);
}

INSTANTIATE_TEST_SUITE_P(
    Create, WordsInMemory,
    testing::Values(WordsCase{"Json", {"--json"}, "\"mnemonic\":\""},
                    WordsCase{"Json24", {"--json", "--words", "24"}, "\"mnemonic\":\""},
                    WordsCase{"Text", {}, "Its words:\n\n   1 "}),
    [](const auto& row) { return std::string(row.param.name); });

}  // namespace
}  // namespace petal::cli
