#include "wallet/keys/mnemonic.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <set>
#include <string>

#include "chain/hash.h"
#include "tests/support/test_data.h"
#include "wallet/keys/extended_key.h"
#include "wallet/keys/mnemonic_words.h"

namespace petal::wallet {
namespace {

using chain::Bytes;
using chain::from_hex;
using chain::to_hex;

constexpr std::string_view kAbandon =
    "abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about";

TEST(EnglishWords, AreThoseOfBip39) {
    std::string file;
    for (const std::string_view word : kEnglishWords) file += std::string{word} + '\n';
    // SHA-256 of bip-0039/english.txt.
    EXPECT_EQ(to_hex(chain::sha256(chain::as_bytes(file))),
              "2f5eed53a4727b4bf8880d8f3f199efc90e58503646d9ff8eff3a2ed3b24dbda");
}

TEST(EnglishWords, AreInOrderAndKnownByFourLetters) {
    EXPECT_TRUE(std::is_sorted(kEnglishWords.begin(), kEnglishWords.end()));
    std::set<std::string_view> starts;
    for (const std::string_view word : kEnglishWords) starts.insert(word.substr(0, 4));
    EXPECT_EQ(starts.size(), kEnglishWords.size());
}

struct Bip39Vector {
    std::string entropy;
    std::string words;
    std::string passphrase;
    std::string seed;
};

void PrintTo(const Bip39Vector& c, std::ostream* out) {
    *out << c.words;
}

void expect_matches(const Bip39Vector& c) {
    const Bytes entropy = from_hex(c.entropy).value();
    EXPECT_EQ(Mnemonic::from_entropy(entropy).words(), c.words);
    const auto mnemonic = Mnemonic::parse(c.words);
    ASSERT_TRUE(mnemonic) << describe(mnemonic.error());
    EXPECT_EQ(mnemonic->words(), c.words);
    EXPECT_EQ(to_hex(mnemonic->seed(c.passphrase).value().view()), c.seed);
}

class Bip39 : public testing::TestWithParam<Bip39Vector> {};

TEST_P(Bip39, EncodesDecodesAndMakesTheSeed) {
    expect_matches(GetParam());
}

// trezor/python-mnemonic: vectors.json; the last vector is from BIP84.
// clang-format off
INSTANTIATE_TEST_SUITE_P(Vectors, Bip39, testing::ValuesIn(std::initializer_list<Bip39Vector>{
    {"00000000000000000000000000000000",
     "abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about",
     "TREZOR", "c55257c360c07c72029aebc1b53c05ed0362ada38ead3e3e9efa3708e53495531f09a6987599d18264c1e1c92f2cf141630c7a3c4ab7c81b2f001698e7463b04"},
    {"7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f",
     "legal winner thank year wave sausage worth useful legal winner thank yellow",
     "TREZOR", "2e8905819b8723fe2c1d161860e5ee1830318dbf49a83bd451cfb8440c28bd6fa457fe1296106559a3c80937a1c1069be3a3a5bd381ee6260e8d9739fce1f607"},
    {"80808080808080808080808080808080",
     "letter advice cage absurd amount doctor acoustic avoid letter advice cage above",
     "TREZOR", "d71de856f81a8acc65e6fc851a38d4d7ec216fd0796d0a6827a3ad6ed5511a30fa280f12eb2e47ed2ac03b5c462a0358d18d69fe4f985ec81778c1b370b652a8"},
    {"ffffffffffffffffffffffffffffffff",
     "zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo wrong",
     "TREZOR", "ac27495480225222079d7be181583751e86f571027b0497b5b5d11218e0a8a13332572917f0f8e5a589620c6f15b11c61dee327651a14c34e18231052e48c069"},
    {"000000000000000000000000000000000000000000000000",
     "abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon agent",
     "TREZOR", "035895f2f481b1b0f01fcf8c289c794660b289981a78f8106447707fdd9666ca06da5a9a565181599b79f53b844d8a71dd9f439c52a3d7b3e8a79c906ac845fa"},
    {"7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f",
     "legal winner thank year wave sausage worth useful legal winner thank year wave sausage worth useful legal will",
     "TREZOR", "f2b94508732bcbacbcc020faefecfc89feafa6649a5491b8c952cede496c214a0c7b3c392d168748f2d4a612bada0753b52a1c7ac53c1e93abd5c6320b9e95dd"},
    {"808080808080808080808080808080808080808080808080",
     "letter advice cage absurd amount doctor acoustic avoid letter advice cage absurd amount doctor acoustic avoid letter always",
     "TREZOR", "107d7c02a5aa6f38c58083ff74f04c607c2d2c0ecc55501dadd72d025b751bc27fe913ffb796f841c49b1d33b610cf0e91d3aa239027f5e99fe4ce9e5088cd65"},
    {"ffffffffffffffffffffffffffffffffffffffffffffffff",
     "zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo when",
     "TREZOR", "0cd6e5d827bb62eb8fc1e262254223817fd068a74b5b449cc2f667c3f1f985a76379b43348d952e2265b4cd129090758b3e3c2c49103b5051aac2eaeb890a528"},
    {"0000000000000000000000000000000000000000000000000000000000000000",
     "abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon art",
     "TREZOR", "bda85446c68413707090a52022edd26a1c9462295029f2e60cd7c4f2bbd3097170af7a4d73245cafa9c3cca8d561a7c3de6f5d4a10be8ed2a5e608d68f92fcc8"},
    {"7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f",
     "legal winner thank year wave sausage worth useful legal winner thank year wave sausage worth useful legal winner thank year wave sausage worth title",
     "TREZOR", "bc09fca1804f7e69da93c2f2028eb238c227f2e9dda30cd63699232578480a4021b146ad717fbb7e451ce9eb835f43620bf5c514db0f8add49f5d121449d3e87"},
    {"8080808080808080808080808080808080808080808080808080808080808080",
     "letter advice cage absurd amount doctor acoustic avoid letter advice cage absurd amount doctor acoustic avoid letter advice cage absurd amount doctor acoustic bless",
     "TREZOR", "c0c519bd0e91a2ed54357d9d1ebef6f5af218a153624cf4f2da911a0ed8f7a09e2ef61af0aca007096df430022f7a2b6fb91661a9589097069720d015e4e982f"},
    {"ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
     "zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo vote",
     "TREZOR", "dd48c104698c30cfe2b6142103248622fb7bb0ff692eebb00089b32d22484e1613912f0a5b694407be899ffd31ed3992c456cdf60f5d4564b8ba3f05a69890ad"},
    {"00000000000000000000000000000000",
     "abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about",
     "", "5eb00bbddcf069084889a8ab9155568165f5c453ccb85e70811aaed6f6da5fc19a5ac40b389cd370d086206dec8aa6c43daea6690f20ad3d8d48b2d2ce9e38e4"},
}), [](const auto& row) { return "Row" + std::to_string(row.index); });
// clang-format on

TEST(Mnemonic, MatchesAllOfBip39sVectors) {
    const auto vectors = test::read_test_json("vectors/bip39.json");
    if (!vectors) GTEST_SKIP() << test::kNoTestData;
    const auto& mainnet = *chain::find_network("mainnet");
    for (const auto& row : vectors->at("vectors")) {
        const Bip39Vector c{row.at("entropy"), row.at("mnemonic"), row.at("passphrase"),
                            row.at("seed")};
        expect_matches(c);
        const auto master = ExtendedPrivateKey::from_seed(from_hex(c.seed).value()).value();
        EXPECT_EQ(std::string{master.to_string(mainnet)}, row.at("root_xprv").get<std::string>());
    }
}

TEST(Mnemonic, IsReadInAnyCaseWithAnyWhiteSpace) {
    const auto mnemonic = Mnemonic::parse(
        "\n Abandon ABANDON\tabandon  abandon abandon abandon\r\nabandon abandon\vabandon\fabandon "
        "abandon ABOUT \n");
    ASSERT_TRUE(mnemonic);
    EXPECT_EQ(mnemonic->words(), kAbandon);
}

/// Twelve times "abandon", with one word replaced.
std::string with_word(std::size_t position, const std::string& word) {
    std::string text;
    for (std::size_t i = 1; i <= 12; ++i) text += (i == position ? word : "abandon") + ' ';
    return text;
}

TEST(Mnemonic, SaysWhichWordIsUnknown) {
    for (std::size_t position = 1; position <= 12; ++position) {
        const auto mnemonic = Mnemonic::parse(with_word(position, "abandn"));
        ASSERT_FALSE(mnemonic);
        EXPECT_EQ(mnemonic.error().kind, MnemonicError::Kind::unknown_word);
        EXPECT_EQ(mnemonic.error().position, position);
        EXPECT_EQ(mnemonic.error().word_count, 12U);
        EXPECT_EQ(mnemonic.error().word, "abandn");
        EXPECT_EQ(mnemonic.error().suggestion, "abandon");
    }
    EXPECT_EQ(describe(Mnemonic::parse(with_word(5, "abandn")).error()),
              "word 5 of 12, 'abandn', is not in the English word list; is it 'abandon'?");
    EXPECT_EQ(describe(Mnemonic::parse(with_word(12, "qqq")).error()),
              "word 12 of 12, 'qqq', is not in the English word list");
    auto unnamed = Mnemonic::parse(with_word(12, "qqq")).error();
    unnamed.word.clear();
    EXPECT_EQ(describe(unnamed), "word 12 of 12 is not in the English word list");
}

// The right last word would be "affair".
TEST(Mnemonic, WithTheEndOfTheRightLastWordIsWrong) {
    std::string text = "ahead ";
    for (int i = 0; i < 10; ++i) text += "abandon ";
    ASSERT_TRUE(Mnemonic::parse(text + "affair"));
    const auto mnemonic = Mnemonic::parse(text + "air");
    ASSERT_FALSE(mnemonic);
    EXPECT_EQ(mnemonic.error().kind, MnemonicError::Kind::wrong_checksum);
}

struct SuggestionCase {
    std::string word;
    std::string suggestion;
};

TEST(Mnemonic, SuggestsTheOnlyWordThatBeginsAlike) {
    for (const SuggestionCase& c : std::initializer_list<SuggestionCase>{{"zebr", "zebra"},
                                                                         {"zebrah", "zebra"},
                                                                         {"zoos", ""},
                                                                         {"zoom", ""},
                                                                         {"ab", ""},
                                                                         {"wiz", ""},
                                                                         {"x", ""},
                                                                         {"aba", "abandon"},
                                                                         {"zzzz", ""},
                                                                         {"q", ""}}) {
        const auto mnemonic = Mnemonic::parse(with_word(1, c.word));
        ASSERT_FALSE(mnemonic) << c.word;
        EXPECT_EQ(mnemonic.error().suggestion, c.suggestion) << c.word;
    }
}

TEST(Mnemonic, ShowsNothingThatATerminalWouldObey) {
    const auto mnemonic =
        Mnemonic::parse(with_word(2, "\x1b[31mred\xc3\xa9" + std::string(50, 'x')));
    ASSERT_FALSE(mnemonic);
    EXPECT_EQ(mnemonic.error().word, "?[31mrede??xxxxxxxxxxxxx");
}

TEST(Mnemonic, HasTwelveToTwentyFourWordsInThrees) {
    for (std::size_t count = 0; count <= 30; ++count) {
        std::string text;
        for (std::size_t i = 0; i < count; ++i) text += "abandon ";
        const auto mnemonic = Mnemonic::parse(text);
        ASSERT_FALSE(mnemonic);
        const bool right_count = count >= 12 && count <= 24 && count % 3 == 0;
        EXPECT_EQ(mnemonic.error().kind, right_count ? MnemonicError::Kind::wrong_checksum
                                                     : MnemonicError::Kind::wrong_count);
        EXPECT_EQ(mnemonic.error().word_count, count);
    }
    EXPECT_EQ(describe(Mnemonic::parse("abandon").error()),
              "1 word; a mnemonic has 12, 15, 18, 21 or 24");
    EXPECT_EQ(describe(Mnemonic::parse("").error()),
              "0 words; a mnemonic has 12, 15, 18, 21 or 24");
}

TEST(Mnemonic, OfEachLengthHasAChecksum) {
    for (const std::size_t bytes : {16U, 20U, 24U, 28U, 32U}) {
        const Mnemonic mnemonic = Mnemonic::from_entropy(Bytes(bytes, 0x5a));
        std::string words{mnemonic.words()};
        EXPECT_TRUE(Mnemonic::parse(words));
        // Between one in 16 and one in 256 of the possible last words have the right checksum.
        words.resize(words.rfind(' ') + 1);
        const auto fits = [&](std::string_view word) {
            return Mnemonic::parse(words + std::string{word}).has_value();
        };
        const auto fitting = std::count_if(kEnglishWords.begin(), kEnglishWords.end(), fits);
        EXPECT_EQ(fitting, 2048 >> (bytes / 4));
    }
}

TEST(Mnemonic, IsGeneratedDifferentlyEachTime) {
    using enum MnemonicSize;
    for (const auto size : {words_12, words_15, words_18, words_21, words_24}) {
        const Mnemonic one = Mnemonic::generate(size);
        const Mnemonic other = Mnemonic::generate(size);
        EXPECT_NE(one.words(), other.words());
        EXPECT_EQ(static_cast<std::size_t>(std::ranges::count(one.words(), ' ')),
                  static_cast<std::size_t>(size) - 1);
        EXPECT_TRUE(Mnemonic::parse(one.words()));
    }
}

// As a word processor, a web page or an Asian keyboard writes them.
TEST(Mnemonic, MayHaveTheSpacesAndLettersOfUnicode) {
    const std::string_view last = kAbandon.substr(kAbandon.rfind(' ') + 1);
    const std::string_view start = kAbandon.substr(0, kAbandon.rfind(' '));
    for (const std::string space :
         {"\u00a0", "\u3000", "\u202f", "\u2009", "\u2028", "\xc2\x85", "\u1680", " \u00a0\t"}) {
        const auto mnemonic = Mnemonic::parse(std::string(start) + space + std::string(last));
        ASSERT_TRUE(mnemonic) << describe(mnemonic.error());
        EXPECT_EQ(mnemonic->words(), kAbandon);
    }
    std::string wide;
    for (const char c : kAbandon) {
        if (c == ' ') {
            wide += "\u3000";
        } else {
            // U+FF21, full-width A
            wide += {'\xef', '\xbc', static_cast<char>(0xa1 + (c - 'a'))};
        }
    }
    ASSERT_TRUE(Mnemonic::parse(wide));
    EXPECT_EQ(Mnemonic::parse(wide)->words(), kAbandon);
}

TEST(Mnemonic, HasNoWordsWithAccents) {
    const std::string words = std::string("\u00e1") + std::string(kAbandon.substr(1));
    ASSERT_FALSE(Mnemonic::parse(words));
    EXPECT_EQ(Mnemonic::parse(words).error().position, 1U);
    EXPECT_FALSE(Mnemonic::parse(std::string(kAbandon) + "\xff"));
}

TEST(NormalPassword, IsTheTextItselfIfItHasNoNormalForm) {
    EXPECT_EQ(normal_password("caf\u00e9 \u00a0"), "cafe\u0301  ");
    EXPECT_EQ(normal_password("caf\xe9\u00e9"), "caf\xe9\u00e9");
    EXPECT_EQ(normal_password("\u0378\u00e9"), "\u0378\u00e9");
    EXPECT_EQ(normal_password(""), "");
}

struct PassphraseCase {
    std::string passphrase;
    std::string seed;
};

// Computed with Python's unicodedata.normalize("NFKD", …) and hashlib.pbkdf2_hmac.
TEST(Passphrase, IsNormalized) {
    const Mnemonic mnemonic = Mnemonic::parse(kAbandon).value();
    const std::string cafe =
        "af8bbd2566df7b69d926f2b09dfdbd75db6c994a3399b2cc65f928d63e3fd4e61218ee0d15f8c810be4d45e66d"
        "47"
        "b43c15a5cc753976b1666912377ff7ae9818";
    for (const PassphraseCase& c : std::initializer_list<PassphraseCase>{
             {"caf\xc3\xa9", cafe},
             {"cafe\xcc\x81", cafe},
             // The passphrase of BIP39's Japanese vectors: ㍍ガバヴァぱばぐゞちぢ十人十色
             {"\xe3\x8d\x8d\xe3\x82\xac\xe3\x83\x90\xe3\x83\xb4\xe3\x82\xa1\xe3\x81\xb1\xe3\x81\xb0"
              "\xe3\x81\x90\xe3\x82\x9e\xe3\x81\xa1\xe3\x81\xa2\xe5\x8d\x81\xe4\xba\xba\xe5\x8d\x81"
              "\xe8\x89\xb2",
              "ba553eedefe76e67e2602dc20184c564010859faada929a090dd2c57aacb204ceefd15404ab50ef3e8db"
              "ea"
              "e5195aeae64b0def4d2eead1cdc728a33ced520ffd"},
             {"\xe2\x84\xab",  // the Ångström sign
              "019774cdb6f854dab6a78c8bef5d549e8272174624f2ea98b662c9cdab91940b4a58d9882d275087afae"
              "aa"
              "42dae3a28d04d4a1774cbac8fc6e45e9bf8b79168c"},
             {"\xef\xac\x81n",  // the ligature fi
              "b250993ec914f375c5ea3e0d9ef1c8795074510c2292fcb1349f225da0ccdf23e33d1f85c45adebc4483"
              "98"
              "25527e7bb2a98f8bd759d0c6828dc2695ce4353e17"}}) {
        EXPECT_EQ(to_hex(mnemonic.seed(c.passphrase).value().view()), c.seed);
    }
}

TEST(Passphrase, KeepsCaseAndSpaces) {
    const Mnemonic mnemonic = Mnemonic::parse(kAbandon).value();
    std::set<std::string> seeds;
    for (const std::string passphrase : {"", " ", "a", "A", "a ", " a", "a  b", "a b"}) {
        seeds.insert(to_hex(mnemonic.seed(passphrase).value().view()));
    }
    EXPECT_EQ(seeds.size(), 8U);
    EXPECT_NE(mnemonic.seed(std::string{"a\0b", 3}).value(), mnemonic.seed("a").value());
}

TEST(Passphrase, IsRefusedWhenItIsNotUtf8) {
    const Mnemonic mnemonic = Mnemonic::parse(kAbandon).value();
    for (const std::string passphrase :
         {"\xff", "caf\xe9", "\xc3", "\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "a\x80"}) {
        const auto seed = mnemonic.seed(passphrase);
        ASSERT_FALSE(seed);
        EXPECT_EQ(seed.error(), PassphraseError::not_utf8);
    }
}

TEST(Passphrase, IsRefusedWhenUnicodeDoesNotKnowACharacter) {
    const Mnemonic mnemonic = Mnemonic::parse(kAbandon).value();
    const auto seed = mnemonic.seed("a\xcd\xb8z");  // U+0378, unassigned
    ASSERT_FALSE(seed);
    EXPECT_EQ(seed.error(), PassphraseError::unassigned_character);
}

}  // namespace
}  // namespace petal::wallet
