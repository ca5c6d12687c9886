/// A data folder with wallets, for tests.
#pragma once

#include <memory>
#include <string>

#include "client/data/data_folder.h"
#include "tests/support/mnemonic.h"
#include "tests/support/temporary_folder.h"
#include "wallet/wallet.h"

namespace petal::test {

/// A folder of data on regtest.
class WalletFolder {
public:
    const client::DataFolder& data() const { return data_; }

    /// Creates a wallet of the same words each time, in the given account.
    void create(const std::string& name, std::uint32_t account = 0) const {
        wallet::NewWallet recipe;
        recipe.mnemonic = kMnemonic;
        recipe.account.number = account;
        recipe.scrypt_cost = {};
        wallet::Wallet::create(data_.wallet_file(name), data_.network(), recipe);
    }
    wallet::Wallet open(const std::string& name, wallet::Access access) const {
        return data_.open_wallet(name, access);
    }

private:
    TemporaryFolder folder_;
    client::DataFolder data_{folder_.path(), std::make_shared<const chain::NetworkParams>(
                                                 *chain::find_network("regtest"))};
};

}  // namespace petal::test
