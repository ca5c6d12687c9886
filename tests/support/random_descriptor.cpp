#include "tests/support/random_descriptor.h"

#include <array>
#include <cstdint>
#include <string_view>

#include "chain/bytes.h"
#include "wallet/descriptors/address.h"
#include "wallet/descriptors/script_deriver.h"
#include "wallet/keys/extended_key.h"
#include "wallet/keys/wif.h"

namespace petal::test {

namespace {

/// The place of a key in a descriptor.
struct Place {
    bool allows_uncompressed = true;
    bool is_taproot = false;
    std::size_t paths = 1;  ///< of the key's multipath specifier, if any
};

class DescriptorWriter {
public:
    DescriptorWriter(std::mt19937_64& random, const chain::NetworkParams& network)
        : random_(random), network_(network) {}

    std::string write() {
        Place place;
        place.paths = 1 + below(3);
        switch (below(13)) {
            case 0:
                return "pk(" + key(place) + ')';
            case 1:
                return "pkh(" + key(place) + ')';
            case 2:
                return "combo(" + key(place) + ')';
            case 3:
                return multi(place, 3);
            case 4:
                return "sh(" + multi(place, 7) + ')';
            case 5:
                return "sh(pk(" + key(place) + "))";
            case 6:
                return "raw(" + chain::to_hex(bytes(1 + below(40))) + ')';
            case 7:
                return "addr(" + address() + ')';
            case 8:
                place.is_taproot = true;
                place.allows_uncompressed = false;
                return "tr(" + key(place) + ')';
            default:
                place.allows_uncompressed = false;
                return write_segwit(place);
        }
    }

private:
    std::string write_segwit(const Place& place) {
        switch (below(5)) {
            case 0:
                return "wpkh(" + key(place) + ')';
            case 1:
                return "sh(wpkh(" + key(place) + "))";
            case 2:
                return "wsh(pkh(" + key(place) + "))";
            case 3:
                return "wsh(" + multi(place, 20) + ')';
            default:
                return "sh(wsh(" + multi(place, 20) + "))";
        }
    }

    std::string multi(const Place& place, std::size_t limit) {
        const std::size_t keys = 1 + below(limit);
        std::string text = below(2) == 0 ? "multi(" : "sortedmulti(";
        text += std::to_string(1 + below(keys));
        for (std::size_t i = 0; i < keys; ++i) text += ',' + key(place);
        return text + ')';
    }

    std::string key(const Place& place) {
        std::string text;
        if (below(3) == 0) text = '[' + chain::to_hex(bytes(4)) + path(below(4), true) + ']';
        const auto master = wallet::ExtendedPrivateKey::from_seed(bytes(32)).value();
        const auto& public_key = master.key().public_key();
        const bool is_compressed = !place.allows_uncompressed || below(2) == 0;
        switch (below(4)) {
            case 0: {
                const auto form = place.is_taproot && below(2) == 0 ? wallet::KeyForm::x_only
                                  : is_compressed                   ? wallet::KeyForm::compressed
                                                                    : wallet::KeyForm::uncompressed;
                return text + chain::to_hex(wallet::serialize(public_key, form));
            }
            case 1:
                text += wallet::to_wif({master.key(), is_compressed}, network_);
                return text;
            case 2:
                return text + master.public_key().to_string(network_) + steps(place, false);
            default:
                text += master.to_string(network_);
                return text + steps(place, true);
        }
    }

    /// The steps after an extended key.
    std::string steps(const Place& place, bool is_private) {
        std::string text = path(below(4), is_private);
        if (place.paths > 1 && below(2) == 0) {
            const std::uint64_t first = below(1'000);
            text += "/<" + std::to_string(first);
            for (std::size_t i = 1; i < place.paths; ++i) text += ';' + std::to_string(first + i);
            text += '>' + path(below(2), is_private);
        }
        if (below(2) == 0) text += is_private && below(4) == 0 ? "/*h" : "/*";
        return text;
    }

    std::string path(std::size_t count, bool allows_hardened) {
        std::string text;
        for (std::size_t i = 0; i < count; ++i) {
            text += '/' + std::to_string(below(4) == 0 ? below(wallet::kHardened) : below(10));
            if (allows_hardened && below(2) == 0) text += 'h';
        }
        return text;
    }

    std::string address() {
        chain::Bytes script{0, 20};
        if (below(2) == 0) script = {0x51, 20};
        const chain::Bytes program = bytes(20);
        script.insert(script.end(), program.begin(), program.end());
        return wallet::address_of(script, network_);
    }

    chain::Bytes bytes(std::size_t count) {
        chain::Bytes result(count);
        for (auto& byte : result) byte = static_cast<chain::Byte>(random_());
        return result;
    }

    std::uint64_t below(std::uint64_t end) { return random_() % end; }

    std::mt19937_64& random_;
    const chain::NetworkParams& network_;
};

}  // namespace

std::string random_descriptor(std::mt19937_64& random, const chain::NetworkParams& network) {
    return DescriptorWriter(random, network).write();
}

}  // namespace petal::test
