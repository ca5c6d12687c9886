// The test vectors of BIP380 to BIP386 and BIP389.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/support/test_data.h"
#include "wallet/descriptors/descriptor.h"
#include "wallet/descriptors/script_deriver.h"

namespace petal::wallet {
namespace {

class DescriptorVectors : public testing::Test {
protected:
    void SetUp() override {
        const auto read = test::read_test_json("vectors/descriptors.json");
        if (!read) GTEST_SKIP() << test::kNoTestData;
        vectors = *read;
    }

    chain::Expected<Descriptor, DescriptorError> parse(const std::string& text) const {
        DescriptorOptions options;
        options.allow_underivable = true;
        return Descriptor::parse(text, mainnet, options);
    }

    const chain::NetworkParams& mainnet = *chain::find_network("mainnet");
    nlohmann::json vectors;
};

bool has_script_tree(const std::string& descriptor) {
    return descriptor.starts_with("tr(") && descriptor.find(',') != std::string::npos;
}

/// The first `count` scripts in hexadecimal, from index 0 on.
std::vector<std::string> first_scripts(const Descriptor& descriptor, std::size_t count) {
    auto deriver = ScriptDeriver::create(descriptor).value();
    std::vector<std::string> scripts;
    for (std::uint32_t index = 0; scripts.size() < count; ++index) {
        const auto own = deriver.script_pubkeys(index).value();
        for (const chain::Bytes& script : own) scripts.push_back(chain::to_hex(script));
    }
    return scripts;
}

TEST_F(DescriptorVectors, HaveTheirScripts) {
    std::size_t with_trees = 0;
    for (const auto& row : vectors["valid"]) {
        const auto text = row["descriptor"].get<std::string>();
        SCOPED_TRACE(text);
        const auto descriptor = parse(text);
        if (has_script_tree(text)) {
            // BIP386's vectors with script trees, which petal does not watch.
            ++with_trees;
            ASSERT_FALSE(descriptor);
            EXPECT_EQ(descriptor.error().kind, DescriptorError::Kind::unsupported);
            EXPECT_EQ(descriptor.error().position, text.find(','));
            continue;
        }
        ASSERT_TRUE(descriptor) << describe(descriptor.error());
        const auto expected = row["scripts"].get<std::vector<std::string>>();
        ASSERT_FALSE(expected.empty());
        EXPECT_EQ(first_scripts(*descriptor, expected.size()), expected);
    }
    EXPECT_EQ(with_trees, 4U);
    EXPECT_EQ(vectors["valid"].size(), 52U);
}

TEST_F(DescriptorVectors, HaveTheSameScriptsAfterTheyWereWritten) {
    for (const auto& row : vectors["valid"]) {
        const auto text = row["descriptor"].get<std::string>();
        if (has_script_tree(text)) continue;
        SCOPED_TRACE(text);
        const auto expected = row["scripts"].get<std::vector<std::string>>();
        const auto with_private = parse(std::string{parse(text)->to_private_string(mainnet)});
        ASSERT_TRUE(with_private);
        EXPECT_EQ(first_scripts(*with_private, expected.size()), expected);
        const auto watch_only = with_private->watch_only();
        const bool has_hardened_wildcard =
            text.find("*'") != std::string::npos || text.find("*h") != std::string::npos;
        ASSERT_EQ(watch_only.has_value(), !has_hardened_wildcard);
        if (!watch_only) continue;
        EXPECT_FALSE(watch_only->has_private_keys());
        const auto read_again = parse(watch_only->to_string(mainnet));
        ASSERT_TRUE(read_again);
        EXPECT_EQ(first_scripts(*read_again, expected.size()), expected);
    }
}

TEST_F(DescriptorVectors, AreRefusedIfInvalid) {
    using enum DescriptorError::Kind;
    // How the reasons given in the vectors begin.
    const std::vector<std::pair<std::string_view, DescriptorError::Kind>> reasons{
        {"pk() only", not_allowed_here},
        {"pkh() only", not_allowed_here},
        {"sh() only", syntax},
        {"sh() is top level", not_allowed_here},
        {"Uncompressed", uncompressed_key},
        {"wpkh() nested", not_allowed_here},
        {"wsh() nested", not_allowed_here},
        {"Script in", not_allowed_here},
        {"Key in wsh()", syntax},
        {"More than 15 keys", too_many_keys},
        {"Invalid threshold", wrong_threshold},
        {"Threshold", wrong_threshold},
        {"combo() in", not_allowed_here},
        {"Non-hex script", invalid_hex},
        {"Invalid address", invalid_address},
        {"raw nested", not_allowed_here},
        {"addr nested", not_allowed_here},
        {"tr() nested", not_allowed_here},
        {"Multipath specifier in origin", invalid_origin},
        {"Missing multipath start", invalid_path},
        {"Multi", invalid_multipath},
        {"Empty multipath", invalid_multipath},
        {"Missing", invalid_multipath},
    };
    for (const auto& row : vectors["invalid"]) {
        SCOPED_TRACE(row.dump());
        const auto text = row["descriptor"].get<std::string>();
        const auto given = row["case"].get<std::string>();
        const auto descriptor = parse(text);
        ASSERT_FALSE(descriptor);
        const auto reason = std::ranges::find_if(
            reasons, [&](const auto& one) { return given.starts_with(one.first); });
        ASSERT_NE(reason, reasons.end());
        const auto expected = has_script_tree(text) ? unsupported : reason->second;
        EXPECT_EQ(describe(descriptor.error().kind), describe(expected));
    }
    EXPECT_EQ(vectors["invalid"].size(), 40U);
}

TEST_F(DescriptorVectors, HaveTheSinglePathsOfMultiplePaths) {
    for (const auto& row : vectors["multipath"]) {
        const auto text = row["descriptor"].get<std::string>();
        const auto descriptor = parse(text);
        ASSERT_TRUE(descriptor) << text;
        std::vector<std::string> paths;
        for (const Descriptor& single : descriptor->single_paths()) {
            const std::string written{single.to_private_string(mainnet)};
            paths.push_back(written.substr(0, written.find('#')));
        }
        EXPECT_EQ(paths, row["descriptors"].get<std::vector<std::string>>());
    }
    EXPECT_EQ(vectors["multipath"].size(), 6U);
}

TEST_F(DescriptorVectors, HaveTheValidKeysOfBip380AndNoOthers) {
    for (const auto& row : vectors["valid_keys"]) {
        EXPECT_TRUE(parse("pk(" + row["key"].get<std::string>() + ")")) << row.dump();
    }
    for (const auto& row : vectors["invalid_keys"]) {
        EXPECT_FALSE(parse("pk(" + row["key"].get<std::string>() + ")")) << row.dump();
    }
    EXPECT_EQ(vectors["valid_keys"].size(), 21U);
    EXPECT_EQ(vectors["invalid_keys"].size(), 16U);
}

TEST_F(DescriptorVectors, HaveTheChecksumsOfBip380AndNoOthers) {
    std::size_t valid = 0;
    for (const auto& row : vectors["checksums"]) {
        const auto text = row["descriptor"].get<std::string>();
        const bool expected = row["case"] == "Valid checksum" || row["case"] == "No checksum";
        EXPECT_EQ(parse(text).has_value(), expected) << text;
        if (expected) ++valid;
    }
    EXPECT_EQ(valid, 2U);
    EXPECT_EQ(vectors["checksums"].size(), 8U);
}

}  // namespace
}  // namespace petal::wallet
