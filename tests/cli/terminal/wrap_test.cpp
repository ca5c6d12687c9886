#include "cli/terminal/wrap.h"

#include <gtest/gtest.h>

#include <sstream>

#include "cli/terminal/prose_stream.h"
#include "cli/text/text.h"

namespace petal::cli {
namespace {

constexpr const char* kProse =
    "Pending amounts are in no block yet. Until they are, a payment of others may be made up by a "
    "peer, or taken back by its sender. The wallet counts no payment that it has not proved.";

TEST(Wrap, BreaksLinesBetweenWords) {
    for (const std::size_t columns : {60U, 80U, 120U}) {
        const std::string wrapped = wrap(kProse, columns);
        std::istringstream lines(wrapped);
        std::string joined;
        for (std::string line; std::getline(lines, line);) {
            EXPECT_LE(line.size(), columns);
            joined += (joined.empty() ? "" : " ") + line;
        }
        EXPECT_EQ(joined, kProse);
        EXPECT_EQ(wrap(wrapped, columns), wrapped);
    }
}

TEST(Wrap, FillsLines) {
    EXPECT_EQ(wrap("aa bb cc", 5), "aa bb\ncc");
    EXPECT_EQ(wrap("aa bb cc", 8), "aa bb cc");
    EXPECT_EQ(wrap("\u00fc\u00fc bb", 5), "\u00fc\u00fc bb");
    EXPECT_EQ(wrap("\x1b[1maa bb\x1b[0m cc", 5), "\x1b[1maa bb\x1b[0m\ncc");
    EXPECT_EQ(wrap("", 5), "");
}

TEST(Wrap, CutsATextBehindAWord) {
    EXPECT_EQ(cut_at_word("aa bb cc", 8), "aa bb cc");
    EXPECT_EQ(cut_at_word("aa bb cc", 7), "aa bb…");
    EXPECT_EQ(cut_at_word("aa bb cc", 6), "aa bb…");
    EXPECT_EQ(cut_at_word("aa bb cc", 5), "aa…");
    EXPECT_EQ(cut_at_word("aaaaaa bb", 4), "aaa…");
    EXPECT_EQ(cut_at_word("a", 0), "");
}

TEST(Wrap, KeepsTheLinesOfTheText) {
    EXPECT_EQ(wrap("a\n\nb\n", 5), "a\n\nb\n");
    EXPECT_EQ(wrap("aa bb cc\ndd\n", 5), "aa bb\ncc\ndd\n");
    EXPECT_EQ(wrap("a  b   c", 20), "a  b   c");
}

TEST(Wrap, IndentsAsTheLineIs) {
    EXPECT_EQ(wrap("  aa bb cc", 7), "  aa bb\n  cc");
}

TEST(Wrap, IndentsAsTheTextBesideAName) {
    EXPECT_EQ(wrap("  synced    block 2,000 of 2,100, some minutes ago", 40),
              "  synced    block 2,000 of 2,100, some\n"
              "            minutes ago");
    // Too narrow for two columns.
    EXPECT_EQ(wrap("  synced    block 2,000 of 2,100, some", 30),
              "  synced    block 2,000 of\n"
              "    2,100, some");
}

TEST(Wrap, BreaksNoWord) {
    const std::string hex(70, 'a');
    EXPECT_EQ(wrap("  signed by " + hex + " today", 60), "  signed by\n  " + hex + "\n  today");
    EXPECT_EQ(wrap(hex, 60), hex);
}

TEST(Wrap, PutsAWideWordBelowItsName) {
    const std::string id(64, 'a');
    EXPECT_EQ(wrap("  input           " + id + "\n", 80), "  input\n    " + id + "\n");
    EXPECT_EQ(wrap("                  " + id + "\n", 81), "    " + id + "\n") << "a further one";
    EXPECT_EQ(wrap("  input           " + id, 82), "  input           " + id);
    EXPECT_EQ(wrap("  output          1.5 BTC to " + id, 80),
              "  output          1.5 BTC to\n    " + id);
}

TEST(Wrap, PartsNoNumberFromItsUnit) {
    EXPECT_EQ(wrap("synced in 100 ms.", 14), "synced in\n100 ms.");
    EXPECT_EQ(wrap("sent 1.5 BTC, to", 10), "sent\n1.5 BTC,\nto");
    EXPECT_EQ(wrap("block 2,100 was", 12), "block 2,100\nwas");
}

TEST(Wrap, BreaksNoCommandThatFits) {
    EXPECT_EQ(wrap("say `petal sync`, then wait", 18), "say `petal sync`,\nthen wait");
    EXPECT_EQ(wrap("now say `petal sync`, then wait", 20), "now say\n`petal sync`, then\nwait");
    EXPECT_EQ(wrap("say `petal --wallet mine sync` now", 16),
              "say `petal\n--wallet mine\nsync` now");
    EXPECT_EQ(wrap("an odd ` stays as it is", 8), "an odd `\nstays as\nit is");
}

TEST(ProseStream, BreaksEachLineWhenItIsComplete) {
    std::ostringstream out;
    ProseStream prose(out, [] { return std::size_t{8}; });
    prose << "aa bb" << ' ';
    EXPECT_EQ(out.str(), "");
    prose << "cc dd\n" << 12 << " ee";
    EXPECT_EQ(out.str(), "aa bb cc\ndd\n");
    prose << std::flush;
    EXPECT_EQ(out.str(), "aa bb cc\ndd\n12 ee");
}

}  // namespace
}  // namespace petal::cli
