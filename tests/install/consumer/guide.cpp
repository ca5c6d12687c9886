/// Runs each block of C++ in docs/api.md as the body of a function. install_test.py writes the
/// blocks to snippets/, a file each.
#include <petal/bloom/bloom_filter.h>
#include <petal/bloom/measures/inspection.h>
#include <petal/bloom/measures/verdict.h>
#include <petal/bloom/sizing.h>
#include <petal/chain/byte_reader.h>
#include <petal/chain/headers/header_chain.h>
#include <petal/chain/headers/header_file.h>
#include <petal/chain/merkle_proof.h>
#include <petal/chain/network_params.h>
#include <petal/client/data/data_folder.h>
#include <petal/client/spending/announcement.h>
#include <petal/client/spending/payment_plan.h>
#include <petal/client/sync/single_sync.h>
#include <petal/net/io/broadcast_client.h>
#include <petal/net/io/clocks.h>
#include <petal/net/io/dial/system_random.h>
#include <petal/net/io/spv_client.h>
#include <petal/net/sync/sync_engine.h>
#include <petal/regtest/serve/embedded_node.h>
#include <petal/wallet/descriptors/address.h>
#include <petal/wallet/keys/mnemonic.h>
#include <petal/wallet/spending/payment.h>
#include <petal/wallet/wallet.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace petal;

void expect(bool holds, const std::string& what) {
    if (!holds) throw std::runtime_error("expected: " + what);
}

chain::Bytes joined(chain::ByteView start, chain::ByteView more) {
    chain::Bytes bytes(start.begin(), start.end());
    bytes.insert(bytes.end(), more.begin(), more.end());
    return bytes;
}

std::string_view flaw_of_proof(chain::ByteView bytes) {
#include "snippets/chain_1.inc"
    return matches ? "" : describe(matches.error());
}

void check_proofs() {
    const chain::BlockHeader& header = chain::find_network("regtest")->genesis;
    const std::vector<chain::Txid> txids{chain::Txid::from_view(header.merkle_root.view())};
    const chain::Bytes tree = chain::make_merkle_proof(txids, {true}).serialize();
    const chain::Bytes proof = joined(header.serialize(), tree);
    expect(flaw_of_proof(proof).empty(), "the proof is valid");
    expect(!flaw_of_proof({proof.data(), proof.size() - 1}).empty(), "a part of it is refused");
}

void follow_headers() {
    const std::int64_t now = 1'700'000'000;
    const std::vector<chain::BlockHeader> headers{chain::find_network("signet")->genesis};
    const auto undo_to = [](const chain::BlockRef&) { expect(false, "no reorganisation"); };
#include "snippets/chain_2.inc"
    expect(result.accepted == 1, "the known header is accepted");
}

void fill_filter() {
    const std::uint32_t tweak = 5;
    const auto look_closer = [] { expect(false, "this pair does not collide with this tweak"); };
#include "snippets/bloom_1.inc"
    expect(filter.contains(chain::as_bytes("a line")), "the line is found");
}

std::string_view judge_filter(chain::ByteView payload) {
#include "snippets/bloom_2.inc"
    return "";
}

void judge_filters() {
    bloom::BloomFilter filter(bloom::filter_size(10, 0.001), 1, bloom::UpdateMode::all);
    filter.insert(chain::as_bytes("an element"));
    expect(judge_filter(filter.encode()).empty(), "a filter has a verdict");
    expect(!judge_filter({}).empty(), "an empty message is refused");
}

void sync(wallet::Wallet& wallet, const chain::NetworkParams& network, const net::Endpoint& node) {
#include "snippets/net_1.inc"
    expect(result.outcome == net::SyncOutcome::synced, "the wallet is synced");
}

wallet::Wallet make_wallet(const chain::NetworkParams& network) {
    wallet::NewWallet made;
    made.mnemonic = wallet::Mnemonic::generate(wallet::MnemonicSize::words_12).words();
    return wallet::Wallet::create("guide.wallet", network, made);
}

chain::Transaction payment_of(wallet::Wallet& wallet) {
    wallet::SpendableCoins coins = wallet.spendable_coins();
    wallet::PaymentRequest request;
    request.recipients = {{wallet.script_at({}), 20'000}};
    request.change = wallet.change_for(request.recipients);
    wallet::Payment payment = wallet::build_payment(request, coins.coins, net::random_seed).value();
    wallet.sign(payment.transaction, payment.coins, wallet.secret(""), {});
    return payment.transaction;
}

void spend_and_broadcast(wallet::Wallet& wallet, const chain::NetworkParams& network,
                         const regtest::EmbeddedNode& served) {
    const net::Endpoint node = served.endpoint();
    const chain::Transaction transaction = payment_of(wallet);
    const std::int64_t now = 1'700'000'000;
#include "snippets/net_2.inc"
    expect(wallet.history(0).size() == 2, "the wallet shows its payment");
}

void pay_and_sync() {
    const chain::NetworkParams& network = *chain::find_network("regtest");
    wallet::Wallet wallet = make_wallet(network);
    const std::string address = wallet.receive_address(false).address;
    const chain::Bytes script_pubkey = wallet::parse_address(address, network).value();
    const auto sync_from = [&](const net::Endpoint& node) { sync(wallet, network, node); };
#include "snippets/regtest_1.inc"
    const auto history = wallet.history(0);
    expect(history.size() == 1 && history.front().txid == txid, "the payment is found");
    spend_and_broadcast(wallet, network, node);
}

void sync_savings(const client::DataFolder& data, const net::Endpoint& node,
                  std::uint32_t height) {
    std::uint32_t shown = 0;
    const auto show = [&shown](std::uint32_t height) { shown = height; };
#include "snippets/client_1.inc"
    expect(shown == height, "the progress is shown");
}

std::string_view pay_from_savings(const client::DataFolder& data, const net::Endpoint& node,
                                  const chain::Bytes& script_pubkey) {
    const std::string_view password;
    client::ConnectionOptions connection;
    connection.connect = {node};
#include "snippets/client_2.inc"
    return "";
}

void use_client() {
    const client::DataFolder data(
        "data", std::make_shared<const chain::NetworkParams>(*chain::find_network("regtest")));
    wallet::NewWallet made;
    made.mnemonic = wallet::Mnemonic::generate(wallet::MnemonicSize::words_12).words();
    chain::Bytes script_pubkey;
    {
        auto wallet = wallet::Wallet::create(data.wallet_file("savings"), data.network(), made);
        script_pubkey = wallet.script_at({});
    }
    regtest::EmbeddedNode node;
    const std::uint32_t height = node.with_chain([&](regtest::RegtestChain& chain) {
        chain.pay(script_pubkey, 70'000);
        chain.mine();
        return chain.height();
    });
    sync_savings(data, node.endpoint(), height);
    const std::string_view fault = pay_from_savings(data, node.endpoint(), script_pubkey);
    expect(fault.empty(), std::string(fault));
}

}  // namespace

int main() {
    std::string folder = (std::filesystem::temp_directory_path() / "guide-XXXXXX").string();
    if (mkdtemp(folder.data()) == nullptr) return 1;
    std::filesystem::current_path(folder);
    int status = 0;
    try {
        check_proofs();
        follow_headers();
        fill_filter();
        judge_filters();
        pay_and_sync();
        use_client();
    } catch (const std::exception& error) {
        std::cerr << error.what() << '\n';
        status = 1;
    }
    std::filesystem::remove_all(folder);
    return status;
}
