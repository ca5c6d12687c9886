#include "regtest/wallets/new_keys.h"

#include <stdexcept>

#include "chain/network_params.h"
#include "wallet/keys/extended_key.h"
#include "wallet/keys/randomness.h"
#include "wallet/keys/secret_bytes.h"

namespace petal::regtest::wallets {

wallet::NewDescriptors make_new_keys() {
    const chain::NetworkParams& network = *chain::find_network("regtest");
    wallet::SecretArray<32> seed;
    wallet::fill_random(seed.writable());
    const auto master = wallet::ExtendedPrivateKey::from_seed(seed.view());
    if (!master) throw std::runtime_error("no master key of a random seed");  // chance 2^-127
    const wallet::SecretString key = master->to_string(network);
    struct Account {
        const char* before;
        const char* after;
    };
    constexpr Account kAccounts[] = {{"wpkh(", "/84h/1h/0h/"},
                                     {"tr(", "/86h/1h/0h/"},
                                     {"sh(wpkh(", "/49h/1h/0h/"},
                                     {"pkh(", "/44h/1h/0h/"}};
    wallet::SecretString text;
    for (const Account& account : kAccounts) {
        const bool is_nested = account.before[0] == 's';
        for (const char* const chain : {"0/*", "1/*"}) {
            text += account.before;
            text += key;
            text += account.after;
            text += chain;
            text += is_nested ? "))\n" : ")\n";
        }
    }
    auto made = wallet::parse_private_descriptors(text, network);
    if (!made) throw std::runtime_error("new keys: " + made.error().reason);
    return *std::move(made);
}

}  // namespace petal::regtest::wallets
