// Syncs a watch-only wallet over BIP37 and prints its events, until it is interrupted.
//
//     watch_wallet NETWORK FILE HOST[:PORT] DESCRIPTOR...
//     watch_wallet regtest cold.db 127.0.0.1 "wpkh(tpub…/<0;1>/*)"
//
// FILE is the wallet's; it is created if it does not exist, and continued otherwise, with the same
// descriptors. The node at HOST must serve Bloom filters.
#include <algorithm>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <iostream>
#include <map>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <petal/chain/headers/header_chain.h>
#include <petal/chain/network_params.h>
#include <petal/net/io/dial/endpoint.h>
#include <petal/net/io/dial/system_random.h>
#include <petal/net/io/spv_client.h>
#include <petal/net/sync/sync_engine.h>
#include <petal/wallet/descriptors/new_descriptors.h>
#include <petal/wallet/wallet.h>

namespace {

using namespace petal;

wallet::Wallet open_or_watch(const std::filesystem::path& file, const chain::NetworkParams& network,
                             std::span<const std::string> texts) {
    auto read = wallet::parse_new_descriptors(texts, network);
    if (!read) throw std::runtime_error(texts[read.error().given] + ": " + read.error().reason);
    if (std::filesystem::exists(file)) {
        auto wallet = wallet::Wallet::open(file, network, wallet::Access::sync);
        const std::vector<std::string> known = wallet.info().descriptors;
        if (!std::ranges::equal(known, read->descriptors, {}, {}, &wallet::NewDescriptor::text)) {
            throw std::runtime_error(file.string() + " is a wallet of other descriptors");
        }
        return wallet;
    }
    wallet::NewWatchOnlyWallet watched;
    watched.descriptors = std::move(read->descriptors);
    return wallet::Wallet::watch(file, network, watched);
}

/// Prints each transaction of the wallet when it is new, and when a block confirms it or a
/// reorganisation drops that block.
class EventPrinter {
public:
    explicit EventPrinter(const wallet::Wallet& wallet) : wallet_(wallet) {}

    void update(const net::SyncStatus& status) {
        for (const wallet::HistoryEntry& entry : wallet_.history(/*limit=*/0)) {
            const auto [told, is_new] = told_.try_emplace(entry.txid, entry.height);
            if (!is_new && std::exchange(told->second, entry.height) == entry.height) continue;
            std::cout << entry.txid.to_hex() << ' ' << entry.net << " sat, "
                      << (entry.height ? "block " + std::to_string(*entry.height) : "unconfirmed")
                      << std::endl;
        }
        if (status.phase != net::SyncPhase::listening) return;
        if (std::exchange(synced_, status.synced_height) == status.synced_height) return;
        std::cout << "synced to block " << *synced_ << ", balance " << wallet_.balance().total()
                  << " sat" << std::endl;
    }

private:
    const wallet::Wallet& wallet_;
    std::map<chain::Txid, std::optional<std::uint32_t>> told_;
    std::optional<std::uint32_t> synced_;
};

void follow(const chain::NetworkParams& network, wallet::Wallet& wallet, net::Endpoint node) {
    chain::HeaderChain headers(network);  // HeaderFile would keep it on the disk
    EventPrinter events(wallet);

    net::SyncOptions sync;
    sync.wait_unconfirmed = net::SyncOptions::kForever;
    sync.random_seed = net::random_seed();
    net::SyncEngine engine(headers, wallet, sync);

    net::SpvOptions options;
    options.endpoints = {std::move(node)};
    options.persistent = true;
    options.stop_on_signals = true;
    options.events.on_progress = [&](const net::SyncStatus& status, const net::Traffic&) {
        events.update(status);
    };
    options.events.on_failure = [](const net::SpvResult& result) {
        const net::EndpointReport& peer = result.endpoints.front();
        if (peer.last_failure) std::cerr << "the node " << describe(*peer.last_failure) << '\n';
    };
    net::SpvClient(engine, network, options).run();
}

}  // namespace

int main(int argc, char** argv) try {
    net::salt_tables();
    const chain::NetworkParams* const network = argc > 4 ? chain::find_network(argv[1]) : nullptr;
    if (network == nullptr) {
        std::cerr << "usage: watch_wallet NETWORK FILE HOST[:PORT] DESCRIPTOR...\n";
        return 2;
    }
    const auto node = net::parse_endpoint(argv[3], network->default_port);
    if (!node) throw std::runtime_error(argv[3] + (": " + std::string(describe(node.error()))));
    const std::vector<std::string> descriptors(argv + 4, argv + argc);
    wallet::Wallet wallet = open_or_watch(argv[2], *network, descriptors);
    follow(*network, wallet, *node);
} catch (const std::exception& error) {
    std::cerr << "watch_wallet: " << error.what() << '\n';
    return 1;
}
