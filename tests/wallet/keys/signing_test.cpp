#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>
#include <string_view>

#include "chain/bytes.h"
#include "chain/hash.h"
#include "chain/script/script.h"
#include "tests/support/hex.h"
#include "tests/support/test_data.h"
#include "wallet/descriptors/address.h"
#include "wallet/keys/secp256k1.h"

namespace petal::wallet {
namespace {

using chain::Bytes;
using chain::to_hex;
using test::bytes_from_hex;

PrivateKey signing_key(std::string_view hex) {
    return PrivateKey::parse(bytes_from_hex(hex)).value();
}

std::array<chain::Byte, 32> message_of(std::string_view hex) {
    const Bytes bytes = bytes_from_hex(hex);
    std::array<chain::Byte, 32> message{};
    std::copy(bytes.begin(), bytes.end(), message.begin());
    return message;
}

std::string ecdsa_hex(std::string_view key_hex, const chain::Hash256& hash) {
    const PrivateKey key = signing_key(key_hex);
    return to_hex(key.sign_ecdsa(hash, key.public_key()));
}

// Bitcoin Core: src/test/key_tests.cpp, key_test1.
TEST(EcdsaSignature, IsBitcoinCores) {
    const auto hash = chain::sha256d(chain::as_bytes("Very deterministic message"));
    EXPECT_EQ(ecdsa_hex("12b004fff7f4b69ef8650e767f18f11ede158148b425660723b9f9a66e61f747", hash),
              "304402205dbbddda71772d95ce91cd2d14b592cfbc1dd0aabd6a394b6c2d377bbe59d31d0220"
              "14ddda21494a4e221f0824f0b8b924c43fa43c0ad57dccdaa11f81a6bd4582f6");
    EXPECT_EQ(ecdsa_hex("b524c28b61c9b2c49b2c7dd4c2d75887abb78768c054bd7c01af4029f6c0d117", hash),
              "3044022052d8a32079c11e79db95af63bb9600c5b04f21a9ca33dc129c2bfa8ac9dc1cd50220"
              "61d8ae5e0f6c1a16bde3719c64c2fd70e404b6428ab9a69566962e8771b5944d");
}

TEST(EcdsaSignature, IsThatOfBip143) {
    const auto vectors = test::read_test_json("vectors/bip143.json");
    if (!vectors) GTEST_SKIP() << test::kNoTestData;
    for (const char* const name : {"native_p2wpkh", "p2sh_p2wpkh"}) {
        const auto& row = vectors->at(name);
        const chain::Hash256 hash{message_of(row.at("sighash").get<std::string>())};
        EXPECT_EQ(ecdsa_hex(row.at("private_key").get<std::string>(), hash) + "01",
                  row.at("signature_with_type").get<std::string>());
    }
}

// Half of all nonces give a high R, so 200 signatures with a low R show that other nonces were
// tried.
TEST(EcdsaSignature, HasLowRAndLowSWithinSeventyBytes) {
    const PrivateKey key = signing_key(test::repeat("5a", 32));
    for (int i = 0; i < 200; ++i) {
        const auto hash = chain::sha256d(chain::as_bytes(std::to_string(i)));
        const Bytes der = key.sign_ecdsa(hash, key.public_key());
        ASSERT_LE(der.size(), 70U);
        EXPECT_LE(der.at(3), 32U);                               // R
        EXPECT_LE(der.at(5U + der.at(3)), 32U);                  // S
        EXPECT_EQ(der, key.sign_ecdsa(hash, key.public_key()));  // deterministic (RFC 6979)
    }
}

TEST(EcdsaSignature, IsNotReturnedUnlessItVerifies) {
    const PrivateKey key = signing_key(test::repeat("5a", 32));
    const PrivateKey other = signing_key(test::repeat("5b", 32));
    const auto hash = chain::sha256d(chain::as_bytes("message"));
    EXPECT_NO_THROW(key.sign_ecdsa(hash, key.public_key()));
    EXPECT_THROW(key.sign_ecdsa(hash, other.public_key()), std::runtime_error);
}

struct SchnorrVector {
    const char* key;
    const char* public_key;
    const char* auxiliary;
    const char* message;
    const char* signature;
};

// BIP340, test-vectors.csv, rows 0 to 3.
constexpr SchnorrVector kSchnorrVectors[] = {
    {"0000000000000000000000000000000000000000000000000000000000000003",
     "f9308a019258c31049344f85f89d5229b531c845836f99b08601f113bce036f9",
     "0000000000000000000000000000000000000000000000000000000000000000",
     "0000000000000000000000000000000000000000000000000000000000000000",
     "e907831f80848d1069a5371b402410364bdf1c5f8307b0084c55f1ce2dca8215"
     "25f66a4a85ea8b71e482a74f382d2ce5ebeee8fdb2172f477df4900d310536c0"},
    {"b7e151628aed2a6abf7158809cf4f3c762e7160f38b4da56a784d9045190cfef",
     "dff1d77f2a671c5f36183726db2341be58feae1da2deced843240f7b502ba659",
     "0000000000000000000000000000000000000000000000000000000000000001",
     "243f6a8885a308d313198a2e03707344a4093822299f31d0082efa98ec4e6c89",
     "6896bd60eeae296db48a229ff71dfe071bde413e6d43f917dc8dcf8c78de3341"
     "8906d11ac976abccb20b091292bff4ea897efcb639ea871cfa95f6de339e4b0a"},
    {"c90fdaa22168c234c4c6628b80dc1cd129024e088a67cc74020bbea63b14e5c9",
     "dd308afec5777e13121fa72b9cc1b7cc0139715309b086c960e18fd969774eb8",
     "c87aa53824b4d7ae2eb035a2b5bbbccc080e76cdc6d1692c4b0b62d798e6d906",
     "7e2d58d8b3bcdf1abadec7829054f90dda9805aab56c77333024b9d0a508b75c",
     "5831aaeed7b44bb74e5eab94ba9d4294c49bcf2a60728d8b4c200f50dd313c1b"
     "ab745879a5ad954a72c45a91c3a51d3c7adea98d82f8481e0e1e03674a6f3fb7"},
    {"0b432b2677937381aef05bb02a66ecd012773062cf3fa2549e44f58ed2401710",
     "25d1dff95105f5253c4022f628a996ad3a0d95fbf21d468a1b33f8c160d8f517",
     "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
     "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
     "7eb0509757e246f19449885651611cb965ecc1a187dd51b64fda1edc9637d5ec"
     "97582b9cb13db3933705b32ba982af5af25fd78881ebb32771fc5922efc66ea3"},
};

TEST(SchnorrSignature, IsThatOfBip340) {
    for (const SchnorrVector& row : kSchnorrVectors) {
        const PrivateKey key = signing_key(row.key);
        EXPECT_EQ(to_hex(key.public_key().x_only()), row.public_key);
        EXPECT_EQ(to_hex(key.sign_schnorr(message_of(row.message), key.public_key().x_only(),
                                          SecretArray<32>{bytes_from_hex(row.auxiliary)})),
                  row.signature);
    }
}

TEST(SchnorrSignature, IsNotReturnedUnlessItVerifies) {
    const PrivateKey key = signing_key(kSchnorrVectors[1].key);
    const PrivateKey other = signing_key(kSchnorrVectors[2].key);
    EXPECT_THROW(key.sign_schnorr({}, other.public_key().x_only(), {}), std::runtime_error);
}

TEST(TaprootSignature, IsThatOfBip341sWalletVectors) {
    const auto vectors = test::read_test_json("vectors/bip341_wallet_vectors.json");
    if (!vectors) GTEST_SKIP() << test::kNoTestData;
    int rows = 0;
    for (const auto& row : vectors->at("keyPathSpending").at(0).at("inputSpending")) {
        const auto& given = row.at("given");
        const auto& root = given.at("merkleRoot");
        const PrivateKey key = signing_key(given.at("internalPrivkey").get<std::string>());
        const Bytes merkle_root =
            root.is_null() ? Bytes{} : bytes_from_hex(root.get<std::string>());
        const XOnlyKey output_key =
            signing_key(row.at("intermediary").at("tweakedPrivkey").get<std::string>())
                .public_key()
                .x_only();
        if (root.is_null()) {
            EXPECT_EQ(output_key, key.public_key().taproot_output_key());
        }
        Bytes witness = bytes_from_hex(row.at("expected").at("witness").at(0).get<std::string>());
        witness.resize(64);  // a hash type may follow
        const auto sighash = message_of(row.at("intermediary").at("sigHash").get<std::string>());
        EXPECT_EQ(to_hex(key.sign_taproot(sighash, output_key, {}, merkle_root).value()),
                  to_hex(witness));
        EXPECT_FALSE(key.sign_taproot(sighash, key.public_key().x_only(), {}, merkle_root));
        ++rows;
    }
    EXPECT_EQ(rows, 7);
}

TEST(TaprootOutputKey, IsThatOfBip341sWalletVectors) {
    const auto vectors = test::read_test_json("vectors/bip341_wallet_vectors.json");
    if (!vectors) GTEST_SKIP() << test::kNoTestData;
    int without_tree = 0;
    for (const auto& row : vectors->at("scriptPubKey")) {
        const auto& given = row.at("given");
        SCOPED_TRACE(given.dump());
        Bytes even{2};
        const Bytes internal = bytes_from_hex(given.at("internalPubkey").get<std::string>());
        even.insert(even.end(), internal.begin(), internal.end());
        const auto own = PublicKey::parse(even).value().taproot_output_key();
        const Bytes tweaked =
            bytes_from_hex(row.at("intermediary").at("tweakedPubkey").get<std::string>());
        const bool has_tree = !given.at("scriptTree").is_null();
        EXPECT_EQ(to_hex(own) == to_hex(tweaked), !has_tree);
        without_tree += has_tree ? 0 : 1;
        const auto& expected = row.at("expected");
        const Bytes script = chain::witness_program_script(1, tweaked);
        EXPECT_EQ(to_hex(script), expected.at("scriptPubKey").get<std::string>());
        EXPECT_EQ(address_of(script, *chain::find_network("mainnet")),
                  expected.at("bip350Address").get<std::string>());
    }
    EXPECT_EQ(vectors->at("scriptPubKey").size(), 7U);
    EXPECT_EQ(without_tree, 1);
}

}  // namespace
}  // namespace petal::wallet
