#include "wallet/wallet_descriptors.h"

#include <utility>

#include "wallet/descriptors/descriptor.h"

namespace petal::wallet {

namespace {

constexpr std::uint8_t kAccountDepth = 3;  // BIP44: m / purpose' / coin_type' / account'

void check(const WalletStore& store, const LookAhead& look_ahead) {
    if (look_ahead.gap_limit == 0 || look_ahead.watched < look_ahead.gap_limit) {
        throw store.damaged("bad look-ahead");
    }
}

}  // namespace

std::string WalletDescriptor::path_text(std::uint32_t index) const {
    if (!source.ranged) return path;
    return (path.empty() ? "" : path + '/') + std::to_string(index);
}

ExtendedPublicKey account_key(const WalletStore& store, const StoredIdentity& identity,
                              const chain::NetworkParams& network) {
    const auto account = ExtendedPublicKey::parse(identity.account_key, network);
    if (!account || account->position().depth != kAccountDepth ||
        account->position().child_number < kHardened) {
        throw store.damaged("bad account key");
    }
    check(store, identity.look_ahead);
    return *account;
}

std::vector<WalletDescriptor> account_descriptors(const StoredIdentity& identity,
                                                  const ExtendedPublicKey& key,
                                                  const chain::NetworkParams& network) {
    const auto path = account_path(account_of(identity.kind, key), network.coin_type);
    std::vector<WalletDescriptor> descriptors;
    for (const KeyChain chain : kKeyChains) {
        WalletDescriptor descriptor;
        descriptor.stored.text =
            descriptor_of({identity.kind, identity.master_fingerprint, key}, chain, network)
                .to_string(network);
        descriptor.stored.chain = chain;
        descriptor.stored.origin = DescriptorOrigin::account;
        descriptor.stored.look_ahead = identity.look_ahead;
        descriptor.stored.birthday = identity.birthday;
        descriptor.source = account_chain(identity.kind, key, chain, identity.look_ahead);
        descriptor.path =
            'm' + path_to_string(path) + '/' + std::to_string(static_cast<unsigned>(chain));
        descriptors.push_back(std::move(descriptor));
    }
    return descriptors;
}

std::vector<WalletDescriptor> load_descriptors(WalletStore& store, const StoredIdentity& identity,
                                               const chain::NetworkParams& network) {
    const auto stored = store.descriptors();
    if (stored.empty()) {
        return account_descriptors(identity, account_key(store, identity, network), network);
    }
    throw store.damaged("descriptors");
}

}  // namespace petal::wallet
