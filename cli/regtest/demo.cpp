#include "cli/regtest/demo.h"

#include <chrono>
#include <cmath>
#include <functional>
#include <optional>
#include <ostream>

#include "cli/options/data_folder.h"
#include "cli/options/option_values.h"
#include "cli/regtest/demo_chain.h"
#include "cli/regtest/start_node.h"
#include "cli/regtest/temporary_folder.h"
#include "cli/sync/sync_commands.h"
#include "cli/terminal/stop_signals.h"
#include "cli/terminal/wrap.h"
#include "cli/text/command_error.h"
#include "cli/text/text.h"
#include "cli/wallet/wallet_text.h"
#include "net/io/clocks.h"
#include "regtest/serve/embedded_node.h"
#include "wallet/keys/extended_key.h"
#include "wallet/keys/key_path.h"
#include "wallet/keys/mnemonic.h"

namespace petal::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::int64_t kBlockSpacing = 600;
constexpr std::chrono::milliseconds kListen{600};
constexpr std::size_t kShownTransactions = 8;
constexpr std::size_t kShownCoins = 8;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

/// The data to compare the result of the sync with.
struct MinedChain {
    std::uint32_t height = 0;
    std::uint64_t transactions = 0;
    std::uint64_t bytes = 0;
    double seconds = 0;
};

/// The wallet after the sync.
struct DemoResult {
    MinedChain chain;
    client::SyncReport sync;
    std::vector<wallet::Coin> coins;
    std::vector<wallet::HistoryEntry> history;
    std::optional<net::Endpoint> serving;  ///< still serving the chain

    double times_less() const {
        const auto received = static_cast<double>(sync.result.traffic.bytes_received);
        return static_cast<double>(chain.bytes) / std::max(received, 1.0);
    }
};

/// The first `count` keys of the wallet with these words. The demo's chain spends the wallet's
/// coins with these keys.
std::vector<regtest::RegtestKey> keys_of(const wallet::Mnemonic& mnemonic, wallet::KeyChain which,
                                         std::uint32_t count, const chain::NetworkParams& network) {
    const auto seed = mnemonic.seed("").value();
    const auto master = wallet::ExtendedPrivateKey::from_seed(seed.view()).value();
    const auto account = master.derive_path(wallet::account_path({}, network.coin_type)).value();
    const auto branch = account.derive(static_cast<std::uint32_t>(which)).value();
    std::vector<regtest::RegtestKey> keys;
    for (std::uint32_t i = 0; i < count; ++i) {
        keys.emplace_back(branch.derive(i).value().key().view());
    }
    return keys;
}

class Demo {
public:
    Demo(const DemoOptions& options, const GlobalOptions& global, Console& console)
        : options_(options), global_(global), console_(console) {
        global_.network = table_network("regtest");
        global_.data_dir = folder_.path();
        global_.wallet = "demo";
    }

    /// Runs the demo, and calls `show` with the result. Then serves until interrupted, if the
    /// options say so.
    void run(const std::function<void(const DemoResult&)>& show) {
        DemoResult result;
        say("mining " + count_of(options_.blocks, "block") + " with payments of a new wallet");
        const DemoChain::Keys keys = make_wallet();
        regtest::ServerOptions server;
        server.port = options_.serve.value_or(0);
        const auto started = start_node(server, mine_chain(keys, result.chain), "--serve");
        regtest::EmbeddedNode& node = *started;
        say(count_of(result.chain.height, "block") + " with " +
            count_of(result.chain.transactions, "transaction") + ", " +
            format_bytes(result.chain.bytes) + ", mined in " +
            format_duration(result.chain.seconds) + "; served at " + to_string(node.endpoint()));

        say("syncing the wallet from this node with a Bloom filter");
        SyncCommandOptions sync;
        sync.connection.connect = {node.endpoint()};
        sync.wait_unconfirmed = kListen;
        signals_.reset();  // the sync handles signals itself
        result.sync = sync_wallet(sync, global_, console_);
        signals_.emplace();
        const wallet::Wallet wallet = open_wallet(global_, wallet::Access::read);
        result.coins = wallet.coins();
        result.history = wallet.history(0);
        compare(node, keys, result.coins);
        if (options_.serve) result.serving = node.endpoint();
        show(result);
        if (!options_.serve) return;
        say("serving the chain at " + to_string(node.endpoint()) + " until interrupted");
        signals_->wait(std::nullopt, std::nullopt);
    }

private:
    void say(const std::string& what) {
        if (console_.log_level() >= LogLevel::warning)
            console_.err() << wrap(what, console_.err_columns()) << std::endl;
    }

    DemoChain::Keys make_wallet() const {
        const auto mnemonic = wallet::Mnemonic::generate(wallet::MnemonicSize::words_12);
        wallet::NewWallet recipe;
        recipe.mnemonic = mnemonic.words();
        wallet::Wallet::create(wallet_file(global_), *global_.network, recipe);
        return {keys_of(mnemonic, wallet::KeyChain::receive, 40, *global_.network),
                keys_of(mnemonic, wallet::KeyChain::change, 20, *global_.network)};
    }

    regtest::RegtestChain mine_chain(const DemoChain::Keys& keys, MinedChain& mined) {
        const Clock::time_point start = Clock::now();
        const std::int64_t age = std::int64_t{options_.blocks} * kBlockSpacing;
        DemoChain chain(keys, net::unix_time_now() - age);
        while (chain.height() < options_.blocks) {
            chain.mine_next(options_.blocks);
            if (signals_->stopped()) {
                throw CommandError(ExitStatus::interrupted, "interrupted", "interrupted");
            }
        }
        chain.pay_unconfirmed();
        mined = {chain.height(), chain.transactions(), chain.block_bytes(), seconds_since(start)};
        return chain.take();
    }

    /// The wallet must have exactly the coins that the chain has for it.
    void compare(regtest::EmbeddedNode& node, const DemoChain::Keys& keys,
                 const std::vector<wallet::Coin>& coins) const {
        std::map<chain::Outpoint, chain::Satoshis> found;
        for (const wallet::Coin& coin : coins) {
            if (coin.height) found[coin.outpoint] = coin.value;
        }
        const auto truth = node.with_chain([&keys](regtest::RegtestChain& chain) {
            std::map<chain::Outpoint, chain::Satoshis> unspent;
            for (const auto* list : {&keys.receive, &keys.change}) {
                for (const regtest::RegtestKey& key : *list) {
                    for (const auto& [outpoint, output] :
                         chain.blocks().coins().of_script(key.script())) {
                        unspent[outpoint] = output.value;
                    }
                }
            }
            return unspent;
        });
        if (found != truth) {
            throw CommandError(ExitStatus::failed, "wrong-result",
                               "the wallet does not hold what the chain says it does");
        }
    }

    DemoOptions options_;
    std::optional<StopSignals> signals_{
        std::in_place};  // outlives the folder, so that a signal can't prevent the removal
    TemporaryFolder folder_;
    GlobalOptions global_;
    Console& console_;
};

std::string bar_text(std::uint64_t value, std::uint64_t most) {
    constexpr double kColumns = 44;
    const double share =
        static_cast<double>(value) / static_cast<double>(std::max<std::uint64_t>(most, 1));
    const auto columns = static_cast<std::size_t>(std::ceil(share * kColumns));
    std::string text;
    for (std::size_t i = 0; i < columns; ++i) text += "█";
    return text;
}

std::string traffic_text(const DemoResult& result, const Console& console) {
    const std::uint64_t received = result.sync.result.traffic.bytes_received;
    const std::uint64_t most = std::max(result.chain.bytes, received);
    const auto line = [most, &console](std::string_view name, std::uint64_t bytes) {
        const std::string text = format_bytes(bytes);
        const std::string padding(text.size() < 7 ? 7 - text.size() : 0, ' ');
        // The colours are added after field(), because field() would escape the colours.
        std::string row = field(name, padding + text + "  ");
        row.pop_back();
        return row + console.green(bar_text(bytes, most)) + '\n';
    };
    char times[32];
    std::snprintf(times, sizeof times, "%.1f", result.times_less());
    return console.bold("Downloaded") + "\n\n" + line("full blocks", result.chain.bytes) +
           line("petal", received) + "\n  " + console.bold(std::string(times) + " times less") +
           " than the full blocks, headers and proofs included.\n";
}

std::string filter_text(const DemoResult& result, const Console& console) {
    const net::SyncStatus& status = result.sync.status;
    const double rate = status.filter.false_positive_rate;
    std::string text = console.bold("What the node was told") + "\n\n";
    text += field("filter", count_of(status.filter.bytes, "byte") + ", " +
                                count_of(status.filter.hash_functions, "hash function"));
    std::string odds = format_rate(rate) + " of other addresses match";
    if (rate > 1e-15) {
        odds = "1 in " + format_count(static_cast<std::uint64_t>(std::llround(1 / rate))) +
               " other addresses matches";
    }
    text += field("false positives", odds);
    text += field("filters sent", std::to_string(status.counts.filter_loads));
    return text;
}

template <typename T>
std::vector<T> first(const std::vector<T>& all, std::size_t count) {
    return {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(std::min(count, all.size()))};
}

std::string list_title(std::string_view what, std::size_t shown, std::size_t all,
                       const Console& console) {
    std::string text = console.bold(what);
    if (shown < all) {
        text += " (" + std::to_string(shown) + " of " + format_count(all) + ")";
    }
    return text + "\n\n";
}

std::string demo_text(const DemoResult& result, const GlobalOptions& regtest,
                      const Console& console) {
    std::vector<wallet::Coin> newest(result.coins.rbegin(), result.coins.rend());
    const auto coins = first(newest, kShownCoins);
    const auto history = first(result.history, kShownTransactions);
    Explanations explanations({}, /*shows_all=*/false);
    return wallet_part_text(result.sync, explanations, regtest, console) + "\n" +
           list_title("Newest coins", coins.size(), result.coins.size(), console) +
           coins_text(coins, regtest, console) + "\n" +
           list_title("Newest transactions", history.size(), result.history.size(), console) +
           history_text(history, nullptr, regtest, console) + "\n" + traffic_text(result, console) +
           "\n" + filter_text(result, console) + "\nCompared with the chain itself: all " +
           count_of(result.coins.size(), "coin") +
           " are there, and no other. Nothing is kept; `petal create` makes a wallet "
           "of your own.\n";
}

Json demo_json(const DemoResult& result, const chain::NetworkParams& network) {
    const net::SyncStatus& status = result.sync.status;
    Json utxos = Json::array();
    for (const wallet::Coin& coin : result.coins) utxos.push_back(coin_json(coin, network));
    Json transactions = Json::array();
    for (const auto& entry : result.history) transactions.push_back(transaction_json(entry));
    return {{"chain",
             {{"blocks", result.chain.height},
              {"transactions", result.chain.transactions},
              {"bytes", result.chain.bytes},
              {"seconds", result.chain.seconds}}},
            {"sync", sync_json(result.sync)},
            {"filter",
             {{"bytes", status.filter.bytes},
              {"bits", status.filter.bytes * 8},
              {"hash_functions", status.filter.hash_functions},
              {"fpr_actual", status.filter.false_positive_rate}}},
            {"times_less", result.times_less()},
            {"matches_chain", true},
            {"serving", result.serving ? Json(to_string(*result.serving)) : Json()},
            {"utxos", utxos},
            {"transactions", transactions}};
}

void run_demo(const DemoOptions& options, const GlobalOptions& global, Console& console) {
    GlobalOptions regtest = global;
    regtest.network = table_network("regtest");
    Demo(options, global, console).run([&](const DemoResult& result) {
        (global.json ? console.out() : console.prose())
            << (global.json ? to_line(demo_json(result, *regtest.network)) + "\n"
                            : demo_text(result, regtest, console))
            << std::flush;
    });
}

}  // namespace

std::vector<CommandEntry> add_demo_commands(CLI::App& root) {
    CLI::App* app =
        add_command(root, kTrying, "demo", "a chain, payments, a wallet and its sync, in seconds");
    auto options = std::make_shared<DemoOptions>();
    options->blocks = 4'000;
    app->add_option("--blocks", options->blocks, "length of the chain (default: 4,000)")
        ->type_name("N")
        ->check(whole_number(500, 50'000));
    app->add_option("--serve", options->serve,
                    "serve the chain on this port of 127.0.0.1 until interrupted (0: any)")
        ->type_name("PORT")
        ->check(whole_number(0, 65'535));
    app->footer("Everything happens in memory and in a temporary folder. Nothing is left behind.");
    return without_secrets({without_folder(plain_entry(app, options, run_demo))});
}

}  // namespace petal::cli
