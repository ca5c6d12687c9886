#include "wallet/private_keys.h"

#include "wallet/wallet_keys.h"

namespace petal::wallet {

PrivateKey PrivateKeys::key(KeyPath path) {
    const WalletDescriptor& descriptor = current_.descriptor(path.descriptor);
    const Account account{*descriptor.kind, *descriptor.account};
    auto signer = signers_.find({account.kind, account.number});
    if (signer == signers_.end()) {
        const auto account_key = derive_private_account(seed_, account, network_);
        signer = signers_.try_emplace({account.kind, account.number}, account_key).first;
    }
    return signer->second.key(current_.chain_of(path.descriptor), path.index);
}

}  // namespace petal::wallet
