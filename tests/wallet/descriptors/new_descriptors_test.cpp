#include "wallet/descriptors/new_descriptors.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/hex.h"

namespace petal::wallet {
namespace {

// BIP381's vectors: an uncompressed key has no segwit outputs.
TEST(NewDescriptors, ComboOfAnUncompressedKeyHasOnePart) {
    const std::string key =
        "04a34b99f22c790c4e36b2b3c2c35a36db06226e41c692fc82b8b56ac1c540c5bd5b8dec5235a0fa8722476c77"
        "09c02559e3aa73aa03918ba2d492eea75abea235";
    const std::vector<std::string> texts{"combo(" + key + ")"};
    const auto read = parse_new_descriptors(texts, *chain::find_network("regtest"));
    ASSERT_TRUE(read) << read.error().reason;
    ASSERT_EQ(read->descriptors.size(), 1U);
    EXPECT_TRUE(read->descriptors[0].text.starts_with("pkh(" + key + ")#"));
}

TEST(NewDescriptors, AreAThousandAtMost) {
    const auto& network = *chain::find_network("regtest");
    std::vector<std::string> texts;
    for (std::size_t number = 1'000; number < 1'000 + kMaxNewDescriptors; ++number) {
        texts.push_back("raw(10" + test::repeat("75", 14) + std::to_string(number) + ")");
    }
    const auto most = parse_new_descriptors(texts, network);
    ASSERT_TRUE(most) << most.error().reason;
    EXPECT_EQ(most->descriptors.size(), kMaxNewDescriptors);

    texts.push_back("raw(10" + test::repeat("75", 16) + ")");
    const auto more = parse_new_descriptors(texts, network);
    ASSERT_FALSE(more);
    EXPECT_EQ(more.error().given, kMaxNewDescriptors);
    EXPECT_EQ(more.error().reason, "at most 1000 are read at once");
}

}  // namespace
}  // namespace petal::wallet
