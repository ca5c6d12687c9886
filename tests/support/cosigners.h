/// Owners of keys of one multisig account.
#pragma once

#include <array>
#include <cctype>
#include <cstdint>
#include <string>
#include <vector>

#include "chain/network_params.h"
#include "wallet/keys/extended_key.h"
#include "wallet/keys/key_path.h"

namespace petal::test {

class Cosigner {
public:
    /// number   distinguishes the keys of the cosigners
    explicit Cosigner(chain::Byte number)
        : master_(wallet::ExtendedPrivateKey::from_seed(chain::Bytes(32, number)).value()),
          account_(master_.derive_path(path()).value()) {}

    /// The key expression as in descriptors: [fingerprint/48h/1h/0h/2h]tpub...
    std::string public_text() const {
        return origin() + account_.public_key().to_string(*chain::find_network("regtest"));
    }
    std::string private_text() const {
        const auto key = account_.to_string(*chain::find_network("regtest"));
        return origin() + std::string(key.begin(), key.end());
    }
    wallet::PrivateKey key(wallet::KeyChain chain, std::uint32_t index) const {
        const std::array below{static_cast<std::uint32_t>(chain), index};
        return account_.derive_path(below).value().key();
    }

private:
    static std::vector<std::uint32_t> path() {
        using wallet::kHardened;
        return {48 + kHardened, 1 + kHardened, 0 + kHardened, 2 + kHardened};
    }
    std::string origin() const {
        return '[' + chain::to_hex(master_.fingerprint()) + wallet::path_to_string(path()) + ']';
    }

    wallet::ExtendedPrivateKey master_;
    wallet::ExtendedPrivateKey account_;
};

inline std::vector<Cosigner> cosigners(chain::Byte count) {
    std::vector<Cosigner> result;
    for (chain::Byte number = 1; number <= count; ++number) result.emplace_back(number);
    return result;
}

/// The descriptor of the cosigners' addresses: `form` with KEYS replaced by all keys, each after a
/// comma. The cosigner `with_private` has private keys in the descriptor.
inline std::string multisig_text(std::string form, const std::vector<Cosigner>& owners,
                                 const std::string& below, const Cosigner* with_private = nullptr) {
    std::string keys;
    for (const Cosigner& owner : owners) {
        const bool is_private = &owner == with_private;
        keys += ',' + (is_private ? owner.private_text() : owner.public_text()) + below;
    }
    return form.replace(form.find(",KEYS"), 5, keys);
}

/// The name of a form, for a parameterised test: shwshsortedmultiKEYS.
inline std::string form_name(std::string form) {
    std::erase_if(form, [](unsigned char c) { return !std::isalpha(c); });
    return form;
}

}  // namespace petal::test
