// Syncs a wallet over BIP37, pays from it, and announces the payment.
//
//     sync_and_pay NETWORK FOLDER WALLET HOST[:PORT] ADDRESS SATOSHI
//     sync_and_pay regtest ~/.local/share/petal default 127.0.0.1 bcrt1q… 50000
//
// FOLDER is a data directory of the command petal, which makes the wallet (`petal create`). The
// wallet has no password. The node at HOST must serve Bloom filters.
#include <cstdlib>
#include <exception>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include <petal/client/data/data_folder.h>
#include <petal/client/data/wallet_sync_status.h>
#include <petal/client/spending/announcement.h>
#include <petal/client/spending/fee_choice.h>
#include <petal/client/spending/payment_plan.h>
#include <petal/client/sync/single_sync.h>
#include <petal/net/io/dial/endpoint.h>
#include <petal/net/io/dial/system_random.h>
#include <petal/wallet/descriptors/address.h>

namespace {

using namespace petal;

void sync(const client::DataFolder& data, const std::string& wallet,
          const client::ConnectionOptions& connection) {
    client::WalletSyncOptions options;
    options.connection = connection;
    client::SingleSync sync(options, data, wallet);
    sync.events().on_progress = [](const net::SyncStatus& status) {
        std::cerr << "block " << status.synced_height << " of " << status.target_height << '\n';
    };
    const client::SyncReport report = sync.run();
    if (report.end != client::SyncEnd::done) throw std::runtime_error("the wallet is not synced");
    std::cout << describe(report.result.outcome) << ": " << report.balance.total() << " sat\n";
}

void pay(const client::DataFolder& data, const std::string& name,
         const client::ConnectionOptions& connection, const wallet::Recipient& recipient) {
    wallet::Wallet wallet = data.open_wallet(name, wallet::Access::change);
    const bool is_proven = client::wallet_sync_status(wallet.info(), data).minimum_work;
    const auto rate = client::choose_rate(wallet, is_proven, data);
    if (!rate) throw std::runtime_error("on mainnet, choose a fee rate");
    const client::PaymentOrder order{{recipient}, rate->rate, /*recipients_pay_fee=*/false, {}};
    auto payment = client::plan_payment(order, wallet, data).value().build();
    if (!payment) throw std::runtime_error(std::string(describe(payment.error().error)));
    client::sign_payment(*payment, payment->change_index, wallet, wallet.secret(""));
    const auto result =
        client::deliver_payment(std::move(wallet), *payment, /*keep=*/{}, connection, data, name);
    if (!result) throw std::runtime_error("another process has spent a coin");
    std::cout << payment->transaction.txid().to_hex() << ": " << describe(result->report.outcome)
              << '\n';
}

}  // namespace

int main(int argc, char** argv) try {
    net::salt_tables();
    const chain::NetworkParams* const network = argc == 7 ? chain::find_network(argv[1]) : nullptr;
    if (network == nullptr) {
        std::cerr << "usage: sync_and_pay NETWORK FOLDER WALLET HOST[:PORT] ADDRESS SATOSHI\n";
        return 2;
    }
    const client::DataFolder data(argv[2], std::make_shared<const chain::NetworkParams>(*network));
    const auto node = net::parse_endpoint(argv[4], network->default_port);
    const auto script = wallet::parse_address(argv[5], *network);
    if (!node || !script) throw std::runtime_error("the node or the address is not understood");
    client::ConnectionOptions connection;
    connection.connect = {*node};
    sync(data, argv[3], connection);
    pay(data, argv[3], connection, {*script, std::atoll(argv[6])});
} catch (const std::exception& error) {
    std::cerr << "sync_and_pay: " << error.what() << '\n';
    return 1;
}
