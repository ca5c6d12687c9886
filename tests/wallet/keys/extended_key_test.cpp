#include "wallet/keys/extended_key.h"

#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "tests/support/test_data.h"
#include "wallet/keys/base58.h"

namespace petal::wallet {
namespace {

using chain::Bytes;
using chain::from_hex;

const chain::NetworkParams& mainnet() {
    return *chain::find_network("mainnet");
}
const chain::NetworkParams& testnet() {
    return *chain::find_network("testnet3");
}

struct Bip32Vector {
    std::string seed;
    std::vector<std::uint32_t> path;
    std::string xpub;
    std::string xprv;
};

void PrintTo(const Bip32Vector& c, std::ostream* out) {
    *out << c.xpub;
}

void expect_derives(const Bip32Vector& c) {
    const auto master = ExtendedPrivateKey::from_seed(from_hex(c.seed).value());
    ASSERT_TRUE(master);
    const auto key = master->derive_path(c.path);
    ASSERT_TRUE(key);
    EXPECT_EQ(std::string{key->to_string(mainnet())}, c.xprv);
    EXPECT_EQ(key->public_key().to_string(mainnet()), c.xpub);

    const auto private_again = ExtendedPrivateKey::parse(c.xprv, mainnet());
    ASSERT_TRUE(private_again) << describe(private_again.error());
    EXPECT_EQ(std::string{private_again->to_string(mainnet())}, c.xprv);
    const auto public_again = ExtendedPublicKey::parse(c.xpub, mainnet());
    ASSERT_TRUE(public_again) << describe(public_again.error());
    EXPECT_EQ(*public_again, key->public_key());

    if (c.path.empty() || c.path.back() >= kHardened) return;
    const auto parent = master->derive_path(std::span{c.path}.first(c.path.size() - 1));
    const auto from_public = parent->public_key().derive(c.path.back());
    ASSERT_TRUE(from_public);
    EXPECT_EQ(from_public->to_string(mainnet()), c.xpub);
    PublicChildren children{parent->public_key()};
    EXPECT_EQ(children.key(c.path.back()).value(), from_public->key());
}

class Bip32 : public testing::TestWithParam<Bip32Vector> {};

TEST_P(Bip32, Derives) {
    expect_derives(GetParam());
}

// BIP32, test vectors 1 to 4.
// clang-format off
INSTANTIATE_TEST_SUITE_P(Vectors, Bip32, testing::ValuesIn(std::initializer_list<Bip32Vector>{
    {"000102030405060708090a0b0c0d0e0f", {},
     "xpub661MyMwAqRbcFtXgS5sYJABqqG9YLmC4Q1Rdap9gSE8NqtwybGhePY2gZ29ESFjqJoCu1Rupje8YtGqsefD265TMg7usUDFdp6W1EGMcet8",
     "xprv9s21ZrQH143K3QTDL4LXw2F7HEK3wJUD2nW2nRk4stbPy6cq3jPPqjiChkVvvNKmPGJxWUtg6LnF5kejMRNNU3TGtRBeJgk33yuGBxrMPHi"},
    {"000102030405060708090a0b0c0d0e0f", {0 | kHardened},
     "xpub68Gmy5EdvgibQVfPdqkBBCHxA5htiqg55crXYuXoQRKfDBFA1WEjWgP6LHhwBZeNK1VTsfTFUHCdrfp1bgwQ9xv5ski8PX9rL2dZXvgGDnw",
     "xprv9uHRZZhk6KAJC1avXpDAp4MDc3sQKNxDiPvvkX8Br5ngLNv1TxvUxt4cV1rGL5hj6KCesnDYUhd7oWgT11eZG7XnxHrnYeSvkzY7d2bhkJ7"},
    {"000102030405060708090a0b0c0d0e0f", {0 | kHardened, 1},
     "xpub6ASuArnXKPbfEwhqN6e3mwBcDTgzisQN1wXN9BJcM47sSikHjJf3UFHKkNAWbWMiGj7Wf5uMash7SyYq527Hqck2AxYysAA7xmALppuCkwQ",
     "xprv9wTYmMFdV23N2TdNG573QoEsfRrWKQgWeibmLntzniatZvR9BmLnvSxqu53Kw1UmYPxLgboyZQaXwTCg8MSY3H2EU4pWcQDnRnrVA1xe8fs"},
    {"000102030405060708090a0b0c0d0e0f", {0 | kHardened, 1, 2 | kHardened},
     "xpub6D4BDPcP2GT577Vvch3R8wDkScZWzQzMMUm3PWbmWvVJrZwQY4VUNgqFJPMM3No2dFDFGTsxxpG5uJh7n7epu4trkrX7x7DogT5Uv6fcLW5",
     "xprv9z4pot5VBttmtdRTWfWQmoH1taj2axGVzFqSb8C9xaxKymcFzXBDptWmT7FwuEzG3ryjH4ktypQSAewRiNMjANTtpgP4mLTj34bhnZX7UiM"},
    {"000102030405060708090a0b0c0d0e0f", {0 | kHardened, 1, 2 | kHardened, 2},
     "xpub6FHa3pjLCk84BayeJxFW2SP4XRrFd1JYnxeLeU8EqN3vDfZmbqBqaGJAyiLjTAwm6ZLRQUMv1ZACTj37sR62cfN7fe5JnJ7dh8zL4fiyLHV",
     "xprvA2JDeKCSNNZky6uBCviVfJSKyQ1mDYahRjijr5idH2WwLsEd4Hsb2Tyh8RfQMuPh7f7RtyzTtdrbdqqsunu5Mm3wDvUAKRHSC34sJ7in334"},
    {"000102030405060708090a0b0c0d0e0f", {0 | kHardened, 1, 2 | kHardened, 2, 1000000000},
     "xpub6H1LXWLaKsWFhvm6RVpEL9P4KfRZSW7abD2ttkWP3SSQvnyA8FSVqNTEcYFgJS2UaFcxupHiYkro49S8yGasTvXEYBVPamhGW6cFJodrTHy",
     "xprvA41z7zogVVwxVSgdKUHDy1SKmdb533PjDz7J6N6mV6uS3ze1ai8FHa8kmHScGpWmj4WggLyQjgPie1rFSruoUihUZREPSL39UNdE3BBDu76"},
    {"fffcf9f6f3f0edeae7e4e1dedbd8d5d2cfccc9c6c3c0bdbab7b4b1aeaba8a5a29f9c999693908d8a8784817e7b7875726f6c696663605d5a5754514e4b484542", {},
     "xpub661MyMwAqRbcFW31YEwpkMuc5THy2PSt5bDMsktWQcFF8syAmRUapSCGu8ED9W6oDMSgv6Zz8idoc4a6mr8BDzTJY47LJhkJ8UB7WEGuduB",
     "xprv9s21ZrQH143K31xYSDQpPDxsXRTUcvj2iNHm5NUtrGiGG5e2DtALGdso3pGz6ssrdK4PFmM8NSpSBHNqPqm55Qn3LqFtT2emdEXVYsCzC2U"},
    {"fffcf9f6f3f0edeae7e4e1dedbd8d5d2cfccc9c6c3c0bdbab7b4b1aeaba8a5a29f9c999693908d8a8784817e7b7875726f6c696663605d5a5754514e4b484542", {0},
     "xpub69H7F5d8KSRgmmdJg2KhpAK8SR3DjMwAdkxj3ZuxV27CprR9LgpeyGmXUbC6wb7ERfvrnKZjXoUmmDznezpbZb7ap6r1D3tgFxHmwMkQTPH",
     "xprv9vHkqa6EV4sPZHYqZznhT2NPtPCjKuDKGY38FBWLvgaDx45zo9WQRUT3dKYnjwih2yJD9mkrocEZXo1ex8G81dwSM1fwqWpWkeS3v86pgKt"},
    {"fffcf9f6f3f0edeae7e4e1dedbd8d5d2cfccc9c6c3c0bdbab7b4b1aeaba8a5a29f9c999693908d8a8784817e7b7875726f6c696663605d5a5754514e4b484542", {0, 2147483647 | kHardened},
     "xpub6ASAVgeehLbnwdqV6UKMHVzgqAG8Gr6riv3Fxxpj8ksbH9ebxaEyBLZ85ySDhKiLDBrQSARLq1uNRts8RuJiHjaDMBU4Zn9h8LZNnBC5y4a",
     "xprv9wSp6B7kry3Vj9m1zSnLvN3xH8RdsPP1Mh7fAaR7aRLcQMKTR2vidYEeEg2mUCTAwCd6vnxVrcjfy2kRgVsFawNzmjuHc2YmYRmagcEPdU9"},
    {"fffcf9f6f3f0edeae7e4e1dedbd8d5d2cfccc9c6c3c0bdbab7b4b1aeaba8a5a29f9c999693908d8a8784817e7b7875726f6c696663605d5a5754514e4b484542", {0, 2147483647 | kHardened, 1},
     "xpub6DF8uhdarytz3FWdA8TvFSvvAh8dP3283MY7p2V4SeE2wyWmG5mg5EwVvmdMVCQcoNJxGoWaU9DCWh89LojfZ537wTfunKau47EL2dhHKon",
     "xprv9zFnWC6h2cLgpmSA46vutJzBcfJ8yaJGg8cX1e5StJh45BBciYTRXSd25UEPVuesF9yog62tGAQtHjXajPPdbRCHuWS6T8XA2ECKADdw4Ef"},
    {"fffcf9f6f3f0edeae7e4e1dedbd8d5d2cfccc9c6c3c0bdbab7b4b1aeaba8a5a29f9c999693908d8a8784817e7b7875726f6c696663605d5a5754514e4b484542", {0, 2147483647 | kHardened, 1, 2147483646 | kHardened},
     "xpub6ERApfZwUNrhLCkDtcHTcxd75RbzS1ed54G1LkBUHQVHQKqhMkhgbmJbZRkrgZw4koxb5JaHWkY4ALHY2grBGRjaDMzQLcgJvLJuZZvRcEL",
     "xprvA1RpRA33e1JQ7ifknakTFpgNXPmW2YvmhqLQYMmrj4xJXXWYpDPS3xz7iAxn8L39njGVyuoseXzU6rcxFLJ8HFsTjSyQbLYnMpCqE2VbFWc"},
    {"fffcf9f6f3f0edeae7e4e1dedbd8d5d2cfccc9c6c3c0bdbab7b4b1aeaba8a5a29f9c999693908d8a8784817e7b7875726f6c696663605d5a5754514e4b484542", {0, 2147483647 | kHardened, 1, 2147483646 | kHardened, 2},
     "xpub6FnCn6nSzZAw5Tw7cgR9bi15UV96gLZhjDstkXXxvCLsUXBGXPdSnLFbdpq8p9HmGsApME5hQTZ3emM2rnY5agb9rXpVGyy3bdW6EEgAtqt",
     "xprvA2nrNbFZABcdryreWet9Ea4LvTJcGsqrMzxHx98MMrotbir7yrKCEXw7nadnHM8Dq38EGfSh6dqA9QWTyefMLEcBYJUuekgW4BYPJcr9E7j"},
    {"4b381541583be4423346c643850da4b320e46a87ae3d2a4e6da11eba819cd4acba45d239319ac14f863b8d5ab5a0d0c64d2e8a1e7d1457df2e5a3c51c73235be", {},
     "xpub661MyMwAqRbcEZVB4dScxMAdx6d4nFc9nvyvH3v4gJL378CSRZiYmhRoP7mBy6gSPSCYk6SzXPTf3ND1cZAceL7SfJ1Z3GC8vBgp2epUt13",
     "xprv9s21ZrQH143K25QhxbucbDDuQ4naNntJRi4KUfWT7xo4EKsHt2QJDu7KXp1A3u7Bi1j8ph3EGsZ9Xvz9dGuVrtHHs7pXeTzjuxBrCmmhgC6"},
    {"4b381541583be4423346c643850da4b320e46a87ae3d2a4e6da11eba819cd4acba45d239319ac14f863b8d5ab5a0d0c64d2e8a1e7d1457df2e5a3c51c73235be", {0 | kHardened},
     "xpub68NZiKmJWnxxS6aaHmn81bvJeTESw724CRDs6HbuccFQN9Ku14VQrADWgqbhhTHBaohPX4CjNLf9fq9MYo6oDaPPLPxSb7gwQN3ih19Zm4Y",
     "xprv9uPDJpEQgRQfDcW7BkF7eTya6RPxXeJCqCJGHuCJ4GiRVLzkTXBAJMu2qaMWPrS7AANYqdq6vcBcBUdJCVVFceUvJFjaPdGZ2y9WACViL4L"},
    {"3ddd5602285899a946114506157c7997e5444528f3003f6134712147db19b678", {},
     "xpub661MyMwAqRbcGczjuMoRm6dXaLDEhW1u34gKenbeYqAix21mdUKJyuyu5F1rzYGVxyL6tmgBUAEPrEz92mBXjByMRiJdba9wpnN37RLLAXa",
     "xprv9s21ZrQH143K48vGoLGRPxgo2JNkJ3J3fqkirQC2zVdk5Dgd5w14S7fRDyHH4dWNHUgkvsvNDCkvAwcSHNAQwhwgNMgZhLtQC63zxwhQmRv"},
    {"3ddd5602285899a946114506157c7997e5444528f3003f6134712147db19b678", {0 | kHardened},
     "xpub69AUMk3qDBi3uW1sXgjCmVjJ2G6WQoYSnNHyzkmdCHEhSZ4tBok37xfFEqHd2AddP56Tqp4o56AePAgCjYdvpW2PU2jbUPFKsav5ut6Ch1m",
     "xprv9vB7xEWwNp9kh1wQRfCCQMnZUEG21LpbR9NPCNN1dwhiZkjjeGRnaALmPXCX7SgjFTiCTT6bXes17boXtjq3xLpcDjzEuGLQBM5ohqkao9G"},
    {"3ddd5602285899a946114506157c7997e5444528f3003f6134712147db19b678", {0 | kHardened, 1 | kHardened},
     "xpub6BJA1jSqiukeaesWfxe6sNK9CCGaujFFSJLomWHprUL9DePQ4JDkM5d88n49sMGJxrhpjazuXYWdMf17C9T5XnxkopaeS7jGk1GyyVziaMt",
     "xprv9xJocDuwtYCMNAo3Zw76WENQeAS6WGXQ55RCy7tDJ8oALr4FWkuVoHJeHVAcAqiZLE7Je3vZJHxspZdFHfnBEjHqU5hG1Jaj32dVoS6XLT1"},
}), [](const auto& row) { return "Row" + std::to_string(row.index); });
// clang-format on

enum class KeyKind { public_key, private_key };

struct BadKeyCase {
    std::string name;
    KeyKind kind;
    ExtendedKeyError error;
    std::string text;
};

void PrintTo(const BadKeyCase& c, std::ostream* out) {
    *out << c.name;
}

/// The reason for which the text is refused; nothing if it is accepted.
std::optional<ExtendedKeyError> refusal(KeyKind kind, const std::string& text,
                                        const chain::NetworkParams& network) {
    if (kind == KeyKind::public_key) {
        const auto key = ExtendedPublicKey::parse(text, network);
        return key ? std::nullopt : std::optional{key.error()};
    }
    const auto key = ExtendedPrivateKey::parse(text, network);
    return key ? std::nullopt : std::optional{key.error()};
}

class InvalidExtendedKey : public testing::TestWithParam<BadKeyCase> {};

TEST_P(InvalidExtendedKey, IsRefused) {
    EXPECT_EQ(refusal(GetParam().kind, GetParam().text, mainnet()), GetParam().error);
}

// BIP32, test vector 5.
// clang-format off
INSTANTIATE_TEST_SUITE_P(Vectors, InvalidExtendedKey, testing::ValuesIn(std::initializer_list<BadKeyCase>{
    {"PublicVersionPrivateKey", KeyKind::public_key, ExtendedKeyError::wrong_key_prefix,
     "xpub661MyMwAqRbcEYS8w7XLSVeEsBXy79zSzH1J8vCdxAZningWLdN3zgtU6LBpB85b3D2yc8sfvZU521AAwdZafEz7mnzBBsz4wKY5fTtTQBm"},
    {"PrivateVersionPublicKey", KeyKind::private_key, ExtendedKeyError::wrong_key_prefix,
     "xprv9s21ZrQH143K24Mfq5zL5MhWK9hUhhGbd45hLXo2Pq2oqzMMo63oStZzFGTQQD3dC4H2D5GBj7vWvSQaaBv5cxi9gafk7NF3pnBju6dwKvH"},
    {"PublicPrefix04", KeyKind::public_key, ExtendedKeyError::wrong_key_prefix,
     "xpub661MyMwAqRbcEYS8w7XLSVeEsBXy79zSzH1J8vCdxAZningWLdN3zgtU6Txnt3siSujt9RCVYsx4qHZGc62TG4McvMGcAUjeuwZdduYEvFn"},
    {"PrivatePrefix04", KeyKind::private_key, ExtendedKeyError::wrong_key_prefix,
     "xprv9s21ZrQH143K24Mfq5zL5MhWK9hUhhGbd45hLXo2Pq2oqzMMo63oStZzFGpWnsj83BHtEy5Zt8CcDr1UiRXuWCmTQLxEK9vbz5gPstX92JQ"},
    {"PublicPrefix01", KeyKind::public_key, ExtendedKeyError::wrong_key_prefix,
     "xpub661MyMwAqRbcEYS8w7XLSVeEsBXy79zSzH1J8vCdxAZningWLdN3zgtU6N8ZMMXctdiCjxTNq964yKkwrkBJJwpzZS4HS2fxvyYUA4q2Xe4"},
    {"PrivatePrefix01", KeyKind::private_key, ExtendedKeyError::wrong_key_prefix,
     "xprv9s21ZrQH143K24Mfq5zL5MhWK9hUhhGbd45hLXo2Pq2oqzMMo63oStZzFAzHGBP2UuGCqWLTAPLcMtD9y5gkZ6Eq3Rjuahrv17fEQ3Qen6J"},
    {"RootWithParentPrivate", KeyKind::private_key, ExtendedKeyError::root_with_parent,
     "xprv9s2SPatNQ9Vc6GTbVMFPFo7jsaZySyzk7L8n2uqKXJen3KUmvQNTuLh3fhZMBoG3G4ZW1N2kZuHEPY53qmbZzCHshoQnNf4GvELZfqTUrcv"},
    {"RootWithParentPublic", KeyKind::public_key, ExtendedKeyError::root_with_parent,
     "xpub661no6RGEX3uJkY4bNnPcw4URcQTrSibUZ4NqJEw5eBkv7ovTwgiT91XX27VbEXGENhYRCf7hyEbWrR3FewATdCEebj6znwMfQkhRYHRLpJ"},
    {"RootWithIndexPrivate", KeyKind::private_key, ExtendedKeyError::root_with_index,
     "xprv9s21ZrQH4r4TsiLvyLXqM9P7k1K3EYhA1kkD6xuquB5i39AU8KF42acDyL3qsDbU9NmZn6MsGSUYZEsuoePmjzsB3eFKSUEh3Gu1N3cqVUN"},
    {"RootWithIndexPublic", KeyKind::public_key, ExtendedKeyError::root_with_index,
     "xpub661MyMwAuDcm6CRQ5N4qiHKrJ39Xe1R1NyfouMKTTWcguwVcfrZJaNvhpebzGerh7gucBvzEQWRugZDuDXjNDRmXzSZe4c7mnTK97pTvGS8"},
    {"UnknownVersionPublic", KeyKind::public_key, ExtendedKeyError::unknown_version,
     "DMwo58pR1QLEFihHiXPVykYB6fJmsTeHvyTp7hRThAtCX8CvYzgPcn8XnmdfHGMQzT7ayAmfo4z3gY5KfbrZWZ6St24UVf2Qgo6oujFktLHdHY4"},
    {"UnknownVersionPrivate", KeyKind::private_key, ExtendedKeyError::unknown_version,
     "DMwo58pR1QLEFihHiXPVykYB6fJmsTeHvyTp7hRThAtCX8CvYzgPcn8XnmdfHPmHJiEDXkTiJTVV9rHEBUem2mwVbbNfvT2MTcAqj3nesx8uBf9"},
    {"KeyZero", KeyKind::private_key, ExtendedKeyError::key_out_of_range,
     "xprv9s21ZrQH143K24Mfq5zL5MhWK9hUhhGbd45hLXo2Pq2oqzMMo63oStZzF93Y5wvzdUayhgkkFoicQZcP3y52uPPxFnfoLZB21Teqt1VvEHx"},
    {"KeyIsTheOrder", KeyKind::private_key, ExtendedKeyError::key_out_of_range,
     "xprv9s21ZrQH143K24Mfq5zL5MhWK9hUhhGbd45hLXo2Pq2oqzMMo63oStZzFAzHGBP2UuGCqWLTAPLcMtD5SDKr24z3aiUvKr9bJpdrcLg1y3G"},
    {"NotOnTheCurve", KeyKind::public_key, ExtendedKeyError::point_not_on_curve,
     "xpub661MyMwAqRbcEYS8w7XLSVeEsBXy79zSzH1J8vCdxAZningWLdN3zgtU6Q5JXayek4PRsn35jii4veMimro1xefsM58PgBMrvdYre8QyULY"},
    {"WrongChecksum", KeyKind::private_key, ExtendedKeyError::wrong_checksum,
     "xprv9s21ZrQH143K3QTDL4LXw2F7HEK3wJUD2nW2nRk4stbPy6cq3jPPqjiChkVvvNKmPGJxWUtg6LnF5kejMRNNU3TGtRBeJgk33yuGBxrMPHL"},
}), [](const auto& row) { return row.param.name; });
// clang-format on

// BIP32, test vector 1, chain m, and BIP84's account key.
const std::string kXpub =
    "xpub661MyMwAqRbcFtXgS5sYJABqqG9YLmC4Q1Rdap9gSE8NqtwybGhePY2gZ29ESFjqJoCu1Rupje8YtGqsefD265TMg7"
    "u"
    "sUDFdp6W1EGMcet8";
const std::string kXprv =
    "xprv9s21ZrQH143K3QTDL4LXw2F7HEK3wJUD2nW2nRk4stbPy6cq3jPPqjiChkVvvNKmPGJxWUtg6LnF5kejMRNNU3TGtR"
    "B"
    "eJgk33yuGBxrMPHi";
const std::string kZpub =
    "zpub6rFR7y4Q2AijBEqTUquhVz398htDFrtymD9xYYfG1m4wAcvPhXNfE3EfH1r1ADqtfSdVCToUG868RvUUkgDKf31mGD"
    "t"
    "KsAYz2oz2AGutZYs";

TEST(ExtendedKey, TellsTheOtherKind) {
    EXPECT_EQ(refusal(KeyKind::public_key, kXprv, mainnet()), ExtendedKeyError::wrong_kind);
    EXPECT_EQ(refusal(KeyKind::private_key, kXpub, mainnet()), ExtendedKeyError::wrong_kind);
}

TEST(ExtendedKey, TellsAnotherNetwork) {
    EXPECT_EQ(refusal(KeyKind::public_key, kXpub, testnet()), ExtendedKeyError::wrong_network);
    EXPECT_EQ(refusal(KeyKind::private_key, kXprv, testnet()), ExtendedKeyError::wrong_network);
    const auto key = ExtendedPublicKey::parse(kXpub, mainnet()).value();
    const std::string tpub = key.to_string(testnet());
    EXPECT_TRUE(tpub.starts_with("tpub"));
    EXPECT_EQ(refusal(KeyKind::public_key, tpub, mainnet()), ExtendedKeyError::wrong_network);
    EXPECT_EQ(ExtendedPublicKey::parse(tpub, testnet()).value(), key);
}

TEST(ExtendedKey, RefusesTheVersionsOfSlip132) {
    EXPECT_EQ(refusal(KeyKind::public_key, kZpub, mainnet()), ExtendedKeyError::unknown_version);
}

TEST(ExtendedKey, HasOneHundredAndElevenCharacters) {
    for (std::size_t size = 0; size < kXpub.size(); ++size) {
        EXPECT_TRUE(refusal(KeyKind::public_key, kXpub.substr(0, size), mainnet())) << size;
    }
    EXPECT_EQ(refusal(KeyKind::public_key, kXpub + "1", mainnet()), ExtendedKeyError::wrong_length);
    EXPECT_EQ(refusal(KeyKind::public_key, "1" + kXpub, mainnet()), ExtendedKeyError::wrong_length);
    EXPECT_EQ(refusal(KeyKind::public_key, "", mainnet()), ExtendedKeyError::wrong_length);
    EXPECT_EQ(refusal(KeyKind::public_key, encode_base58check(Bytes(77)), mainnet()),
              ExtendedKeyError::wrong_length);
    EXPECT_EQ(refusal(KeyKind::public_key, encode_base58check(Bytes(79)), mainnet()),
              ExtendedKeyError::wrong_length);
    EXPECT_EQ(refusal(KeyKind::public_key, " " + kXpub.substr(1), mainnet()),
              ExtendedKeyError::not_base58);
}

TEST(ExtendedKey, NeedsASeedOf16To64Bytes) {
    for (const std::size_t size : {0U, 15U, 65U}) {
        const auto key = ExtendedPrivateKey::from_seed(Bytes(size, 1));
        ASSERT_FALSE(key) << size;
        EXPECT_EQ(key.error(), DerivationError::wrong_seed_length);
    }
    EXPECT_TRUE(ExtendedPrivateKey::from_seed(Bytes(16, 1)));
    EXPECT_TRUE(ExtendedPrivateKey::from_seed(Bytes(64, 1)));
}

TEST(ExtendedKey, DerivesNoHardenedChildFromThePublicKey) {
    const auto key = ExtendedPublicKey::parse(kXpub, mainnet()).value();
    EXPECT_TRUE(key.derive(kHardened - 1));
    ASSERT_FALSE(key.derive(kHardened));
    EXPECT_EQ(key.derive(kHardened).error(), DerivationError::hardened_from_public);
    PublicChildren children{key};
    EXPECT_EQ(children.key(kHardened - 1).value(), key.derive(kHardened - 1).value().key());
    EXPECT_EQ(children.key(kHardened).error(), DerivationError::hardened_from_public);
}

/// The same key with another depth in its serialisation.
std::string with_depth(const std::string& text, std::uint8_t depth) {
    Bytes payload = decode_base58check(text, 78).value();
    payload[4] = depth;
    return encode_base58check(payload);
}

TEST(ExtendedKey, EndsAtDepth255) {
    const auto above = ExtendedPrivateKey::parse(with_depth(kXprv, 254), mainnet()).value();
    const auto deepest = above.derive(0);
    ASSERT_TRUE(deepest);
    EXPECT_EQ(deepest->position().depth, 255);
    EXPECT_EQ(deepest->derive(0).error(), DerivationError::too_deep);
    EXPECT_EQ(deepest->derive(kHardened).error(), DerivationError::too_deep);
    EXPECT_EQ(deepest->public_key().derive(0).error(), DerivationError::too_deep);
    EXPECT_EQ(PublicChildren{deepest->public_key()}.key(0).error(), DerivationError::too_deep);
    EXPECT_TRUE(above.public_key().derive(0));
    EXPECT_TRUE(PublicChildren{above.public_key()}.key(0));
}

TEST(ExtendedKey, StopsAPathAtItsFirstError) {
    const auto above = ExtendedPrivateKey::parse(with_depth(kXprv, 254), mainnet()).value();
    const std::vector<std::uint32_t> path{1, 2, 3};
    EXPECT_EQ(above.derive_path(path).error(), DerivationError::too_deep);
}

TEST(ExtendedKey, MatchesAllOfBip32sVectors) {
    const auto vectors = test::read_test_json("vectors/bip32.json");
    if (!vectors) GTEST_SKIP() << test::kNoTestData;
    for (const auto& row : vectors->at("invalid")) {
        const auto text = row.at("key").get<std::string>();
        EXPECT_TRUE(refusal(KeyKind::public_key, text, mainnet())) << text;
        EXPECT_TRUE(refusal(KeyKind::private_key, text, mainnet())) << text;
    }
    for (const auto& row : vectors->at("valid")) {
        for (const auto& chain : row.at("chains")) {
            EXPECT_FALSE(refusal(KeyKind::public_key, chain.at("xpub"), mainnet()));
            EXPECT_FALSE(refusal(KeyKind::private_key, chain.at("xprv"), mainnet()));
        }
    }
}

}  // namespace
}  // namespace petal::wallet
