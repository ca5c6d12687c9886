#include "cli/sync/display/follow_events.h"

#include <gtest/gtest.h>

#include <csignal>
#include <functional>
#include <optional>
#include <set>
#include <sstream>
#include <streambuf>

#include "cli/run.h"
#include "net/io/clocks.h"
#include "regtest/serve/embedded_node.h"
#include "tests/cli/scene.h"
#include "tests/support/simulated_network.h"
#include "wallet/descriptors/address.h"

namespace petal::cli {
namespace {

using test::Scene;

/// Calls a function with each line, before the write of the line returns.
class LineOutput final : public std::streambuf {
public:
    explicit LineOutput(std::function<void(const std::string&)> on_line)
        : on_line_(std::move(on_line)) {}

private:
    int_type overflow(int_type next) override {
        if (next == '\n') {
            on_line_(std::exchange(line_, {}));
        } else if (next != traits_type::eof()) {
            line_ += traits_type::to_char_type(next);
        }
        return traits_type::not_eof(next);
    }

    std::function<void(const std::string&)> on_line_;
    std::string line_;
};

/// Follows a node, and reads what is stored at the moment of each event, as another process would.
class StoredAtEvent : public testing::Test {
protected:
    static constexpr chain::Satoshis kPayment = 100'000'000;

    void SetUp() override {
        ASSERT_EQ(scene_.run({"create"}).status, ExitStatus::done);
        const std::string address = scene_.run({"receive", "--new", "--json"}).json()["address"];
        script_ = *wallet::parse_address(address, *chain::find_network("regtest"));
        node_.with_chain([](regtest::RegtestChain& chain) { chain.mine(130); });
    }

    Json stored(std::vector<std::string> command) const {
        command.emplace_back("--json");
        return scene_.run(command).json();
    }

    void follow() {
        LineOutput lines([this](const std::string& line) { on_event(Json::parse(line)); });
        static_cast<void>(follow(lines, "60"));
    }

    /// Follows the node for `timeout` seconds at most. Returns what was written to standard error.
    std::string follow(LineOutput& lines, const std::string& timeout) const {
        std::istringstream in;
        std::ostream out(&lines);
        std::ostringstream err;
        Console console(in, out, err, {}, /*no_colour=*/true);
        const ExitStatus status =
            run({"--network", "regtest", "--datadir", scene_.folder().string(), "sync", "--follow",
                 "--json", "--timeout", timeout, "--connect", to_string(node_.endpoint())},
                console);
        EXPECT_EQ(status, ExitStatus::done) << err.str();
        return err.str();
    }

    void on_event(const Json& event) {
        const std::string name = event["event"];
        seen_.insert(name);
        if (name == "headers") check_tip(event);
        if (name == "reorg") check_reorganisation(event);
        if (name == "transaction") check_transaction(event);
        if (name == "synced") check_synced(event);
        if (name == "synced") go_on(event["height"]);
    }

    void check_tip(const Json& block) const {
        const Json tip = stored({"headers", "status"})["tip"];
        EXPECT_EQ(tip["height"], block["height"]);
        EXPECT_EQ(tip["hash"], block["hash"]);
    }

    // The wallet has undone the replaced blocks, and may have searched others since.
    void check_reorganisation(const Json& event) const {
        check_tip(event["to"]);
        EXPECT_EQ(stored({"balance"})["reorganised"], false);
    }

    void check_transaction(const Json& event) const {
        const Json history = stored({"history"});
        const Json entry = history["transactions"][0];
        EXPECT_EQ(entry["txid"], event["txid"]);
        EXPECT_EQ(entry["block_hash"], event["block_hash"]);
        EXPECT_EQ(entry["confirmations"], event["confirmations"]);
        EXPECT_EQ(history["reorganised"], false);
        if (event["height"].is_null()) return;
        EXPECT_GE(history["header_height"], event["height"]);
    }

    void check_synced(const Json& event) const {
        check_tip(event);
        const Json balance = stored({"balance"});
        EXPECT_EQ(balance["synced"], true) << balance;
        EXPECT_EQ(balance["synced_height"], event["height"]);
        EXPECT_EQ(balance["total_sat"], event["balance"]["total_sat"]);
    }

    /// Pays in a block, replaces this block, and ends.
    void go_on(std::uint32_t height) {
        node_.with_chain([&](regtest::RegtestChain& chain) {
            const bool is_first = height == 130;
            if (is_first) chain.mine_block({chain.make_payment({{kPayment, script_}})});
            if (height == 132) chain.reorganise(131, 2);
        });
        if (height == 133) std::raise(SIGTERM);
    }

    Scene scene_;
    regtest::EmbeddedNode node_;
    chain::Bytes script_;
    std::set<std::string> seen_;
};

TEST_F(StoredAtEvent, IsWhatTheEventSays) {
    follow();
    for (const char* event : {"headers", "transaction", "reorg", "synced", "ended"}) {
        EXPECT_TRUE(seen_.contains(event)) << event;
    }
}

// The peer is not asked for it again, and no event tells of it.
TEST_F(StoredAtEvent, IsWithoutABlockHoursAheadOfTheClockWhichIsWarnedOfOnce) {
    LineOutput lines([this](const std::string& line) {
        if (Json::parse(line)["event"] != "synced") return;
        node_.with_chain([](regtest::RegtestChain& chain) {
            chain.set_time(net::unix_time_now() + 5 * 3'600);
            chain.mine();
        });
    });
    const std::string errors = follow(lines, "2");
    const std::string warning = "has headers more than two hours ahead of this machine's clock";
    const auto place = errors.find(warning);
    ASSERT_NE(place, std::string::npos) << errors;
    EXPECT_EQ(errors.find(warning, place + 1), std::string::npos) << errors;
}

TEST(EventWriter, StoresOnceBeforeEachEvent) {
    for (const bool json : {true, false}) {
        std::istringstream in;
        std::ostringstream out;
        std::ostringstream err;
        Console console{in, out, err, {}, /*no_colour=*/true};
        EventOutput output{console, json, [] {}, "cat > /dev/null"};
        int stores = 0;
        EventWriter writer(
            output, "", [] { return true; },
            [&] {
                EXPECT_EQ(out.str(), "");
                ++stores;
            });
        const auto expect_one = [&](const char* form) {
            EXPECT_EQ(std::exchange(stores, 0), 1) << form << json;
            out.str("");
        };
        writer.emit("peer", {{"address", "a"}}, "peer a is there");
        expect_one("emit");
        writer.emit_for_chain("stale-tip", {{"stale", true}}, "stale tip");
        expect_one("emit_for_chain");
        writer.notify("peer", {{"address", "a"}});
        expect_one("notify");
    }
}

/// The events of a follower in simulated time, on a network with minimum work as public ones have.
class SimulatedFollower : public testing::Test {
protected:
    SimulatedFollower() {
        params_.minimum_chainwork = 1;
        scene_.run({"create"});
        wallet_.emplace(wallet::Wallet::open(scene_.path("regtest/wallets/default.db"), params_,
                                             wallet::Access::sync));
        headers_.emplace(params_);
        file_.emplace(scene_.path("regtest/headers.dat"), *headers_,
                      test::SimulatedNetwork::kStartTime);
        net::SyncOptions options;
        options.wait_unconfirmed = net::SyncOptions::kForever;
        options.refresh_watcher_every = std::chrono::seconds{1};
        engine_.emplace(*headers_, *wallet_, options);
        network_.emplace(*engine_);
        events_.emplace(FollowEvents::Sources{*wallet_, *headers_, *file_, *engine_}, output_, "");
    }

    /// The events of these names since the last call.
    std::vector<Json> new_events(const std::set<std::string>& names) {
        out_.str("");
        events_->update(FollowEvents::Clock::now());
        events_->update(FollowEvents::Clock::now());
        std::vector<Json> found;
        std::istringstream lines(out_.str());
        for (std::string line; std::getline(lines, line);) {
            Json event = Json::parse(line);
            if (names.contains(event["event"])) found.push_back(std::move(event));
        }
        return found;
    }

    void mine_now() {
        chain_.set_time(network_->now().unix_seconds);
        chain_.mine();
    }

    Scene scene_;
    chain::NetworkParams params_ = *chain::find_network("regtest");
    regtest::RegtestChain chain_;
    std::optional<wallet::Wallet> wallet_;
    std::optional<chain::HeaderChain> headers_;
    std::optional<chain::HeaderFile> file_;
    std::optional<net::SyncEngine> engine_;
    std::optional<test::SimulatedNetwork> network_;
    std::istringstream in_;
    std::ostringstream out_;
    std::ostringstream err_;
    Console console_{in_, out_, err_, {}, /*no_colour=*/true};
    EventOutput output_{console_, /*json=*/true, [] {}, ""};
    std::optional<FollowEvents> events_;
};

class StaleTipEvent : public SimulatedFollower {
protected:
    /// Follows, and returns the events of the tip's age since the last call.
    std::vector<Json> follow_for(std::chrono::seconds time) {
        network_->run_for(time);
        return new_events({"stale-tip"});
    }
};

TEST_F(StaleTipEvent, ComesOnceWhenTheTipIsOldAndOnceWhenItIsNot) {
    mine_now();
    network_->connect(chain_);
    EXPECT_TRUE(follow_for(std::chrono::minutes{149}).empty());
    const auto old = follow_for(std::chrono::minutes{2});
    ASSERT_EQ(old.size(), 1U);
    EXPECT_EQ(old[0]["stale"], true);
    EXPECT_EQ(old[0]["height"], 1);
    EXPECT_GT(old[0]["tip_age_s"], 9'000) << "by the clock of the machine";
    EXPECT_TRUE(follow_for(std::chrono::minutes{60}).empty());
    mine_now();
    const auto over = follow_for(std::chrono::minutes{1});
    ASSERT_EQ(over.size(), 1U);
    EXPECT_EQ(over[0]["stale"], false);
    EXPECT_EQ(over[0]["height"], 2);
}

/// A follower whose wallet is paid by a block that leaves the chain.
class UndoneEvents : public SimulatedFollower {
protected:
    using Dropped = regtest::RegtestChain::Dropped;

    void SetUp() override {
        const std::string address = scene_.run({"receive", "--json"}).json()["address"];
        receipt_ = chain_.make_payment({{7'000, *wallet::parse_address(address, params_)}});
        chain_.mine_block({receipt_});
        network_->connect(chain_);
        follow_for(std::chrono::seconds{30});
        ASSERT_TRUE(wallet_->transaction(receipt_.txid())->height);
    }
    /// Follows for this time, a second at a time. Returns the events of the receipt: the name and
    /// the words of its state.
    std::vector<std::string> follow_for(std::chrono::seconds time) {
        std::vector<std::string> states;
        for (std::chrono::seconds passed{0}; passed < time; ++passed) {
            network_->run_for(std::chrono::seconds{1});
            for (const Json& event : new_events({"transaction", "forgotten"})) {
                std::string state = event["event"];
                if (event.contains("height") && event["height"].is_number()) state += " confirmed";
                if (event.value("undone", false)) state += " undone";
                EXPECT_EQ(event["txid"], receipt_.txid().to_hex());
                states.push_back(state);
            }
        }
        return states;
    }
    void undo(Dropped dropped) { chain_.reorganise(chain_.height() - 1, 2, dropped); }

    chain::Transaction receipt_;
};

TEST_F(UndoneEvents, SayThatATransactionIsUndoneAndForgotten) {
    undo(Dropped::forgotten);
    EXPECT_EQ(follow_for(std::chrono::seconds{60}),
              (std::vector<std::string>{"transaction undone", "forgotten undone"}));
    EXPECT_FALSE(wallet_->transaction(receipt_.txid()));
    chain_.mine_block({receipt_});
    EXPECT_EQ(follow_for(std::chrono::seconds{60}),
              (std::vector<std::string>{"transaction confirmed"}))
        << "it is new again";
}

TEST_F(UndoneEvents, SayThatAnUndoneTransactionCountsAgain) {
    undo(Dropped::to_mempool);
    auto events = follow_for(std::chrono::seconds{60});
    ASSERT_GE(events.size(), 2U);
    EXPECT_EQ(events[0], "transaction undone");
    EXPECT_EQ(events[1], "transaction");
    chain_.mine();
    events = follow_for(std::chrono::seconds{60});
    ASSERT_FALSE(events.empty());
    EXPECT_EQ(events.back(), "transaction confirmed");
}

TEST_F(UndoneEvents, SayThatACoinbaseIsForgotten) {
    const std::string address = scene_.run({"receive", "--json"}).json()["address"];
    chain_.mine(1, *wallet::parse_address(address, params_));
    receipt_ = chain_.block_at(chain_.height()).transactions[0];
    EXPECT_EQ(follow_for(std::chrono::seconds{10}),
              (std::vector<std::string>{"transaction confirmed"}));
    undo(Dropped::to_mempool);
    EXPECT_EQ(follow_for(std::chrono::seconds{10}), (std::vector<std::string>{"forgotten"}));
}

TEST_F(UndoneEvents, SayThatAnAbandonedTransactionIsForgotten) {
    undo(Dropped::to_mempool);
    follow_for(std::chrono::seconds{60});
    ASSERT_EQ(scene_.run({"abandon", receipt_.txid().to_hex()}).status, ExitStatus::done);
    EXPECT_EQ(follow_for(std::chrono::seconds{5}), (std::vector<std::string>{"forgotten"}));
}

}  // namespace
}  // namespace petal::cli
