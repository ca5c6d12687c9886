/// Makes a wallet from a mnemonic and a passphrase, and shows its first address.
#include <petal/chain/network_params.h>
#include <petal/wallet/wallet.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

int main() {
    using namespace petal;
    std::string folder = (std::filesystem::temp_directory_path() / "consumer-XXXXXX").string();
    if (mkdtemp(folder.data()) == nullptr) return 1;
    wallet::NewWallet made;
    made.mnemonic =
        "abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon "
        "about";
    made.passphrase = "Z\xc3\xbcrich";  // normalized (NFKD)
    {
        auto created = wallet::Wallet::create(std::filesystem::path(folder) / "wallet.db",
                                              *chain::find_network("regtest"), made);
        std::printf("%s\n", created.receive_address(false).address.c_str());
    }
    std::filesystem::remove_all(folder);
}
