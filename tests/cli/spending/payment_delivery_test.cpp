// How a payment is delivered: its lock time, when it is kept, and which transactions are announced
// with it.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <future>
#include <thread>

#include "cli/options/data_folder.h"
#include "cli/payment/fee_rate_choice.h"
#include "net/io/clocks.h"
#include "tests/cli/spending/send_scene.h"
#include "wallet/wallet.h"

namespace petal::cli {
namespace {

using test::kPayee;
using test::Outcome;

class PaymentDelivery : public test::SendScene {};

// On mainnet, the fee rate that a peer demands must not raise the fee.
TEST_F(PaymentDelivery, IgnoresFeeRatesOfPeersOnMainnet) {
    for (const std::string network : {"regtest", "mainnet"}) {
        const GlobalOptions global = global_options(network);
        const auto file = data_of(global).fee_floor_file();
        std::filesystem::create_directories(file.parent_path());
        std::ofstream(file) << "{\"time\":" << net::unix_time_now() << ",\"sat_per_kvb\":9000}";
        wallet::ReplacedPayment replaced;
        replaced.package_rate = wallet::FeeRate{1'000};
        const auto chosen = client::replacement_rate(replaced, data_of(global));
        EXPECT_EQ(chosen.rate.sat_per_kvb(), network == "mainnet" ? 2'000 : 9'000);
    }
}

// Nothing listens on port 1, so this is like a process that is killed before it announces the
// payment.
TEST_F(PaymentDelivery, KnowsAPaymentThatNoPeerHasSeen) {
    make_wallet();
    const Outcome outcome = scene.run(
        {"send", kPayee, "0.025", "--yes", "--json", "--connect", "127.0.0.1:1", "--timeout", "1"});
    EXPECT_EQ(outcome.status, ExitStatus::no_peer);
    EXPECT_NE(outcome.err.find("the payment is in the wallet"), std::string::npos) << outcome.err;
    EXPECT_EQ(history_size(), 4U);
    EXPECT_EQ(send({kPayee, "0.025", "--yes"}).code(), "insufficient-funds")
        << "the payment's coins are not spent twice";
    const auto txid = scene.run({"history", "--json"})
                          .json()
                          .at("transactions")
                          .at(0)
                          .at("txid")
                          .get<std::string>();
    ASSERT_EQ(scene.run({"abandon", txid}).status, ExitStatus::done);
    EXPECT_EQ(send({kPayee, "0.025", "--yes"}).status, ExitStatus::done);
}

// Nodes do not accept a child whose parent they do not have.
TEST_F(PaymentDelivery, AnnouncesThePaymentsWhoseChangeItSpends) {
    make_wallet();
    const Outcome unseen = scene.run(
        {"send", kPayee, "0.025", "--yes", "--json", "--connect", "127.0.0.1:1", "--timeout", "1"});
    ASSERT_EQ(unseen.status, ExitStatus::no_peer);
    EXPECT_EQ(send({kPayee, "0.002", "--yes"}).code(), "payment-not-shown");
    EXPECT_EQ(mempool_size(), 0U);
    {
        // As after an evening on which the node had it, and forgot it.
        auto opened = wallet::Wallet::open(scene.path("regtest/wallets/default.db"),
                                           *chain::find_network("regtest"), wallet::Access::change);
        opened.mark_shown(opened.history(1).at(0).txid);
    }
    const Outcome outcome = send({kPayee, "0.002", "--yes"});
    EXPECT_EQ(outcome.status, ExitStatus::done) << outcome.err;
    EXPECT_EQ(mempool_size(), 2U);
}

TEST_F(PaymentDelivery, PreventsFeeSnipingAtARecentTip) {
    make_wallet();
    constexpr std::int64_t kHour = 3'600;
    for (const std::int64_t age : {9 * kHour, 7 * kHour}) {
        node.with_chain([age](regtest::RegtestChain& chain) {
            chain.set_time(net::unix_time_now() - age);
            chain.mine();
        });
        sync();
        const auto lock_time = printed({kPayee, "0.001"}).lock_time;
        EXPECT_EQ(lock_time > 0, age < 8 * kHour)
            << "the height of an old tip would be conspicuous";
    }
}

/// Waits until a reader has opened the pipe, and opens it for writing.
int open_once_it_is_read(const std::filesystem::path& pipe) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes{1};
    while (std::chrono::steady_clock::now() < deadline) {
        const int descriptor = ::open(pipe.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
        if (descriptor >= 0) return descriptor;
        std::this_thread::sleep_for(std::chrono::milliseconds{10});
    }
    return -1;
}

/// A payment that has been built and waits for its password while another payment is made.
class SlowPayment : public test::SendScene {
protected:
    SlowPayment() { make_wallet("wpkh", {"--password-file", password}); }

    /// The outpoints of the wallet's coins.
    std::vector<std::string> coins() const {
        std::vector<std::string> names;
        const Json json = scene.run({"utxos", "--json"}).json();
        for (const Json& coin : json.at("utxos")) {
            names.push_back(coin.at("txid").get<std::string>() + ":" + coin.at("vout").dump());
        }
        return names;
    }
    Outcome send_coin(const std::string& coin, const std::string& amount) const {
        return send({kPayee, amount, "--utxo", coin, "--yes", "--password-file", password});
    }

    /// Runs a command, and `other` while the command waits for its password.
    template <typename Other>
    Outcome run_slowly(std::vector<std::string> words, const Other& other) const {
        const auto pipe = scene.path("pipe");
        EXPECT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
        words.insert(words.end(), {"--yes", "--password-file", pipe.string(), "--json", "--connect",
                                   to_string(node.endpoint())});
        auto slow = std::async(std::launch::async, [&] { return scene.run(words); });
        const int descriptor = open_once_it_is_read(pipe);
        EXPECT_GE(descriptor, 0);
        const Outcome first = other();
        EXPECT_EQ(first.status, ExitStatus::done) << first.err;
        EXPECT_EQ(::write(descriptor, "correct horse", 13), 13);
        ::close(descriptor);
        std::filesystem::remove(pipe);
        return slow.get();
    }

    /// The number of used change addresses.
    std::ptrdiff_t used_change() const {
        const Json json = scene.run({"addresses", "--change", "--json"}).json();
        return std::ranges::count_if(json.at("addresses"),
                                     [](const Json& one) { return one.at("used"); });
    }

    const std::string password = scene.write("password.txt", "correct horse");
};

TEST_F(SlowPayment, IsNotKeptIfItsCoinsWereSpentMeanwhile) {
    const Outcome slow = run_slowly({"send", kPayee, "0.025"}, [&] {
        return send({kPayee, "0.025", "--yes", "--password-file", password});
    });
    EXPECT_EQ(slow.code(), "already-spent");
    EXPECT_EQ(history_size(), 4U);
    EXPECT_EQ(mempool_size(), 1U);
}

TEST_F(SlowPayment, HasAChangeAddressThatNoPaymentTookMeanwhile) {
    const auto before = coins();
    const Outcome sent = run_slowly({"send", kPayee, "0.005", "--utxo", before.at(0)},
                                    [&] { return send_coin(before.at(1), "0.005"); });
    ASSERT_EQ(sent.status, ExitStatus::done) << sent.err;
    EXPECT_EQ(used_change(), 2);

    const auto parent = sent.json().at("txid").get<std::string>();
    const Outcome child = run_slowly({"bump", "--child", parent, "--fee-rate", "9"},
                                     [&] { return send_coin(before.at(2), "0.005"); });
    ASSERT_EQ(child.status, ExitStatus::done) << child.err;
    EXPECT_EQ(used_change(), 4);
}

TEST_F(SlowPayment, HasAFreeChangeAddressIfTheReplacedHadNoChange) {
    const auto before = coins();
    const Outcome all = send_coin(before.at(0), "all");
    ASSERT_EQ(all.status, ExitStatus::done) << all.err;
    const Outcome other = send_coin(before.at(1), "0.005");
    ASSERT_EQ(other.status, ExitStatus::done) << other.err;
    const auto left = coins();
    const auto change = std::ranges::find_if(left, [&](const std::string& coin) {
        return coin.starts_with(other.json().at("txid").get<std::string>());
    });
    ASSERT_NE(change, left.end());
    // The additional fee is paid by the last confirmed coin.
    const auto replaced = all.json().at("txid").get<std::string>();
    const Outcome bumped =
        run_slowly({"bump", replaced}, [&] { return send_coin(*change, "0.001"); });
    ASSERT_EQ(bumped.status, ExitStatus::done) << bumped.err;
    EXPECT_EQ(used_change(), 3);
}

}  // namespace
}  // namespace petal::cli
