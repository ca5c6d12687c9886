/// Wallet import format: a private key as text (Bitcoin Core: key_io).
#include "wallet/keys/wif.h"

#include <algorithm>
#include <string>

#include "chain/enum_table.h"
#include "wallet/keys/base58.h"

namespace petal::wallet {

namespace {

/// The version and the key. 01 follows for a compressed public key.
constexpr std::size_t kUncompressedWifBytes = 33;
constexpr std::size_t kCompressedWifBytes = 34;

WifError to_wif_error(Base58Error error) {
    static constexpr auto kErrors = chain::enum_table<Base58Error, WifError>({
        {Base58Error::invalid_character, WifError::not_base58},
        {Base58Error::too_long, WifError::wrong_length},
        {Base58Error::too_short, WifError::wrong_length},
        {Base58Error::wrong_checksum, WifError::wrong_checksum},
    });
    return kErrors[error];
}

WifError explain_wif_version(std::uint8_t version) {
    const auto networks = chain::all_networks();
    const bool known = std::any_of(networks.begin(), networks.end(), [&](const auto& network) {
        return version == network.wif_version;
    });
    return known ? WifError::wrong_network : WifError::not_a_private_key;
}

chain::Expected<WifKey, WifError> read_wif(chain::ByteView payload,
                                           const chain::NetworkParams& network) {
    const bool compressed = payload.size() == kCompressedWifBytes && payload.back() == 1;
    if (!compressed && payload.size() != kUncompressedWifBytes) {
        return chain::Unexpected{WifError::wrong_length};
    }
    if (payload[0] != network.wif_version) {
        return chain::Unexpected{explain_wif_version(payload[0])};
    }
    const auto key = PrivateKey::parse(payload.subspan(1, SecretArray<32>::size()));
    if (!key) return chain::Unexpected{WifError::key_out_of_range};
    return WifKey{*key, compressed};
}

}  // namespace

std::string_view describe(WifError error) {
    using enum WifError;
    static constexpr auto kTexts = chain::enum_table<WifError, std::string_view>({
        {not_base58, "a character that Base58 does not have"},
        {wrong_checksum, "wrong checksum"},
        {wrong_length, "wrong length"},
        {wrong_network, "a private key of another network"},
        {not_a_private_key, "not a private key"},
        {key_out_of_range, "the private key is out of range"},
    });
    return kTexts[error];
}

chain::Expected<WifKey, WifError> parse_wif(std::string_view text,
                                            const chain::NetworkParams& network) {
    auto payload = decode_base58check(text, kCompressedWifBytes);
    if (!payload) return chain::Unexpected{to_wif_error(payload.error())};
    auto key = read_wif(*payload, network);
    OPENSSL_cleanse(payload->data(), payload->size());
    return key;
}

SecretString to_wif(const WifKey& key, const chain::NetworkParams& network) {
    SecretBytes payload;
    payload.reserve(kCompressedWifBytes);
    payload.push_back(network.wif_version);
    payload.insert(payload.end(), key.key.view().begin(), key.key.view().end());
    if (key.compressed) payload.push_back(1);
    std::string text = encode_base58check(payload);
    SecretString secret{text};
    wipe(text);
    return secret;
}

}  // namespace petal::wallet
