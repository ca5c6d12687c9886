/// Addresses: scriptPubKeys as text, per network.
#include "wallet/descriptors/address.h"

#include <algorithm>
#include <cassert>
#include <optional>

#include "chain/enum_table.h"
#include "chain/hash.h"
#include "chain/script/script.h"
#include "wallet/descriptors/bech32.h"
#include "wallet/keys/base58.h"

namespace petal::wallet {

namespace {

using ParsedAddress = chain::Expected<chain::Bytes, AddressError>;

/// Longer than any address, to recognise an address of the wrong length.
constexpr std::size_t kMaxBase58Payload = 128;
/// The length of the shortest address: version, hash and checksum of all zeros.
constexpr std::size_t kLeastBase58Characters = 25;
constexpr std::size_t kHashBytes = std::tuple_size_v<chain::Hash160>;
constexpr std::uint8_t kLastWitnessVersion = 16;

AddressError from_bech32(Bech32Error error) {
    static constexpr auto kErrors = chain::enum_table<Bech32Error, AddressError>({
        {Bech32Error::too_long, AddressError::wrong_length},
        {Bech32Error::no_prefix, AddressError::not_an_address},
        {Bech32Error::invalid_character, AddressError::not_an_address},
        {Bech32Error::mixed_case, AddressError::mixed_case},
        {Bech32Error::wrong_checksum, AddressError::wrong_checksum},
    });
    return kErrors[error];
}

AddressError from_base58(Base58Error error, std::size_t characters) {
    if (characters < kLeastBase58Characters) return AddressError::not_an_address;
    return error == Base58Error::wrong_checksum ? AddressError::wrong_checksum
                                                : AddressError::not_an_address;
}

bool begins_with_prefix(std::string_view text, std::string_view prefix) {
    const auto equal_but_for_case = [](char in_text, char in_prefix) {
        return in_text == in_prefix || in_text == in_prefix - 'a' + 'A';
    };
    return text.size() > prefix.size() && text[prefix.size()] == '1' &&
           std::equal(prefix.begin(), prefix.end(), text.begin(),
                      [&](char a, char b) { return equal_but_for_case(b, a); });
}

bool valid_program_length(std::uint8_t version, std::size_t bytes) {
    if (version == 0) return bytes == 20 || bytes == 32;
    return bytes >= 2 && bytes <= 40;
}

Bech32Kind kind_of_version(std::uint8_t version) {
    return version == 0 ? Bech32Kind::bech32 : Bech32Kind::bech32m;
}

ParsedAddress script_of(const Bech32& text, const chain::NetworkParams& network) {
    if (text.prefix != network.bech32_prefix) return chain::Unexpected{AddressError::wrong_network};
    if (text.values.empty()) return chain::Unexpected{AddressError::wrong_length};
    const std::uint8_t version = text.values.front();
    if (version > kLastWitnessVersion) return chain::Unexpected{AddressError::unknown_version};
    if (text.kind != kind_of_version(version)) {
        return chain::Unexpected{AddressError::wrong_bech32_kind};
    }
    const auto program = from_five_bits(chain::ByteView{text.values}.subspan(1));
    if (!program || !valid_program_length(version, program->size())) {
        return chain::Unexpected{AddressError::wrong_length};
    }
    return chain::witness_program_script(version, *program);
}

bool is_version_of_any_network(std::uint8_t version) {
    const auto networks = chain::all_networks();
    return std::any_of(networks.begin(), networks.end(), [&](const auto& network) {
        return version == network.p2pkh_version || version == network.p2sh_version;
    });
}

ParsedAddress script_of(chain::ByteView payload, const chain::NetworkParams& network) {
    if (payload.empty()) return chain::Unexpected{AddressError::wrong_length};
    const std::uint8_t version = payload.front();
    if (!is_version_of_any_network(version))
        return chain::Unexpected{AddressError::unknown_version};
    if (payload.size() != 1 + kHashBytes) return chain::Unexpected{AddressError::wrong_length};
    chain::Hash160 hash{};
    std::ranges::copy(payload.subspan(1), hash.begin());
    if (version == network.p2pkh_version) return chain::p2pkh_script(hash);
    if (version == network.p2sh_version) return chain::p2sh_script(hash);
    return chain::Unexpected{AddressError::wrong_network};
}

std::string base58_address(std::uint8_t version, chain::ByteView hash) {
    chain::Bytes payload{version};
    payload.insert(payload.end(), hash.begin(), hash.end());
    return encode_base58check(payload);
}

/// script   the opcode of the version, a length of one byte, the program
std::string bech32_address(chain::ByteView script, std::string_view prefix) {
    const auto version = static_cast<std::uint8_t>(script[0] == 0 ? 0 : script[0] - 0x50);
    Bech32 content{kind_of_version(version), std::string{prefix}, {version}};
    const chain::Bytes program = to_five_bits(script.subspan(2));
    content.values.insert(content.values.end(), program.begin(), program.end());
    return encode_bech32(content);
}

}  // namespace

std::string_view describe(AddressError error) {
    using enum AddressError;
    static constexpr auto kTexts = chain::enum_table<AddressError, std::string_view>({
        {not_an_address, "not an address"},
        {wrong_checksum, "wrong checksum: a character is wrong or missing"},
        {wrong_network, "an address of another network"},
        {wrong_length, "wrong length"},
        {mixed_case, "upper and lower case are mixed"},
        {wrong_bech32_kind, "the checksum is of the wrong kind for this version (BIP350)"},
        {unknown_version, "unknown version"},
    });
    return kTexts[error];
}

bool is_meant_as_segwit_address(std::string_view text) {
    const auto networks = chain::all_networks();
    return std::any_of(networks.begin(), networks.end(), [&](const auto& network) {
        return begins_with_prefix(text, network.bech32_prefix);
    });
}

ParsedAddress parse_address(std::string_view text, const chain::NetworkParams& network) {
    const auto bech32 = decode_bech32(text);
    if (bech32) return script_of(*bech32, network);
    if (is_meant_as_segwit_address(text)) return chain::Unexpected{from_bech32(bech32.error())};
    const auto payload = decode_base58check(text, kMaxBase58Payload);
    if (!payload) return chain::Unexpected{from_base58(payload.error(), text.size())};
    return script_of(chain::ByteView{*payload}, network);
}

std::string address_of(chain::ByteView script_pubkey, const chain::NetworkParams& network) {
    switch (chain::classify(script_pubkey)) {
        case chain::ScriptType::p2pkh:
            return base58_address(network.p2pkh_version, script_pubkey.subspan(3, kHashBytes));
        case chain::ScriptType::p2sh:
            return base58_address(network.p2sh_version, script_pubkey.subspan(2, kHashBytes));
        case chain::ScriptType::p2wpkh:
        case chain::ScriptType::p2wsh:
        case chain::ScriptType::p2tr:
        case chain::ScriptType::anchor:
        case chain::ScriptType::witness_unknown:
            return bech32_address(script_pubkey, network.bech32_prefix);
        case chain::ScriptType::p2pk:
        case chain::ScriptType::bare_multisig:
        case chain::ScriptType::null_data:
        case chain::ScriptType::other:
            return {};
    }
    assert(false);
    return {};
}

}  // namespace petal::wallet
