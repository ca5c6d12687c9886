#include "wallet/spending/message.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "chain/byte_writer.h"
#include "chain/bytes.h"
#include "chain/network_params.h"
#include "chain/script/script.h"
#include "chain/script/signature_hash.h"
#include "tests/support/signing.h"
#include "tests/support/test_data.h"
#include "wallet/descriptors/address.h"
#include "wallet/keys/wif.h"
#include "wallet/spending/signing.h"

namespace petal::wallet {
namespace {

const chain::NetworkParams& mainnet() {
    return *chain::find_network("mainnet");
}

chain::Bytes script_of(std::string_view address) {
    return parse_address(address, mainnet()).value();
}

PrivateKey key_of(std::string_view wif) {
    return parse_wif(wif, mainnet()).value().key;
}

// The key and addresses of BIP322's examples.
constexpr const char* kKey = "L3VFeEujGtevx9w18HD1fhRbCH67Az2dpCymeRE1SoPK6XQtaN2k";
constexpr const char* kAddress = "bc1q9vza2e8x573nczrlzms0wvx3gsqjx7vavgkx0l";
constexpr const char* kHelloWorld =
    "smpAkcwRAIgZRfIY3p7/DoVTty6YZbWS71bc5Vct9p9Fia83eRmw2QCICK/ENGfwLtptFluMGs2KsqoNSk89pO7F29zJL"
    "Ux9a/sASECx/EgAxlkQpQ9hYjgGu6EBCPMVPwVIVJqO4XCsMvViHI=";

std::string signature_of(std::string_view message, ScriptKind kind, MessageFormat format,
                         const PrivateKey& key) {
    const chain::Bytes script = script_for(kind, key.public_key());
    MessageToSign unsigned_message = message_to_sign(message, script);
    const InputCoin coin{unsigned_message.transaction.inputs[0].prevout, unsigned_message.spent,
                         kind, KeyPath{}};
    EXPECT_TRUE(sign_transaction(unsigned_message.transaction, {&coin, 1},
                                 [&](const InputCoin&) { return key; }, {}));
    return message_signature(unsigned_message.transaction, format);
}

TEST(MessageToSign, HasTheHashesOfBip322) {
    const MessageToSign empty = message_to_sign("", script_of(kAddress));
    EXPECT_EQ(empty.transaction.inputs[0].prevout.txid.to_hex(),
              "c5680aa69bb8d860bf82d4e9cd3504b55dde018de765a91bb566283c545a99a7");
    EXPECT_EQ(empty.transaction.txid().to_hex(),
              "1e9654e951a5ba44c8604c4de6c67fd78a27e81dcadcfe1edf638ba3aaebaed6");
    const MessageToSign hello = message_to_sign("Hello World", script_of(kAddress));
    EXPECT_EQ(hello.transaction.txid().to_hex(),
              "88737ae86f2077145f93cc4b153ae9a1cb8d56afa511988c149c5c8c9d93bddf");
}

TEST(MessageSignature, IsThatOfBip322) {
    EXPECT_EQ(signature_of("Hello World", ScriptKind::wpkh, MessageFormat::simple, key_of(kKey)),
              kHelloWorld);
}

// Bitcoin Core: util_tests.cpp, message_sign.
TEST(MessageSignature, OfTheOlderFormIsBitcoinCores) {
    const chain::Bytes secret{0xd9, 0x7f, 0x51, 0x08, 0xf1, 0x1c, 0xda, 0x6e, 0xee, 0xba, 0xaa,
                              0x42, 0x0f, 0xef, 0x07, 0x26, 0xb1, 0xf8, 0x98, 0x06, 0x0b, 0x98,
                              0x48, 0x9f, 0xa3, 0x09, 0x84, 0x63, 0xc0, 0x03, 0x28, 0x66};
    EXPECT_EQ(
        legacy_message_signature("Trust no one", PrivateKey::parse(secret).value()),
        "IPojfrX2dfPnH26UegfbGQQLrdK844DlHq5157/P6h57WyuS/Qsl+h/WSVGDF4MUi4rWSswW38oimDYfNNUBUOk=");
}

TEST(VerifyMessage, AgreesWithTheVectors) {
    const auto vectors = test::read_test_json("vectors/bip322.json");
    if (!vectors) GTEST_SKIP() << test::kNoTestData;
    for (const auto& row : vectors->at("simple")) {
        const auto script = script_of(row.at("address").get<std::string>());
        for (const auto& signature : row.at("bip322_signatures")) {
            const auto verified = verify_message(row.at("message").get<std::string>(), script,
                                                 signature.get<std::string>());
            EXPECT_TRUE(verified) << row.at("message");
        }
    }
    for (const auto& row : vectors->at("error")) {
        const auto script = parse_address(row.at("address").get<std::string>(), mainnet());
        if (!script) continue;
        EXPECT_FALSE(verify_message(row.at("message").get<std::string>(), *script,
                                    row.at("signature").get<std::string>()))
            << row.at("description");
    }
}

struct MessageRow {
    const char* name;
    const char* message;
    const char* address;
    std::string signature;
    std::optional<MessageError> error;
};

std::string with_first_byte(std::string_view base64, chain::Byte first) {
    chain::Bytes bytes = chain::from_base64(base64).value();
    bytes[0] = first;
    return chain::to_base64(bytes);
}

// The signatures of the older form are from Bitcoin Core (util_tests.cpp, message_verify).
TEST(VerifyMessage, TellsValidFromInvalidSignatures) {
    const std::string core =
        "IPojfrX2dfPnH26UegfbGQQLrdK844DlHq5157/P6h57WyuS/Qsl+h/WSVGDF4MUi4rWSswW38oimDYfNNUBUOk=";
    const char* const core_address = "15CRxFdyRpGZLW9w8HnHvVduizdL5jKNbs";
    const std::string bare = std::string(kHelloWorld).substr(3);
    const std::vector<MessageRow> rows{
        {"older form", "Trust no one", core_address, core, std::nullopt},
        {"older form, of an uncompressed key", "Trust me", "11canuhp9X2NocwCq7xNrQYTmUgZAnLK3",
         "IIcaIENoYW5jZWxsb3Igb24gYnJpbmsgb2Ygc2Vjb25kIGJhaWxvdXQgZm9yIGJhbmtzIAaHRtbCeDZINyavx14=",
         std::nullopt},
        {"another message", "I never signed this", core_address, core,
         MessageError::wrong_signature},
        {"the other form of key", "Trust no one", core_address, with_first_byte(core, 28),
         MessageError::wrong_signature},
        {"another recovery id", "Trust no one", core_address, with_first_byte(core, 31),
         MessageError::wrong_signature},
        {"older form for another key's segwit", "Trust no one", kAddress, core,
         MessageError::wrong_signature},
        {"BIP137 with P2PKH", "Trust no one", core_address, with_first_byte(core, 40),
         MessageError::other_address_type},
        {"older form for P2TR", "Trust no one",
         "bc1p5cyxnuxmeuwuvkwfem96lqzszd02n6xdcjrs20cac6yqjjwudpxqkedrcr", core,
         MessageError::needs_key_address},
        {"older form for P2WSH", "Trust no one",
         "bc1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3qccfmv3", core,
         MessageError::needs_key_address},
        {"nothing", "", kAddress, "", MessageError::malformed},
        {"no base64", "", core_address, "invalid signature, not in base64 encoding",
         MessageError::not_base64},
        {"without its prefix", "Hello World", kAddress, bare, std::nullopt},
        {"simple, another message", "Hello World!", kAddress, kHelloWorld,
         MessageError::wrong_signature},
        {"simple, cut", "Hello World", kAddress, "smp" + bare.substr(0, bare.size() - 8),
         MessageError::malformed},
        {"simple, with a byte behind it", "Hello World", kAddress,
         "smp" + bare.substr(0, bare.size() - 1) + "A", MessageError::malformed},
        {"simple as full", "Hello World", kAddress, "ful" + bare, MessageError::malformed},
        {"proof of funds", "Hello World", kAddress, "pof" + bare, MessageError::proof_of_funds},
        {"script that is not judged", "", "bc1pfeessrawgf", "smpAQA=", MessageError::not_judged},
    };
    for (const MessageRow& row : rows) {
        const auto verified = verify_message(row.message, script_of(row.address), row.signature);
        EXPECT_EQ(verified ? std::nullopt : std::optional(verified.error()), row.error) << row.name;
    }
}

struct SegwitRow {
    const char* name;
    const char* address;
    const char* message;
    std::string signature;
    MessageFormat format;
};

std::string base64_of(std::string_view hex) {
    return chain::to_base64(chain::from_hex(hex).value());
}

constexpr const char* kExample = "This is an example of a signed message.";

// Electrum: tests/test_bitcoin.py, test_signmessage_segwit_witness_v0_address. Trezor:
// tests/device_tests/bitcoin/test_verifymessage_segwit.py and ..._segwit_native.py.
std::vector<SegwitRow> segwit_rows() {
    const std::string electrum =
        "HyFaND+87TtVbRhkTfT3mPNBCQcJ32XXtNZGW8sFldJsNpOPCegEmdcCf5Thy18hdMH88GLxZLkOby/EwVUuSeA=";
    const std::string long_message =
        "5ff795c29aef7538f8b3bdb2e8add0d0722ad630a140b6aefd504a5a895cbd867cbb00981afc50edd0398211e8"
        "d7c304bb8efa461181bc0afa67ea4a720a89ed";
    static const std::string long_text = [] {
        std::string text;
        for (int i = 0; i < 64; ++i) text += "VeryLongMessage!";
        return text;
    }();
    return {
        {"Electrum, nested", "3DYoBqQ5N6dADzyQjy9FT1Ls4amiYVaqTG", "Electrum", electrum,
         MessageFormat::electrum},
        {"Electrum, native", "bc1qq2tmmcngng78nllq2pvrkchcdukemtj56uyue0", "Electrum", electrum,
         MessageFormat::electrum},
        // Some signers state an uncompressed key, which segwit does not have.
        {"uncompressed, native", "bc1qq2tmmcngng78nllq2pvrkchcdukemtj56uyue0", "Electrum",
         with_first_byte(electrum, 27), MessageFormat::electrum},
        {"Trezor, nested", "3L6TyTisPBmrDAj6RoKmDzNnj4eQi54gD2", kExample,
         base64_of("23744de4516fac5c140808015664516a32fead94de89775cec7e24dbc24fe133075ac09301c4cc8"
                   "e197bea4b6481661d5b8e9bf19d8b7b8a382ecdb53c2ee0750d"),
         MessageFormat::bip137},
        {"Trezor, native", "bc1qannfxke2tfd4l7vhepehpvt05y83v3qsf6nfkk", kExample,
         base64_of("28b55d7600d9e9a7e2a49155ddf3cfdb8e796c207faab833010fa41fb7828889bc47cf62348a7aa"
                   "a0923c0832a589fab541e8f12eb54fb711c90e2307f0f66b194"),
         MessageFormat::bip137},
        {"Trezor, no script type", "bc1qannfxke2tfd4l7vhepehpvt05y83v3qsf6nfkk", kExample,
         base64_of("20b55d7600d9e9a7e2a49155ddf3cfdb8e796c207faab833010fa41fb7828889bc47cf62348a7aa"
                   "a0923c0832a589fab541e8f12eb54fb711c90e2307f0f66b194"),
         MessageFormat::electrum},
        {"Trezor, long, nested", "3CwYaeWxhpXXiHue3ciQez1DLaTEAXcKa1", long_text.c_str(),
         base64_of("24" + long_message), MessageFormat::bip137},
        {"Trezor, long, native", "bc1qyjjkmdpu7metqt5r36jf872a34syws33s82q2j", long_text.c_str(),
         base64_of("28" + long_message), MessageFormat::bip137},
    };
}

TEST(VerifyMessage, RecoversTheKeyOfSegwitAddresses) {
    for (const SegwitRow& row : segwit_rows()) {
        const chain::Bytes script = script_of(row.address);
        const auto verified = verify_message(row.message, script, row.signature);
        ASSERT_TRUE(verified) << row.name << ": " << describe(verified.error());
        EXPECT_EQ(verified->format, row.format) << row.name;
        const auto other = verify_message("another message", script, row.signature);
        ASSERT_FALSE(other) << row.name;
        EXPECT_EQ(other.error(), MessageError::wrong_signature) << row.name;
    }
}

// Each first byte, for each type of address of one key.
TEST(VerifyMessage, TakesTheFirstByteAsBip137AndElectrumDo) {
    const PrivateKey key = key_of(kKey);
    const std::string signature = legacy_message_signature("petal", key);
    const int recovery_id = (chain::from_base64(signature).value()[0] - 27) % 4;
    struct Row {
        ScriptKind kind;
        int first;
        std::optional<MessageFormat> format;
        MessageError error = MessageError::other_address_type;
    };
    using enum MessageFormat;
    const std::vector<Row> rows{
        {ScriptKind::pkh, 27, std::nullopt, MessageError::wrong_signature},
        {ScriptKind::pkh, 31, legacy},
        {ScriptKind::pkh, 35, std::nullopt},
        {ScriptKind::pkh, 39, std::nullopt},
        {ScriptKind::sh_wpkh, 27, electrum},
        {ScriptKind::sh_wpkh, 31, electrum},
        {ScriptKind::sh_wpkh, 35, bip137},
        {ScriptKind::sh_wpkh, 39, std::nullopt},
        {ScriptKind::wpkh, 27, electrum},
        {ScriptKind::wpkh, 31, electrum},
        {ScriptKind::wpkh, 35, std::nullopt},
        {ScriptKind::wpkh, 39, bip137},
        {ScriptKind::wpkh, 43, std::nullopt, MessageError::malformed},
        {ScriptKind::wpkh, 23, std::nullopt, MessageError::malformed},
        {ScriptKind::tr, 39, std::nullopt, MessageError::needs_key_address},
    };
    for (const Row& row : rows) {
        const auto first = static_cast<chain::Byte>(row.first + recovery_id);
        const auto verified = verify_message("petal", script_for(row.kind, key.public_key()),
                                             with_first_byte(signature, first));
        SCOPED_TRACE(std::string(describe(row.kind)) + " " + std::to_string(row.first));
        ASSERT_EQ(verified.has_value(), row.format.has_value());
        if (verified) {
            EXPECT_EQ(verified->format, row.format);
        } else {
            EXPECT_EQ(verified.error(), row.error);
        }
    }
}

TEST(VerifyMessage, TakesAFullSignatureWithoutItsPrefix) {
    const PrivateKey key = key_of(kKey);
    const std::string signature =
        signature_of("petal", ScriptKind::sh_wpkh, MessageFormat::full, key).substr(3);
    const chain::Bytes script = script_for(ScriptKind::sh_wpkh, key.public_key());
    const auto verified = verify_message("petal", script, signature);
    ASSERT_TRUE(verified) << describe(verified.error());
    EXPECT_EQ(verified->format, MessageFormat::full);
    EXPECT_FALSE(verify_message("Petal", script, signature));
}

TEST(VerifyMessage, TakesWhatIsSignedForEachTypeAndFormat) {
    const PrivateKey key = key_of(kKey);
    for (const ScriptKind kind : kScriptKinds) {
        const chain::Bytes script = script_for(kind, key.public_key());
        for (const auto format : {MessageFormat::simple, MessageFormat::full}) {
            // The witness of a nested output implies its scriptSig.
            if (kind == ScriptKind::pkh && format == MessageFormat::simple) continue;
            const std::string signature = signature_of("petal", kind, format, key);
            const auto verified = verify_message("petal", script, signature);
            ASSERT_TRUE(verified) << describe(kind) << ": " << describe(verified.error());
            EXPECT_EQ(verified->format, format);
            EXPECT_FALSE(verify_message("Petal", script, signature)) << describe(kind);
        }
        EXPECT_EQ(has_format(kind, MessageFormat::legacy), kind == ScriptKind::pkh);
        EXPECT_TRUE(has_format(kind, MessageFormat::full));
    }
}

/// A witness with the key and a valid ECDSA signature of this hash type.
chain::Witness signed_with(const MessageToSign& unsigned_message, const PrivateKey& key,
                           std::uint32_t hash_type) {
    const PublicKey public_key = key.public_key();
    const chain::SighashCache cache(unsigned_message.transaction);
    const auto hash = cache.segwit_hash(
        0, chain::p2pkh_script(chain::hash160(public_key.compressed())), 0, hash_type);
    chain::Bytes signature = key.sign_ecdsa(hash, public_key);
    signature.push_back(static_cast<chain::Byte>(hash_type));
    const CompressedKey& bytes = public_key.compressed();
    return {signature, chain::Bytes(bytes.begin(), bytes.end())};
}

TEST(VerifyMessage, RefusesSignaturesThatDoNotCommitToAll) {
    const PrivateKey key = key_of(kKey);
    MessageToSign message =
        message_to_sign("petal", script_for(ScriptKind::wpkh, key.public_key()));
    for (const std::uint32_t hash_type : {1U, 2U, 3U, 0x81U, 0x82U, 0x83U}) {
        message.transaction.inputs[0].witness = signed_with(message, key, hash_type);
        const auto verified =
            verify_message("petal", message.spent.script_pubkey,
                           message_signature(message.transaction, MessageFormat::simple));
        const auto error = verified ? std::nullopt : std::optional(verified.error());
        EXPECT_EQ(error,
                  hash_type == 1U ? std::nullopt : std::optional(MessageError::not_sighash_all))
            << hash_type;
    }
}

/// A single-key or multisig script, its signers, and the items before and after the signatures.
struct SignedScript {
    chain::Bytes script;
    std::vector<std::uint32_t> signers;
    std::vector<chain::Bytes> before = {};
    std::vector<chain::Bytes> behind = {};
};

std::vector<SignedScript> signed_scripts() {
    const chain::Bytes key = test::public_key_of(test::private_key(1));
    const chain::Bytes other = test::public_key_of(test::private_key(2));
    const chain::Bytes two_of_two =
        chain::ByteWriter{}.u8(0x52).var_bytes(key).var_bytes(other).u8(0x52).u8(0xae).take();
    return {{chain::p2pk_script(key), {1}},
            {chain::p2pkh_script(chain::hash160(key)), {1}, {}, {key}},
            {two_of_two, {1, 2}, {chain::Bytes{}}}};
}

// Each signature of a script, in each place of the script, must use SIGHASH_ALL.
TEST(VerifyMessage, WantsAllSignaturesOfAScriptToCommitToAll) {
    for (const auto place : test::kScriptPlaces) {
        for (const SignedScript& form : signed_scripts()) {
            const chain::Bytes output = test::output_script_of(place, form.script);
            const auto error_with = [&](const std::vector<std::uint32_t>& hash_types) {
                MessageToSign message = message_to_sign("petal", output);
                std::vector<chain::Bytes> items = form.before;
                for (std::size_t i = 0; i < form.signers.size(); ++i) {
                    items.push_back(test::sign_script(message.transaction, 0, place, form.script, 0,
                                                      test::private_key(form.signers[i]),
                                                      hash_types.at(i)));
                }
                items.insert(items.end(), form.behind.begin(), form.behind.end());
                test::put_script_items(message.transaction.inputs[0], place, form.script, items);
                const auto verified = verify_message(
                    "petal", output, message_signature(message.transaction, MessageFormat::full));
                return verified ? std::nullopt : std::optional(verified.error());
            };
            SCOPED_TRACE(chain::to_hex(output));
            std::vector<std::uint32_t> all(form.signers.size(), chain::kSighashAll);
            EXPECT_EQ(error_with(all), std::nullopt);
            for (std::uint32_t& hash_type : all) {
                hash_type = chain::kSighashNone;
                EXPECT_EQ(error_with(all), MessageError::not_sighash_all);
                hash_type = chain::kSighashAll;
            }
        }
    }
}

TEST(VerifyMessage, DoesNotJudgeOtherScriptsInP2sh) {
    const chain::Bytes script{0x51};
    const auto redeem_script = chain::witness_program_script(0, chain::sha256(script));
    const auto address = chain::p2sh_script(chain::hash160(redeem_script));
    MessageToSign message = message_to_sign("petal", address);
    message.transaction.inputs[0].witness = {script};
    const auto verified = verify_message(
        "petal", address, message_signature(message.transaction, MessageFormat::simple));
    ASSERT_FALSE(verified);
    EXPECT_EQ(verified.error(), MessageError::not_judged);
}

struct FullRow {
    const char* name;
    void (*change)(chain::Transaction&);
    MessageError error;
};

TEST(VerifyMessage, RefusesOtherTransactionsThanBip322s) {
    const PrivateKey key = key_of(kKey);
    const chain::Bytes script = script_for(ScriptKind::wpkh, key.public_key());
    const std::string text =
        signature_of("petal", ScriptKind::wpkh, MessageFormat::full, key).substr(3);
    const auto signed_transaction =
        chain::decode_transaction(chain::from_base64(text).value()).value();
    using chain::Transaction;
    const std::vector<FullRow> rows{
        {"value", [](Transaction& it) { it.outputs[0].value = 1; },
         MessageError::other_transaction},
        {"output", [](Transaction& it) { it.outputs.push_back(it.outputs[0]); },
         MessageError::other_transaction},
        {"version", [](Transaction& it) { it.version = 1; }, MessageError::not_judged},
        {"witness", [](Transaction& it) { it.inputs[0].witness.clear(); },
         MessageError::wrong_signature},
        {"prevout", [](Transaction& it) { it.inputs[0].prevout.index = 1; },
         MessageError::other_transaction},
        {"second input", [](Transaction& it) { it.inputs.push_back(it.inputs[0]); },
         MessageError::proof_of_funds},
        {"lock time", [](Transaction& it) { it.lock_time = 1; }, MessageError::wrong_signature},
        {"sequence", [](Transaction& it) { it.inputs[0].sequence = 1; },
         MessageError::wrong_signature},
    };
    for (const FullRow& row : rows) {
        Transaction changed = signed_transaction;
        row.change(changed);
        const auto verified =
            verify_message("petal", script, message_signature(changed, MessageFormat::full));
        ASSERT_FALSE(verified) << row.name;
        EXPECT_EQ(verified.error(), row.error) << row.name;
    }
}

}  // namespace
}  // namespace petal::wallet
