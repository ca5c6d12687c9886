#include <gtest/gtest.h>

#include <array>
#include <sstream>

#include "cli/options/option_values.h"
#include "cli/sync/text/broadcast_text.h"
#include "regtest/serve/embedded_node.h"
#include "tests/cli/scene.h"
#include "tests/support/signing.h"
#include "tests/support/unsigned_spend.h"
#include "wallet/keys/extended_key.h"
#include "wallet/keys/key_path.h"
#include "wallet/keys/mnemonic.h"

namespace petal::cli {
namespace {

using test::Outcome;
using test::Scene;

constexpr chain::Satoshis kValue = 100'000;
constexpr chain::Satoshis kFee = 1'000;

/// The key of the first receive address of kMnemonic's wallet.
chain::Bytes first_key() {
    const auto seed = wallet::Mnemonic::parse(test::kMnemonic)->seed("");
    const auto account = wallet::ExtendedPrivateKey::from_seed(seed->view())
                             ->derive_path(wallet::account_path({}, 1));
    const auto key = account->derive_path(std::array{0U, 0U});
    const chain::ByteView bytes = key->key().view();
    return {bytes.begin(), bytes.end()};
}

/// A node with a coin and a transaction that spends the coin. If there is a wallet, the coin is the
/// wallet's.
class BroadcastCommand : public testing::Test {
protected:
    BroadcastCommand() { pay_to(test::private_key()); }

    /// Adds a block to the node's chain that pays this key.
    void pay_to(const chain::Bytes& private_key) {
        const chain::Bytes script = test::p2wpkh_script_of(private_key);
        transaction = node.with_chain([&](regtest::RegtestChain& chain) {
            chain.mine_block({chain.make_payment({{kValue, script}})});
            const chain::Txid coin = chain.block_at(chain.height()).txids.at(1);
            auto spend =
                test::make_spend(chain, std::array{chain::Outpoint{coin, 0}},
                                 {{kValue - kFee, test::p2wpkh_script_of(test::private_key(2))}});
            test::sign_input(spend, 0, private_key, {kValue, script});
            return spend;
        });
    }
    void make_wallet() {
        const Outcome made =
            scene.run({"restore", "--mnemonic-file", scene.write("words.txt", test::kMnemonic)});
        ASSERT_EQ(made.status, ExitStatus::done) << made.err;
        pay_to(first_key());
        sync();
    }
    /// Signs as the wallet would.
    static void sign(chain::Transaction& spend) {
        test::sign_input(spend, 0, first_key(), {kValue, test::p2wpkh_script_of(first_key())});
    }
    void sync() {
        const Outcome outcome = scene.run({"sync", "--connect", to_string(node.endpoint())});
        ASSERT_EQ(outcome.status, ExitStatus::done) << outcome.err;
    }

    std::string hex() const { return chain::to_hex(transaction.serialize()); }
    std::string txid() const { return transaction.txid().to_hex(); }
    /// The same node by another address, so that it counts as another node.
    std::string as_another() const { return "127.1.0.1:" + std::to_string(node.port()); }

    Outcome broadcast(const std::vector<std::string>& more = {}) const {
        return scene.run(arguments(more));
    }
    std::vector<std::string> arguments(const std::vector<std::string>& more) const {
        std::vector<std::string> all{"broadcast", hex(), "--connect", to_string(node.endpoint())};
        all.insert(all.end(), more.begin(), more.end());
        return all;
    }
    void make_dear() {
        regtest::NodeBehaviour dear;
        dear.mempool.least_fee_rate = 100'000;
        node.set_behaviour(dear);
    }
    std::size_t mempool_size() {
        return node.with_chain(
            [](regtest::RegtestChain& chain) { return chain.mempool().transactions().size(); });
    }

    static regtest::ServerOptions at_every_address() {
        regtest::ServerOptions options;
        options.host = "0.0.0.0";
        return options;
    }

    Scene scene;
    regtest::EmbeddedNode node{at_every_address()};
    chain::Transaction transaction;
};

TEST_F(BroadcastCommand, ReportsWithTheContractsKeys) {
    const Outcome outcome = broadcast({"--connect", as_another(), "--json"});
    ASSERT_EQ(outcome.status, ExitStatus::done) << outcome.err;
    const Json json = outcome.json();
    EXPECT_EQ(json.at("network"), "regtest");
    EXPECT_EQ(json.at("txid"), txid());
    EXPECT_EQ(json.at("outcome"), "relayed");
    EXPECT_EQ(json.at("vsize"), transaction.virtual_size());
    EXPECT_TRUE(json.at("fee_sat").is_null()) << "without a wallet, the spent amount is unknown";
    EXPECT_TRUE(json.at("fee_rate_sat_vb").is_null());
    EXPECT_EQ(json.at("announced_to"), 1);
    EXPECT_EQ(json.at("fetched_by"), 1);
    EXPECT_EQ(json.at("seen_from"), 1);
    EXPECT_EQ(json.at("in_wallet"), false);
    EXPECT_TRUE(json.at("seconds").is_number());
    ASSERT_EQ(json.at("peers").size(), 2U);
    std::size_t told = 0;
    for (const Json& peer : json.at("peers")) {
        EXPECT_EQ(peer.at("user_agent"), "/petal-regtest:0.1.0/");
        EXPECT_EQ(peer.at("takes_transactions"), true);
        EXPECT_EQ(peer.at("least_fee_rate_sat_vb"), 0.1);
        EXPECT_TRUE(peer.at("refusal").is_null());
        EXPECT_NE(peer.at("announced"), peer.at("announced_it_back")) << peer;
        EXPECT_EQ(peer.at("announced"), peer.at("fetched"));
        if (peer.at("announced") == true) ++told;
    }
    EXPECT_EQ(told, 1U);
    EXPECT_EQ(mempool_size(), 1U);
    EXPECT_FALSE(std::filesystem::exists(scene.path("regtest/wallets"))) << "no wallet is needed";
}

TEST_F(BroadcastCommand, SaysTheSameInWords) {
    const Outcome outcome = broadcast({"--connect", as_another(), "--explain"});
    ASSERT_EQ(outcome.status, ExitStatus::done) << outcome.err;
    EXPECT_NE(outcome.out.find(txid() + " is spreading"), std::string::npos) << outcome.out;
    EXPECT_NE(outcome.out.find("announced to    1 peer"), std::string::npos) << outcome.out;
    EXPECT_NE(outcome.out.find("seen from       1 network"), std::string::npos) << outcome.out;
    EXPECT_NE(outcome.out.find("got the announcement, requested it"), std::string::npos)
        << outcome.out;
    EXPECT_EQ(outcome.out.find("No other peer"), std::string::npos) << outcome.out;
}

TEST_F(BroadcastCommand, IsShortAndExplainsOnce) {
    make_wallet();
    const Outcome first = scene.run_on_terminal(arguments({"--connect", as_another()}));
    ASSERT_EQ(first.status, ExitStatus::done) << first.err;
    EXPECT_LE(std::ranges::count(first.out, '\n'), 8) << first.out;
    const std::string explanation = "sync --follow`";
    EXPECT_NE(first.out.find(explanation), std::string::npos) << first.out;
    EXPECT_EQ(broadcast({"--connect", as_another()}).out.find(explanation), std::string::npos);
    EXPECT_NE(broadcast({"--connect", as_another(), "--explain"}).out.find(explanation),
              std::string::npos);
}

TEST(BroadcastText, SaysIfNoOtherPeerCouldAnnounceIt) {
    BroadcastSummary summary;
    summary.result.report.outcome = net::BroadcastOutcome::accepted;
    net::BroadcastPeer& peer = summary.result.report.peers.emplace_back();
    peer.state = net::RelayState::announced;
    std::istringstream in;
    std::ostringstream out;
    const Console console(in, out, out, {}, /*no_colour=*/true);
    const auto text = [&] {
        Explanations explanations({}, /*shows_all=*/false);
        return broadcast_text(summary, {}, explanations, GlobalOptions{}, console);
    };
    const std::string note = "No other peer was there to announce it back.";
    peer.identity.address = "192.0.2.1:8333";
    EXPECT_NE(text().find(note), std::string::npos) << text();
    peer.identity.address = "127.0.0.1:18444";
    EXPECT_EQ(text().find(note), std::string::npos) << text();
}

TEST(BroadcastText, HasAShortLineOfProgress) {
    net::BroadcastReport report;
    EXPECT_EQ(broadcast_progress(report), "connecting");
    report.announced_to = 8;
    EXPECT_EQ(broadcast_progress(report), "announced to 8 peers, requested by none; waiting");
    report.fetched_by = 8;
    report.accepted_by = 8;
    EXPECT_EQ(broadcast_progress(report), "announced to 8 peers, requested by 8, accepted by 8");
    report.seen_from = 12;
    EXPECT_EQ(broadcast_progress(report),
              "announced to 8 peers, requested by 8, seen from 12 networks");
}

TEST_F(BroadcastCommand, AcceptsTheAnswerOfALonePeer) {
    const Outcome outcome = broadcast();
    ASSERT_EQ(outcome.status, ExitStatus::done) << outcome.err;
    EXPECT_NE(outcome.out.find(txid() + " was accepted by 1 peer."), std::string::npos)
        << outcome.out;
    EXPECT_EQ(broadcast({"--json"}).json().at("outcome"), "known")
        << "the second broadcast finds it";
}

TEST_F(BroadcastCommand, ReadsFilesAndStandardInput) {
    const std::string peer = to_string(node.endpoint());
    const Outcome piped = scene.run({"broadcast", "-", "--connect", peer, "--json"}, hex() + "\n");
    ASSERT_EQ(piped.status, ExitStatus::done) << piped.err;
    EXPECT_EQ(piped.json().at("txid"), txid());
    const std::string file = scene.write("signed.hex", hex());
    const Outcome filed = scene.run({"broadcast", file, "--connect", peer, "--json"});
    ASSERT_EQ(filed.status, ExitStatus::done) << filed.err;
    EXPECT_EQ(filed.json().at("txid"), txid());
}

TEST_F(BroadcastCommand, KnowsTheFeeOfAnOwnPaymentAndStoresThePayment) {
    make_wallet();
    const Outcome outcome = broadcast({"--json"});
    ASSERT_EQ(outcome.status, ExitStatus::done) << outcome.err;
    EXPECT_EQ(outcome.json().at("fee_sat"), kFee);
    EXPECT_NEAR(outcome.json().at("fee_rate_sat_vb").get<double>(),
                static_cast<double>(kFee) / static_cast<double>(transaction.virtual_size()), 1e-9);
    EXPECT_EQ(outcome.json().at("in_wallet"), true);
    const Json entry = scene.run({"history", "--json"}).json().at("transactions").at(0);
    EXPECT_EQ(entry.at("txid"), txid());
    EXPECT_EQ(entry.at("sent_sat"), kValue);
    EXPECT_TRUE(entry.at("height").is_null());
}

TEST_F(BroadcastCommand, AnnouncesTheWalletsPaymentThatItSpendsFrom) {
    make_wallet();
    ASSERT_EQ(broadcast().status, ExitStatus::done);
    const chain::Transaction parent = transaction;
    node.with_chain([&](regtest::RegtestChain& chain) { chain.drop(parent.txid()); });
    chain::Transaction child = parent;
    child.inputs[0].prevout = {parent.txid(), 0};
    child.outputs[0].value -= kFee;
    test::sign_input(child, 0, test::private_key(2), parent.outputs[0]);
    transaction = child;

    const Outcome outcome = broadcast({"--json"});
    ASSERT_EQ(outcome.status, ExitStatus::done) << outcome.err;
    EXPECT_EQ(outcome.json().at("txid"), child.txid().to_hex());
    EXPECT_EQ(outcome.json().at("fetched_by"), 1);
    EXPECT_EQ(mempool_size(), 2U);
}

TEST_F(BroadcastCommand, AnnouncesNothingThatPaysTooLittle) {
    make_wallet();
    make_dear();
    const Outcome outcome = broadcast({"--json"});
    EXPECT_EQ(outcome.status, ExitStatus::failed);
    EXPECT_EQ(outcome.code(), "low-fee");
    EXPECT_NE(outcome.err.find("it pays 1,000 sat"), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.err.find("at least 100.00 sat/vB"), std::string::npos) << outcome.err;
    EXPECT_EQ(mempool_size(), 0U);
    EXPECT_EQ(scene.run({"history", "--json"}).json().at("transactions").size(), 1U)
        << "a transaction that no peer accepted is not kept";
}

TEST_F(BroadcastCommand, KeepsAServedTransactionAfterTheTimeout) {
    make_wallet();
    // The node has this transaction and so refuses the other.
    chain::Transaction rival = transaction;
    --rival.outputs[0].value;
    sign(rival);
    node.with_chain([&](regtest::RegtestChain& chain) { chain.submit(rival); });
    const Outcome outcome = broadcast({"--json", "--timeout", "1.5"});
    EXPECT_EQ(outcome.code(), "timed-out");
    EXPECT_NE(outcome.err.find("one that has kept it may need longer to show that; it is in the "
                               "wallet, as it may spread yet"),
              std::string::npos)
        << outcome.err;
    EXPECT_EQ(scene.run({"history", "--json"}).json().at("transactions").at(0).at("txid"), txid());
}

TEST_F(BroadcastCommand, KeepsNoPaymentToTheWalletThatNoPeerAccepted) {
    make_wallet();
    transaction.inputs[0].prevout.txid.bytes[0] ^= 1;  // this coin does not exist
    transaction.outputs[0].script_pubkey = test::p2wpkh_script_of(first_key());
    const Outcome outcome = broadcast({"--json", "--timeout", "1.5"});
    EXPECT_EQ(outcome.status, ExitStatus::no_peer);
    EXPECT_EQ(outcome.code(), "timed-out");
    EXPECT_NE(outcome.err.find("1 of which asked for it"), std::string::npos) << outcome.err;
    EXPECT_EQ(outcome.err.find("it is in the wallet"), std::string::npos) << outcome.err;
    EXPECT_EQ(scene.run({"history", "--json"}).json().at("transactions").size(), 1U);
    EXPECT_EQ(scene.run({"balance", "--json"}).json().at("pending_sat"), 0);
}

TEST_F(BroadcastCommand, NeedsAPeerThatTakesTransactions) {
    regtest::NodeBehaviour deaf;
    deaf.takes_transactions = false;
    node.set_behaviour(deaf);
    const Outcome outcome = broadcast({"--json"});
    EXPECT_EQ(outcome.status, ExitStatus::no_peer);
    EXPECT_EQ(outcome.code(), "no-relay");
    node.stop_listening();
    const Outcome unreached = broadcast({"--json"});
    EXPECT_EQ(unreached.status, ExitStatus::no_peer);
    EXPECT_EQ(unreached.code(), "no-usable-peer");
    EXPECT_NE(unreached.err.find(to_string(node.endpoint()) + " can't be reached"),
              std::string::npos)
        << unreached.err;
}

TEST_F(BroadcastCommand, HasNothingToDoForAConfirmedTransaction) {
    make_wallet();
    node.with_chain([&](regtest::RegtestChain& chain) { chain.mine_block({transaction}); });
    sync();
    const Outcome outcome = broadcast({"--json"});
    EXPECT_EQ(outcome.status, ExitStatus::done) << "it is already confirmed";
    EXPECT_EQ(outcome.json().at("outcome"), "confirmed");
    EXPECT_GT(outcome.json().at("height"), 0);
    EXPECT_EQ(outcome.json().at("fee_sat"), kFee);
    EXPECT_NE(broadcast({}).out.find("already: nothing is left to announce"), std::string::npos);
}

TEST_F(BroadcastCommand, RefusesWhatCreatesMoney) {
    make_wallet();
    transaction.outputs[0].value = kValue + 1;
    sign(transaction);
    const Outcome outcome = broadcast({"--json"});
    EXPECT_EQ(outcome.status, ExitStatus::failed);
    EXPECT_EQ(outcome.code(), "bad-transaction");
    EXPECT_NE(outcome.err.find("worth more than what it spends"), std::string::npos);
    transaction.outputs[0].value = kValue;
    sign(transaction);
    EXPECT_EQ(broadcast({"--json"}).code(), "low-fee") << "but it may pay no fee";
}

TEST_F(BroadcastCommand, RefusesInvalidSignaturesForTheWalletsCoins) {
    make_wallet();
    transaction.inputs[0].witness = {chain::Bytes(72, 1), chain::Bytes(33, 2)};
    const Outcome outcome = broadcast({"--json"});
    EXPECT_EQ(outcome.code(), "bad-transaction");
    EXPECT_NE(outcome.err.find("input 0 spends a coin of the wallet"), std::string::npos)
        << outcome.err;
    EXPECT_EQ(mempool_size(), 0U);
}

TEST_F(BroadcastCommand, AnnouncesToAPeerThatNeverGotTheWalletsFilter) {
    make_wallet();
    const std::string synced_with = to_string(node.endpoint());
    for (const auto& order :
         {std::array{synced_with, as_another()}, std::array{as_another(), synced_with}}) {
        const Outcome outcome =
            scene.run({"broadcast", hex(), "--connect", order[0], "--connect", order[1], "--json"});
        ASSERT_EQ(outcome.status, ExitStatus::done) << outcome.err;
        const Json json = outcome.json();
        EXPECT_EQ(json.at("announced_to_filter_peers"), 0);
        for (const Json& peer : json.at("peers")) {
            EXPECT_EQ(peer.at("has_filter"), peer.at("address") == synced_with);
            EXPECT_EQ(peer.at("announced"), peer.at("address") == as_another());
        }
    }
}

TEST_F(BroadcastCommand, AnnouncesToAPeerThatNeverGotAnyWalletsFilter) {
    make_wallet();
    ASSERT_EQ(scene.run({"rename", "other", "--yes"}).status, ExitStatus::done);
    const Json json = broadcast({"--connect", as_another(), "--json"}).json();
    EXPECT_EQ(json.at("announced_to"), 1);
    EXPECT_EQ(json.at("announced_to_filter_peers"), 0);
}

TEST_F(BroadcastCommand, SaysThatThePeerHasTheWalletsFilter) {
    make_wallet();
    const Outcome outcome = broadcast({"--explain"});
    EXPECT_NE(outcome.out.find("has it; has got the wallet's filter"), std::string::npos)
        << outcome.out;
    EXPECT_EQ(broadcast({"--json"}).json().at("announced_to_filter_peers"), 1);
}

// A node of this machine is the user's own.
TEST_F(BroadcastCommand, WarnsOfAPeerWithTheFilterUnlessItIsOfThisMachine) {
    std::istringstream in;
    std::ostringstream out;
    const Console console(in, out, out, {}, /*no_colour=*/true);
    for (const auto& [address, is_warned] :
         {std::pair("127.0.0.1:18444", false), std::pair("[::1]:18444", false),
          std::pair("203.0.113.5:8333", true)}) {
        net::BroadcastPeer told;
        told.identity.address = address;
        told.state = net::RelayState::accepted;
        told.fetched = told.has_filter = true;
        BroadcastSummary summary;
        summary.result.report = net::make_report({told});
        Explanations explanations({}, /*shows_all=*/false);
        const std::string text = broadcast_text(summary, "", explanations, {}, console);
        EXPECT_EQ(text.find("No peer without the wallet's filter took it") != std::string::npos,
                  is_warned)
            << text;
    }
}

TEST_F(BroadcastCommand, NamesPeersWithAFilterThatWereNotTold) {
    BroadcastSummary summary;
    net::BroadcastPeer other;
    other.state = net::RelayState::fetched;
    other.fetched = true;
    net::BroadcastPeer holder;
    holder.state = net::RelayState::observing;
    holder.has_filter = true;
    summary.result.report = net::make_report({other, holder});
    const std::string reason = broadcast_error(summary, {}).what();
    EXPECT_NE(reason.find("1 peer with the wallet's filter only watched"), std::string::npos)
        << reason;
    EXPECT_EQ(broadcast_json(summary)["untold_filter_peers"], 1);
}

TEST_F(BroadcastCommand, ReportsAMissingWalletOnlyIfNamed) {
    const Outcome outcome = broadcast({"--wallet", "other", "--json"});
    EXPECT_EQ(outcome.status, ExitStatus::wallet);
    EXPECT_EQ(outcome.code(), "wallet-missing");
    EXPECT_EQ(mempool_size(), 0U);
}

TEST_F(BroadcastCommand, WorksWithoutAReadableWallet) {
    ASSERT_EQ(scene.run({"create"}).status, ExitStatus::done);
    scene.write("regtest/wallets/default.db", std::string(8'192, 'x'));
    const Outcome outcome = broadcast({"--json"});
    ASSERT_EQ(outcome.status, ExitStatus::done) << outcome.err;
    EXPECT_EQ(outcome.json().at("outcome"), "accepted");
    EXPECT_EQ(outcome.json().at("in_wallet"), false);
    EXPECT_NE(outcome.err.find("warning: the fee is not known, as the wallet can't be read: "),
              std::string::npos)
        << outcome.err;
    EXPECT_NE(
        outcome.err.find("warning: the transaction was announced, but is not in the wallet: "),
        std::string::npos)
        << outcome.err;
}

TEST_F(BroadcastCommand, ReadsAWalletThatIsNamed) {
    ASSERT_EQ(scene.run({"--wallet", "other", "create"}).status, ExitStatus::done);
    scene.write("regtest/wallets/other.db", std::string(8'192, 'x'));
    const Outcome outcome = broadcast({"--wallet", "other", "--json"});
    EXPECT_EQ(outcome.status, ExitStatus::damaged);
    EXPECT_EQ(mempool_size(), 0U);
}

TEST_F(BroadcastCommand, IsUsedWithOneTransaction) {
    for (const std::vector<std::string>& arguments :
         {std::vector<std::string>{"broadcast", "--json"},
          {"broadcast", "00", "00", "--json"},
          {"broadcast", "00", "--timeout", "0", "--json"},
          {"broadcast", "00", "--follow", "--json"}}) {
        const Outcome outcome = scene.run(arguments);
        EXPECT_EQ(outcome.status, ExitStatus::usage);
        EXPECT_EQ(outcome.code(), "usage");
    }
    EXPECT_EQ(scene.run({"broadcast", "00", "--json"}).code(), "bad-transaction");
}

}  // namespace
}  // namespace petal::cli
