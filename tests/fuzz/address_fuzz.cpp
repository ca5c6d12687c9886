/// Untrusted addresses: an accepted address is written back as it was read. The input is also
/// encoded with right checksums, so that the rules behind them are reached. Such an address is
/// accepted if and only if the rules of Base58 addresses, BIP173 and BIP350, written plainly here,
/// accept it.
#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "wallet/descriptors/address.h"
#include "wallet/descriptors/bech32.h"
#include "wallet/keys/base58.h"

namespace {

/// The scriptPubKey of the values in a segwit address; empty if the address is invalid.
petal::chain::Bytes script_of_values(petal::chain::ByteView values, bool is_bech32m) {
    if (values.empty() || values[0] > 16) return {};
    const std::uint8_t version = values[0];
    if (is_bech32m != (version != 0)) return {};  // BIP350
    std::vector<bool> bits;
    for (const std::uint8_t value : values.subspan(1)) {
        for (int place = 4; place >= 0; --place) bits.push_back((value >> place & 1) != 0);
    }
    const std::size_t size = bits.size() / 8;
    const auto padding = bits.begin() + static_cast<std::ptrdiff_t>(8 * size);
    if (bits.end() - padding > 4 || std::find(padding, bits.end(), true) != bits.end()) return {};
    if (size < 2 || size > 40) return {};
    if (version == 0 && size != 20 && size != 32) return {};
    petal::chain::Bytes script(2 + size);
    script[0] = static_cast<std::uint8_t>(version == 0 ? 0 : 0x50 + version);  // OP_0, OP_1 ...
    script[1] = static_cast<std::uint8_t>(size);
    for (std::size_t i = 0; i < 8 * size; ++i) {
        auto& byte = script[2 + i / 8];
        byte = static_cast<std::uint8_t>(byte << 1 | (bits[i] ? 1 : 0));
    }
    return script;
}

/// The scriptPubKey of a Base58 address; empty if the address is invalid.
petal::chain::Bytes script_of_payload(petal::chain::ByteView payload,
                                      const petal::chain::NetworkParams& network) {
    if (payload.size() != 21) return {};
    petal::chain::Bytes script;
    if (payload[0] == network.p2pkh_version) {
        script = {0x76, 0xa9, 20};  // OP_DUP OP_HASH160
        script.insert(script.end(), payload.begin() + 1, payload.end());
        script.insert(script.end(), {0x88, 0xac});  // OP_EQUALVERIFY OP_CHECKSIG
    } else if (payload[0] == network.p2sh_version) {
        script = {0xa9, 20};  // OP_HASH160
        script.insert(script.end(), payload.begin() + 1, payload.end());
        script.push_back(0x87);  // OP_EQUAL
    }
    return script;
}

/// `script` is empty if the network must refuse the address.
void expect_script(const std::string& address, const petal::chain::Bytes& script,
                   const petal::chain::NetworkParams& network) {
    const auto parsed = petal::wallet::parse_address(address, network);
    if (parsed.has_value() == script.empty()) std::abort();
    if (!parsed) return;
    if (*parsed != script) std::abort();
    if (petal::wallet::address_of(script, network) != address) std::abort();
}

void check_base58(petal::chain::ByteView payload) {
    if (payload.size() > 64) return;  // the time is quadratic, and addresses have 21 bytes
    const std::string address = petal::wallet::encode_base58check(payload);
    for (const auto& network : petal::chain::all_networks()) {
        expect_script(address, script_of_payload(payload, network), network);
    }
}

/// The five lower bits of each byte are a value. The upper bits of the first choose the prefix.
void check_bech32(petal::chain::ByteView input) {
    using petal::wallet::Bech32Kind;
    const auto networks = petal::chain::all_networks();
    const std::size_t choice = input.empty() ? 0U : input[0] / 32U;
    const std::string prefix{networks[choice % networks.size()].bech32_prefix};
    if (prefix.size() + 1 + input.size() + 6 > 90) return;  // BIP173
    petal::chain::Bytes values(input.begin(), input.end());
    for (std::uint8_t& value : values) value %= 32;
    for (const auto kind : {Bech32Kind::bech32, Bech32Kind::bech32m}) {
        const auto script = script_of_values(values, kind == Bech32Kind::bech32m);
        const std::string address = petal::wallet::encode_bech32({kind, prefix, values});
        for (const auto& network : networks) {
            const bool is_own = prefix == network.bech32_prefix;
            expect_script(address, is_own ? script : petal::chain::Bytes{}, network);
        }
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    std::string lower = text;
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    for (const auto& network : petal::chain::all_networks()) {
        const auto script = petal::wallet::parse_address(text, network);
        if (!script) continue;
        const std::string again = petal::wallet::address_of(*script, network);
        if (again != text && again != lower) std::abort();
    }
    // Any bytes as a script: either it has no address, or its address leads back to it.
    for (const auto& network : petal::chain::all_networks()) {
        const std::string address = petal::wallet::address_of({data, size}, network);
        if (address.empty()) continue;
        const auto script = petal::wallet::parse_address(address, network);
        if (!script || !std::equal(script->begin(), script->end(), data, data + size)) std::abort();
    }
    check_base58({data, size});
    check_bech32({data, size});
    return 0;
}
