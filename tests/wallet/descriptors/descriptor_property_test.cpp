// Random descriptors do not change when they are written and read again.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "tests/support/random_descriptor.h"
#include "wallet/descriptors/descriptor.h"
#include "wallet/descriptors/script_deriver.h"

namespace petal::wallet {
namespace {

constexpr int kRandomDescriptors = 1'000;

std::vector<chain::Bytes> scripts_at(const Descriptor& descriptor, std::uint32_t index) {
    std::vector<chain::Bytes> scripts;
    for (const Descriptor& single : descriptor.single_paths()) {
        auto deriver = ScriptDeriver::create(single).value();
        const auto own = deriver.script_pubkeys(index).value();
        scripts.insert(scripts.end(), own.begin(), own.end());
    }
    return scripts;
}

TEST(DescriptorProperty, TextsAreReadAsTheyWereWritten) {
    std::mt19937_64 random(16);
    for (int i = 0; i < kRandomDescriptors; ++i) {
        const auto& network = chain::all_networks()[random() % chain::all_networks().size()];
        const std::string text = test::random_descriptor(random, network);
        SCOPED_TRACE(text);
        const auto first = Descriptor::parse(text, network);
        ASSERT_TRUE(first) << describe(first.error());
        const std::string with_private{first->to_private_string(network)};
        EXPECT_EQ(with_private.substr(0, with_private.size() - 9), text);
        const auto second = Descriptor::parse(with_private, network);
        ASSERT_TRUE(second) << describe(second.error());
        EXPECT_EQ(std::string{second->to_private_string(network)}, with_private);

        DescriptorOptions options;
        options.allow_underivable = true;
        const std::string written = first->to_string(network);
        const auto public_half = Descriptor::parse(written, network, options);
        ASSERT_TRUE(public_half) << written;
        EXPECT_FALSE(public_half->has_private_keys());
        EXPECT_EQ(public_half->to_string(network), written);
    }
}

TEST(DescriptorProperty, WatchOnlyDescriptorsHaveTheSameScripts) {
    std::mt19937_64 random(17);
    const auto& network = *chain::find_network("regtest");
    int compared = 0;
    for (int i = 0; i < 300; ++i) {
        const auto descriptor =
            Descriptor::parse(test::random_descriptor(random, network), network).value();
        for (const Descriptor& single : descriptor.single_paths()) {
            const auto watch_only = single.watch_only();
            if (!watch_only) continue;
            EXPECT_FALSE(watch_only->has_private_keys());
            EXPECT_EQ(scripts_at(*watch_only, 5), scripts_at(single, 5));
            ++compared;
        }
    }
    EXPECT_GT(compared, 250);
}

// A checksum finds every error of one character.
TEST(DescriptorProperty, TextsWithAnyCharacterChangedAreRefused) {
    std::mt19937_64 random(18);
    const auto& network = *chain::find_network("signet");
    for (int i = 0; i < 20; ++i) {
        const auto descriptor =
            Descriptor::parse(test::random_descriptor(random, network), network).value();
        const std::string text = descriptor.to_string(network);
        for (std::size_t position = 0; position < text.size(); ++position) {
            std::string changed = text;
            changed[position] = text[position] == '0' ? '1' : '0';
            DescriptorOptions options;
            options.require_checksum = true;
            EXPECT_FALSE(Descriptor::parse(changed, network, options)) << changed;
            EXPECT_FALSE(Descriptor::parse(text.substr(0, position), network, options));
        }
    }
}

}  // namespace
}  // namespace petal::wallet
