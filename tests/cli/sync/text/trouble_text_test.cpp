#include "cli/sync/text/trouble_text.h"

#include <gtest/gtest.h>

namespace petal::cli {
namespace {

using client::SyncTrouble;

TEST(TroubleSentence, SaysWhyASyncMakesNoProgress) {
    EXPECT_EQ(trouble_sentence({}), "");
    EXPECT_EQ(trouble_sentence({.trouble = SyncTrouble::no_peer}), "has no peer");
    EXPECT_EQ(trouble_sentence({.trouble = SyncTrouble::no_peer, .failures = "a\x1b[1mb"}),
              "has no peer (a\\x1b[1mb)");
    EXPECT_EQ(trouble_sentence({.trouble = SyncTrouble::other_chain, .fork_height = 1'100}),
              "has no peer with the stored chain: its peers' chain forks off after block 1,100");
    EXPECT_EQ(trouble_sentence({.trouble = SyncTrouble::shorter_chain}),
              "has no peer with all blocks of the stored chain");
    EXPECT_EQ(trouble_sentence({.trouble = SyncTrouble::stalled,
                                .stall_reason = net::StallReason::silent_headers}),
              "waits for a peer's headers");
    EXPECT_EQ(trouble_sentence({.trouble = SyncTrouble::suspended}), "is suspended or hangs");
}

}  // namespace
}  // namespace petal::cli
