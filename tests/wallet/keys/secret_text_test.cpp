#include "wallet/keys/secret_text.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "chain/bytes.h"
#include "wallet/keys/base58.h"

namespace petal::wallet {
namespace {

// BIP32, test vector 1, chain m.
constexpr const char* kSecretXprv =
    "xprv9s21ZrQH143K3QTDL4LXw2F7HEK3wJUD2nW2nRk4stbPy6cq3jPPqjiChkVvvNKmPGJxWUtg6LnF5kejMRNNU3TGtR"
    "BeJgk33yuGBxrMPHi";
constexpr const char* kPublicXpub =
    "xpub661MyMwAqRbcFtXgS5sYJABqqG9YLmC4Q1Rdap9gSE8NqtwybGhePY2gZ29ESFjqJoCu1Rupje8YtGqsefD265TMg7"
    "usUDFdp6W1EGMcet8";
// BIP322's examples.
constexpr const char* kSecretWif = "L3VFeEujGtevx9w18HD1fhRbCH67Az2dpCymeRE1SoPK6XQtaN2k";
// Bitcoin Wiki: Wallet import format.
constexpr const char* kSecretUncompressedWif =
    "5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTJ";
// BIP39, of sixteen zero bytes.
constexpr const char* kSecretWords =
    "abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about";

/// A key of this version, with the bytes of kSecretXprv.
std::string secret_extended_key(std::string_view version) {
    chain::Bytes payload = decode_base58check(kSecretXprv, 78).value();
    const chain::Bytes bytes = chain::from_hex(version).value();
    std::copy(bytes.begin(), bytes.end(), payload.begin());
    return encode_base58check(payload);
}

/// A WIF key of this version, of one byte in hexadecimal.
std::string secret_wif(std::string_view version, bool compressed) {
    return encode_base58check(
        chain::from_hex(std::string(version) + std::string(64, '7') + (compressed ? "01" : ""))
            .value());
}

TEST(FindSecret, RecognisesPrivateKeysOfEachNetwork) {
    // BIP32 and SLIP132.
    for (const char* version : {"0488ade4", "04358394", "049d7878", "04b2430c", "0295b005",
                                "02aa7a99", "044a4e28", "045f18bc", "024285b5", "02575048"}) {
        EXPECT_EQ(find_secret(secret_extended_key(version)), SecretKind::private_key) << version;
    }
    for (const char* version : {"80", "ef", "b0"}) {
        EXPECT_EQ(find_secret(secret_wif(version, true)), SecretKind::private_key) << version;
        EXPECT_EQ(find_secret(secret_wif(version, false)), SecretKind::private_key) << version;
    }
    EXPECT_EQ(find_secret(kSecretWif), SecretKind::private_key);
    EXPECT_EQ(find_secret(kSecretUncompressedWif), SecretKind::private_key);
}

TEST(FindSecret, RecognisesKeysThatWereMistypedOrCut) {
    std::string mistyped = kSecretXprv;
    mistyped[50] = mistyped[50] == 'a' ? 'b' : 'a';
    EXPECT_TRUE(find_secret(mistyped));
    EXPECT_TRUE(find_secret(std::string(kSecretXprv).substr(0, 60)));
    EXPECT_TRUE(find_secret("x" + std::string(kSecretXprv) + "x"));
    mistyped = kSecretWif;
    mistyped[20] = mistyped[20] == 'a' ? 'b' : 'a';
    EXPECT_TRUE(find_secret(mistyped));
}

TEST(FindSecret, RecognisesMnemonics) {
    EXPECT_EQ(find_secret(kSecretWords), SecretKind::mnemonic);
    EXPECT_EQ(find_secret("the words are ABANDON, ability able about above absent absorb abstract "
                          "absurd abuse access accident!"),
              SecretKind::mnemonic);
    EXPECT_TRUE(
        find_secret("1. aban 2. abil 3. able 4. abou 5. abov 6. abse 7. abso 8. abst "
                    "9. absu 10. abus 11. acce 12. acci"))
        << "the first four letters suffice, and are numbered";
    EXPECT_FALSE(
        find_secret("abandon ability able about above absent absorb abstract absurd abuse "
                    "access"))
        << "eleven";
}

TEST(FindSecret, TakesPublicTextForNone) {
    for (const char* text :
         {"", kPublicXpub, "1BoatSLRHtKNngkdXEeobR76b53LETtpyT",
          "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4",
          "4d5e1e4a3c9e6f8e0c7b2a190817263544d5e1e4a3c9e6f8e0c7b2a190817263",
          "HyFaND+87TtVbRhkTfT3mPNBCQcJ32XXtNZGW8sFldJsNpOPCegEmdcCf5Thy18hdMH88GLxZLkOby/EwVUuSe",
          "wpkh([d34db33f/84h/0h/0h]xpub/<0;1>/*)", "xprv", "there is no command xprvs",
          "the quick brown fox jumps over the lazy dog and then it does so once again for us"}) {
        EXPECT_FALSE(find_secret(text)) << text;
    }
}

// Base64 may have a part that looks like a mistyped WIF.
TEST(FindSecret, TakesNoPartOfBase64ForAKey) {
    std::string part = kSecretWif;
    part[20] = part[20] == 'a' ? 'b' : 'a';
    EXPECT_TRUE(find_secret(part));
    EXPECT_FALSE(find_secret("AAAA+" + part + "/AAAA="));
}

TEST(WithoutSecrets, ReplacesEachAndKeepsTheRest) {
    const std::string key = kSecretXprv;
    EXPECT_EQ(without_secrets("wpkh(" + key + "/0/*): no; " + std::string(kSecretWif) + "."),
              "wpkh((redacted)/0/*): no; (redacted).");
    EXPECT_EQ(without_secrets("words: " + std::string(kSecretWords) + "; bad"),
              "words: (redacted); bad");
    EXPECT_EQ(without_secrets("nothing of that kind"), "nothing of that kind");
    EXPECT_EQ(without_secrets(""), "");
}

}  // namespace
}  // namespace petal::wallet
