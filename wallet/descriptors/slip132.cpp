/// Extended keys with a version that states the type of outputs: ypub, zpub etc. (SLIP132).
#include "wallet/descriptors/slip132.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

#include "wallet/keys/base58.h"

namespace petal::wallet {

namespace {

struct Slip132Row {
    std::uint32_t public_version = 0;
    std::uint32_t private_version = 0;
    ScriptKind kind = ScriptKind::pkh;
    bool is_multisig = false;
    bool is_mainnet = false;
};

constexpr std::array<Slip132Row, 8> kSlip132Rows{{
    {0x049d'7cb2, 0x049d'7878, ScriptKind::sh_wpkh, false, true},   // ypub
    {0x04b2'4746, 0x04b2'430c, ScriptKind::wpkh, false, true},      // zpub
    {0x0295'b43f, 0x0295'b005, ScriptKind::sh_wpkh, true, true},    // Ypub
    {0x02aa'7ed3, 0x02aa'7a99, ScriptKind::wpkh, true, true},       // Zpub
    {0x044a'5262, 0x044a'4e28, ScriptKind::sh_wpkh, false, false},  // upub
    {0x045f'1cf6, 0x045f'18bc, ScriptKind::wpkh, false, false},     // vpub
    {0x0242'89ef, 0x0242'85b5, ScriptKind::sh_wpkh, true, false},   // Upub
    {0x0257'5483, 0x0257'5048, ScriptKind::wpkh, true, false},      // Vpub
}};

constexpr std::size_t kExtendedKeyBytes = 78;
constexpr std::size_t kVersionBytes = 4;

/// Writes the version big-endian.
void put_version(std::uint32_t version, chain::Bytes& payload) {
    for (std::size_t i = 0; i < kVersionBytes; ++i) {
        payload[i] = static_cast<chain::Byte>(version >> (24 - 8 * i));
    }
}

std::uint32_t get_version(const chain::Bytes& payload) {
    std::uint32_t version = 0;
    for (std::size_t i = 0; i < kVersionBytes; ++i) version = version << 8 | payload[i];
    return version;
}

}  // namespace

std::optional<Slip132Key> parse_slip132(std::string_view text,
                                        const chain::NetworkParams& network) {
    auto payload = decode_base58check(text, kExtendedKeyBytes);
    if (!payload || payload->size() != kExtendedKeyBytes) return std::nullopt;
    const std::uint32_t version = get_version(*payload);
    const auto row = std::ranges::find_if(kSlip132Rows, [&](const Slip132Row& candidate) {
        return version == candidate.public_version || version == candidate.private_version;
    });
    std::optional<Slip132Key> key;
    if (row != kSlip132Rows.end()) {
        const bool is_public = version == row->public_version;
        put_version(is_public ? network.xpub_version : network.xprv_version, *payload);
        std::string ordinary = encode_base58check(*payload);
        const bool wants_mainnet = network.coin_type == 0;
        key = {row->kind, row->is_multisig, row->is_mainnet == wants_mainnet,
               SecretString{ordinary}};
        wipe(ordinary);
    }
    OPENSSL_cleanse(payload->data(), payload->size());
    return key;
}

}  // namespace petal::wallet
