/// Names the file of a wallet.
#include <petal/client/data/data_folder.h>
#include <petal/client/sync/peer_source.h>

#include <cstdio>
#include <memory>

int main() {
    using namespace petal;
    const client::DataFolder data(
        "/missing", std::make_shared<const chain::NetworkParams>(*chain::find_network("regtest")));
    client::ConnectionOptions options;
    options.connect = {{"127.0.0.1", 18'444}};
    const client::PeerSource peers(options, data, /*services=*/0, {});
    std::printf("%s %zu\n", data.wallet_file("some").c_str(), peers.expected());
}
