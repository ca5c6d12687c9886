#include "wallet/wallet_keys.h"

#include <cassert>
#include <utility>

#include "chain/byte_writer.h"
#include "chain/hash.h"

namespace petal::wallet {

namespace {

ExtendedPrivateKey master_of(const Seed& seed) {
    auto master = ExtendedPrivateKey::from_seed(seed.view());
    // A seed or a path without a key is a chance below 2^-127.
    assert(master);
    return *std::move(master);
}

ExtendedPrivateKey account_below(const ExtendedPrivateKey& master, Account account,
                                 const chain::NetworkParams& network) {
    auto key = master.derive_path(account_path(account, network.coin_type));
    assert(key);
    return *std::move(key);
}

}  // namespace

ExtendedPrivateKey derive_private_account(const Seed& seed, Account account,
                                          const chain::NetworkParams& network) {
    return account_below(master_of(seed), account, network);
}

AccountKeys derive_account(const Seed& seed, Account account, const chain::NetworkParams& network) {
    const ExtendedPrivateKey master = master_of(seed);
    return {master.fingerprint(), account_below(master, account, network).public_key()};
}

SecretOwner owner_of(const StoredIdentity& identity) {
    chain::ByteWriter writer;
    writer.var_bytes(chain::as_bytes("petal wallet 1"));
    writer.var_bytes(chain::as_bytes(identity.network));
    writer.u8(static_cast<std::uint8_t>(identity.kind));
    writer.var_bytes(chain::as_bytes(identity.account_key));
    writer.bytes(identity.master_fingerprint);
    return chain::sha256(writer.view());
}

}  // namespace petal::wallet
