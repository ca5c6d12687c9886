#include "cli/secrets/word_check.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/cli/scene.h"

namespace petal::cli {
namespace {

constexpr const char* kOtherWords = "zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo wrong";

class WordCheck : public testing::Test {
protected:
    WordCheck() { words_ = scene_.write("words", test::kMnemonic); }

    void restore(std::vector<std::string> options) {
        options.insert(options.begin(), {"restore", "--json", "--mnemonic-file", words_});
        const test::Outcome restored = scene_.run(options);
        ASSERT_EQ(restored.status, ExitStatus::done) << restored.err;
    }

    test::Outcome check(std::vector<std::string> options) const {
        options.insert(options.begin(), {"check-words", "--json"});
        return scene_.run(options);
    }

    test::Scene scene_;
    std::string words_;
};

TEST(WordNumbers, AreDifferentAndAscending) {
    std::vector<std::size_t> last_seen;
    bool vary = false;
    for (int i = 0; i < 50; ++i) {
        const auto numbers = random_numbers(3, 12);
        ASSERT_EQ(numbers.size(), 3U);
        EXPECT_TRUE(std::ranges::is_sorted(numbers, std::ranges::less_equal()));
        EXPECT_TRUE(1 <= numbers[0] && numbers[0] < numbers[1]);
        EXPECT_TRUE(numbers[1] < numbers[2] && numbers[2] <= 12);
        vary |= !last_seen.empty() && last_seen != numbers;
        last_seen = numbers;
    }
    EXPECT_TRUE(vary);
    EXPECT_EQ(random_numbers(3, 3), (std::vector<std::size_t>{1, 2, 3}));
}

TEST(WordNumbers, NameTheWords) {
    EXPECT_EQ(word_at("legal winner thank", 1), "legal");
    EXPECT_EQ(word_at("legal winner thank", 2), "winner");
    EXPECT_EQ(word_at("legal winner thank", 3), "thank");
    EXPECT_EQ(word_at("legal winner thank", 4), "");
}

TEST_F(WordCheck, KnowsTheWordsOfAnEncryptedWalletWithoutItsPassword) {
    const std::string password = scene_.write("password", "secret");
    restore({"--password-file", password, "--type", "tr", "--account", "2"});
    const test::Outcome same = check({"--mnemonic-file", words_});
    ASSERT_EQ(same.status, ExitStatus::done) << same.err;
    EXPECT_EQ(same.json(), Json({{"wallet", "default"},
                                 {"network", "regtest"},
                                 {"fingerprint", "73c5da0a"},
                                 {"matches", true}}));

    const test::Outcome other = check({"--mnemonic-file", scene_.write("other", kOtherWords)});
    EXPECT_EQ(other.status, ExitStatus::failed);
    EXPECT_EQ(other.code(), "other-words");
    EXPECT_EQ(other.json().at("matches"), false);
    EXPECT_NE(other.err.find("--passphrase-file"), std::string::npos) << other.err;
}

TEST_F(WordCheck, TakesThePassphrase) {
    const std::string passphrase = scene_.write("passphrase", "salt");
    restore({"--passphrase-file", passphrase});
    EXPECT_EQ(check({"--mnemonic-file", words_, "--passphrase-file", passphrase}).status,
              ExitStatus::done);
    EXPECT_EQ(check({"--mnemonic-file", words_}).code(), "other-words");
    const test::Outcome wrong =
        check({"--mnemonic-file", words_, "--passphrase-file", scene_.write("wrong", "pepper")});
    EXPECT_EQ(wrong.code(), "other-words");
    EXPECT_EQ(
        check({"--mnemonic-file", words_, "--passphrase-file", scene_.write("empty", "")}).code(),
        "empty-passphrase");
    EXPECT_NE(wrong.err.find("the words or the passphrase are wrong"), std::string::npos)
        << wrong.err;
}

TEST_F(WordCheck, RefusesWalletsWithoutWords) {
    ASSERT_EQ(
        scene_.run({"watch", "--json", "bcrt1qcr8te4kr609gcawutmrza0j4xv80jy8zeqchgx"}).status,
        ExitStatus::done);
    EXPECT_EQ(check({"--mnemonic-file", words_}).code(), "watch-only");

    const std::string descriptor =
        "wpkh("
        "tprv8ZgxMBicQKsPd7Uf69XL1XwhmjHopUGep8GuEiJDZmbQz6o58LninorQAfcKZWARbtRtfnLcJ5MQ2AtHcQ"
        "JCCRUcMRvmDUjyEmNUWwx8UbK/0/*)";
    ASSERT_EQ(scene_
                  .run({"--wallet", "keys", "restore", "--json", "--descriptor-file",
                        scene_.write("descriptor", descriptor)})
                  .status,
              ExitStatus::done);
    EXPECT_EQ(check({"--wallet", "keys", "--mnemonic-file", words_}).code(), "no-words");
}

}  // namespace
}  // namespace petal::cli
