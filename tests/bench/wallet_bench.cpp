// The cost of the wallet's store and ledger during a sync.
#include <benchmark/benchmark.h>
#include <malloc.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/regtest/temporary_folder.h"
#include "tests/support/mnemonic.h"
#include "wallet/descriptors/address.h"
#include "wallet/descriptors/script_deriver.h"
#include "wallet/spending/payment.h"
#include "wallet/spending/signing.h"
#include "wallet/wallet.h"

namespace petal::wallet {
namespace {

const chain::NetworkParams& network() {
    return *chain::find_network("regtest");
}

class Folder {
public:
    std::filesystem::path file() const { return folder_.path() / "wallet.sqlite"; }

private:
    cli::TemporaryFolder folder_;
};

Wallet create(const Folder& folder) {
    NewWallet made;
    made.mnemonic = test::kMnemonic;
    return Wallet::create(folder.file(), network(), made);
}

/// Pays this script from a coin that differs for each number.
chain::Transaction payment(const chain::Bytes& script, std::uint32_t number) {
    chain::Transaction transaction;
    transaction.inputs.resize(1);
    transaction.inputs[0].prevout.index = number;
    transaction.inputs[0].prevout.txid.bytes[0] = 1;
    transaction.outputs = {{1'000, script}, {2'000, chain::Bytes(22)}};
    return transaction;
}

/// Consecutive blocks; one in `every` pays the wallet.
std::vector<chain::ProvenBlock> make_blocks(std::uint32_t count, std::uint32_t every,
                                            const chain::Bytes& script) {
    std::vector<chain::ProvenBlock> blocks(count);
    for (std::uint32_t i = 0; i < count; ++i) {
        chain::ProvenBlock& block = blocks[i];
        if (i > 0) block.header.previous = blocks[i - 1].block.hash;
        block.header.nonce = i;
        block.block = {i + 1, block.header.hash()};
        block.transaction_count = 20;
        if (i % every != 0) continue;
        const chain::Transaction transaction = payment(script, i);
        block.transactions.push_back({1, transaction.txid(), transaction});
    }
    return blocks;
}

chain::Bytes first_script(Wallet& wallet) {
    return *parse_address(wallet.receive_address(false).address, network());
}

void apply_all(Wallet& wallet, std::span<const chain::ProvenBlock> blocks, std::size_t batch) {
    const chain::Bytes sync_checkpoint(10'000);
    for (; !blocks.empty(); blocks = blocks.subspan(std::min(batch, blocks.size()))) {
        const auto part = blocks.first(std::min(batch, blocks.size()));
        wallet.apply(part, {part.back().block, sync_checkpoint});
    }
}

// 20,000 blocks with 200 transactions of the wallet.
void apply_blocks(benchmark::State& state) {
    for (auto _ : state) {
        state.PauseTiming();
        const Folder folder;
        Wallet wallet = create(folder);
        const auto blocks = make_blocks(20'000, 100, first_script(wallet));
        state.ResumeTiming();
        apply_all(wallet, blocks, static_cast<std::size_t>(state.range(0)));
        if (wallet.balance().confirmed != 200 * 1'000) state.SkipWithError("wrong balance");
    }
}
BENCHMARK(apply_blocks)->ArgName("batch")->Arg(200)->Arg(1'000)->Unit(benchmark::kMillisecond);

void open_wallet(benchmark::State& state) {
    const Folder folder;
    const auto transactions = static_cast<std::uint32_t>(state.range(0));
    {
        Wallet wallet = create(folder);
        apply_all(wallet, make_blocks(transactions, 1, first_script(wallet)), 1'000);
    }
    for (auto _ : state) {
        const Wallet wallet = Wallet::open(folder.file(), network(), Access::read);
        if (wallet.balance().confirmed != transactions * 1'000) {
            state.SkipWithError("wrong balance");
        }
    }
}
BENCHMARK(open_wallet)
    ->ArgName("transactions")
    ->Arg(0)
    ->Arg(200)
    ->Arg(10'000)
    ->Unit(benchmark::kMillisecond);

/// Blocks of ten transactions, each of which pays the next of these scripts.
std::vector<chain::ProvenBlock> blocks_to_each(const std::vector<chain::Bytes>& scripts) {
    constexpr std::uint32_t kPerBlock = 10;
    const auto count = static_cast<std::uint32_t>(scripts.size());
    std::vector<chain::ProvenBlock> blocks = make_blocks(count / kPerBlock, 1, scripts[0]);
    for (chain::ProvenBlock& block : blocks) block.transactions.clear();
    for (std::uint32_t i = 0; i < count / kPerBlock * kPerBlock; ++i) {
        const chain::Transaction transaction = payment(scripts[i], i);
        blocks[i / kPerBlock].transactions.push_back(
            {1 + i % kPerBlock, transaction.txid(), transaction});
    }
    return blocks;
}

/// The first addresses of a wallet made by create().
std::vector<chain::Bytes> scripts_of(const Wallet& wallet, std::uint32_t count) {
    const std::string text = wallet.info().descriptors.at(0);
    auto deriver = ScriptDeriver::create(Descriptor::parse(text, network()).value()).value();
    std::vector<chain::Bytes> scripts(count);
    for (std::uint32_t i = 0; i < count; ++i) scripts[i] = deriver.script_pubkeys(i).value()[0];
    return scripts;
}

/// Applies a chain that pays this many addresses in order, as a sync does whose list grows: the
/// rest of a batch is applied again.
void apply_growing(Wallet& wallet, std::span<const chain::ProvenBlock> blocks) {
    constexpr std::size_t kBatch = 200;
    while (!blocks.empty()) {
        const auto part = blocks.first(std::min(kBatch, blocks.size()));
        const chain::ApplyResult done = wallet.apply(part, {part.back().block, {}});
        blocks = blocks.subspan(done.grew ? done.applied - 1 : done.applied);
    }
}

/// The resident memory of the process in MB (Linux: /proc/self/statm).
double resident_mb() {
    std::ifstream file("/proc/self/statm");
    double total = 0;
    double resident = 0;
    file >> total >> resident;
    return resident * static_cast<double>(::sysconf(_SC_PAGESIZE)) / 1e6;
}

// Each transaction pays a different address, so the wallet derives and stores as many addresses.
void apply_to_many_addresses(benchmark::State& state) {
    const auto count = static_cast<std::uint32_t>(state.range(0));
    for (auto _ : state) {
        state.PauseTiming();
        const Folder folder;
        Wallet wallet = create(folder);
        const auto blocks = blocks_to_each(scripts_of(wallet, count));
        state.ResumeTiming();
        apply_growing(wallet, blocks);
        if (wallet.balance().confirmed != count * 1'000) state.SkipWithError("wrong balance");
    }
    state.SetItemsProcessed(state.iterations() * count);
}
BENCHMARK(apply_to_many_addresses)
    ->ArgName("transactions")
    ->Arg(1'000)
    ->Arg(10'000)
    ->Arg(100'000)
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

// The wallet's own part of handling a transaction, in batches and without a new address. The goal
// is 20,000 a second.
void apply_transactions(benchmark::State& state) {
    const auto count = static_cast<std::uint32_t>(state.range(0));
    for (auto _ : state) {
        state.PauseTiming();
        const Folder folder;
        Wallet wallet = create(folder);
        const auto blocks = blocks_to_each(std::vector<chain::Bytes>(count, first_script(wallet)));
        state.ResumeTiming();
        apply_all(wallet, blocks, 200);
    }
    state.SetItemsProcessed(state.iterations() * count);
}
BENCHMARK(apply_transactions)
    ->ArgName("transactions")
    ->Arg(100'000)
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

// 100,000 transactions on as many addresses. The goal is 0.3 s and 100 MB to open the wallet,
// without closing it.
void open_large_wallet(benchmark::State& state) {
    const Folder folder;
    {
        Wallet wallet = create(folder);
        apply_growing(wallet, blocks_to_each(scripts_of(wallet, 100'000)));
    }
    double memory = 0;
    for (auto _ : state) {
        state.PauseTiming();
        ::malloc_trim(0);  // freed memory does not belong to the wallet
        const double before = resident_mb();
        state.ResumeTiming();
        std::optional<Wallet> wallet = Wallet::open(folder.file(), network(), Access::read);
        state.PauseTiming();
        memory = std::max(memory, resident_mb() - before);
        wallet.reset();
        state.ResumeTiming();
    }
    state.counters["MB"] = memory;
}
BENCHMARK(open_large_wallet)->Unit(benchmark::kMillisecond);

void tell_balance_of_a_large_wallet(benchmark::State& state) {
    const Folder folder;
    Wallet wallet = create(folder);
    apply_all(wallet, blocks_to_each(std::vector<chain::Bytes>(100'000, first_script(wallet))),
              200);
    for (auto _ : state) benchmark::DoNotOptimize(wallet.balance());
}
BENCHMARK(tell_balance_of_a_large_wallet)->Unit(benchmark::kMillisecond);

void list_what_is_watched(benchmark::State& state) {
    const Folder folder;
    Wallet wallet = create(folder);
    apply_all(wallet, make_blocks(20'000, 100, first_script(wallet)), 1'000);
    for (auto _ : state) {
        benchmark::DoNotOptimize(wallet.watched_elements(0));
        benchmark::DoNotOptimize(wallet.watched_outpoints());
    }
}
BENCHMARK(list_what_is_watched)->Unit(benchmark::kMicrosecond);

void refuse_false_positive(benchmark::State& state) {
    const Folder folder;
    Wallet wallet = create(folder);
    const auto stranger = payment(chain::Bytes(22), 1);
    std::vector<chain::ProvenBlock> block = make_blocks(1, 1, chain::Bytes(22));
    block[0].transactions.assign(1'000, {1, stranger.txid(), stranger});
    for (auto _ : state) {
        if (wallet.apply(block, {block.back().block, {}}).relevant != 0)
            state.SkipWithError("stored");
    }
    state.SetItemsProcessed(state.iterations() * 1'000);
}
BENCHMARK(refuse_false_positive)->Unit(benchmark::kMicrosecond);

void tell_history(benchmark::State& state) {
    const Folder folder;
    Wallet wallet = create(folder);
    apply_all(wallet, make_blocks(10'000, 1, first_script(wallet)), 1'000);
    for (auto _ : state) {
        if (wallet.history(20).size() != 20) state.SkipWithError("wrong history");
    }
}
BENCHMARK(tell_history)->Unit(benchmark::kMicrosecond);

/// Unconfirmed payments. With `rivals`, each conflicts with its neighbour.
std::vector<chain::UnconfirmedTransaction> make_unconfirmed(std::size_t count, bool rivals,
                                                            const chain::Bytes& script) {
    std::vector<chain::UnconfirmedTransaction> result;
    for (std::uint32_t i = 0; i < count; ++i) {
        chain::Transaction transaction = payment(script, rivals ? i / 2 : i);
        transaction.outputs[0].value += i;
        result.push_back({transaction.txid(), transaction, 1'700'000'000});
    }
    return result;
}

// One more unconfirmed transaction beside this many, including the file. The engine passes batches,
// which share that part.
void see_one_more(benchmark::State& state) {
    const Folder folder;
    Wallet wallet = create(folder);
    const chain::Bytes script = first_script(wallet);
    wallet.apply_unconfirmed(
        make_unconfirmed(static_cast<std::size_t>(state.range(0)), state.range(1) != 0, script),
        {});
    std::uint32_t number = 1'000'000;
    for (auto _ : state) {
        const chain::Transaction transaction = payment(script, ++number);
        const chain::UnconfirmedTransaction seen{transaction.txid(), transaction, 1'700'000'000};
        wallet.apply_unconfirmed({&seen, 1}, {});
        state.PauseTiming();
        if (!wallet.abandon(seen.txid)) state.SkipWithError("not taken");
        state.ResumeTiming();
    }
}
BENCHMARK(see_one_more)
    ->ArgNames({"unconfirmed", "rivals"})
    ->Args({0, 0})
    ->Args({1'999, 0})
    ->Args({1'999, 1})
    ->Iterations(200)
    ->Unit(benchmark::kMicrosecond);

// The work of `petal balance` with as many unconfirmed transactions as a wallet stores.
void tell_balance_of_a_full_wallet(benchmark::State& state) {
    const Folder folder;
    Wallet wallet = create(folder);
    wallet.apply_unconfirmed(make_unconfirmed(2'000, state.range(0) != 0, first_script(wallet)),
                             {});
    for (auto _ : state) benchmark::DoNotOptimize(wallet.balance());
    if (wallet.history(0).size() != 2'000) state.SkipWithError("not full");
}
BENCHMARK(tell_balance_of_a_full_wallet)
    ->ArgName("rivals")
    ->Arg(0)
    ->Arg(1)
    ->Unit(benchmark::kMicrosecond);

// The first 10,000 addresses of a descriptor. The lower limit is the elliptic-curve operation for
// one key.
void derive_addresses(benchmark::State& state, std::string descriptor) {
    constexpr std::string_view kTpub =
        "tpubDC8msFGeGuwnKG9Upg7DM2b4DaRqg3CUZa5g8v2SRQ6K4NSkxUgd7HsL2XVWbVm39yBA4LAxysQAm397zwQSQo"
        "QgewGiYZqrA9DsP4zbQ1M";
    for (std::size_t at = 0; (at = descriptor.find("KEY")) != std::string::npos;) {
        descriptor.replace(at, 3, kTpub);
    }
    const auto parsed = Descriptor::parse(descriptor, network());
    for (auto _ : state) {
        auto deriver = ScriptDeriver::create(parsed.value()).value();
        for (std::uint32_t index = 0; index < 10'000; ++index) {
            const auto scripts = deriver.script_pubkeys(index);
            benchmark::DoNotOptimize(address_of(scripts.value()[0], network()));
        }
    }
}
BENCHMARK_CAPTURE(derive_addresses, pkh, "pkh(KEY/0/*)")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(derive_addresses, wpkh, "wpkh(KEY/0/*)")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(derive_addresses, sh_wpkh, "sh(wpkh(KEY/0/*))")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(derive_addresses, tr, "tr(KEY/0/*)")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(derive_addresses, wsh_of_two, "wsh(sortedmulti(1,KEY/0/*,KEY/1/*))")
    ->Unit(benchmark::kMillisecond);

/// Coins of an account, each with its own address.
std::vector<InputCoin> coins_of(PrivateChildren& keys, ScriptKind kind, std::uint32_t count) {
    std::vector<InputCoin> coins(count);
    for (std::uint32_t i = 0; i < count; ++i) {
        InputCoin& coin = coins[i];
        coin.outpoint.txid.bytes[0] = 1;
        coin.outpoint.index = i;
        coin.form = kind;
        coin.path.index = i;
        // Amounts of all orders of magnitude, all different.
        coin.output = {(i * std::int64_t{7'919} % 99'991 + 1'000) << (i % 10),
                       script_for(kind, keys.key(coin.path.index).value().public_key())};
    }
    return coins;
}

PrivateChildren bench_keys() {
    return PrivateChildren(ExtendedPrivateKey::from_seed(chain::Bytes(32, 0x17)).value());
}

RandomBits bench_bits() {
    return [generator = std::mt19937_64(1)]() mutable { return generator(); };
}

PaymentRequest bench_request(PrivateChildren& keys, std::int64_t sat_per_kvb) {
    PaymentRequest request;
    request.recipients = {{chain::Bytes{0x51}, 123'456'789}};
    request.fee_rate = FeeRate{sat_per_kvb};
    request.change.script_pubkey =
        script_for(ScriptKind::wpkh, keys.key(20'000).value().public_key());
    return request;
}

/// Selects from 10,000 coins and builds the transaction.
///
/// range   sat per 1,000 vB
void build_payment_of_10000_coins(benchmark::State& state) {
    PrivateChildren keys = bench_keys();
    const auto coins = coins_of(keys, ScriptKind::wpkh, 10'000);
    const PaymentRequest request = bench_request(keys, state.range(0));
    const RandomBits random = bench_bits();
    std::size_t inputs = 0;
    for (auto _ : state) {
        const auto payment = build_payment(request, coins, random).value();
        inputs = payment.coins.size();
        benchmark::DoNotOptimize(inputs);
    }
    state.counters["inputs"] = static_cast<double>(inputs);
}
BENCHMARK(build_payment_of_10000_coins)
    ->Arg(1'000)
    ->Arg(10'000)
    ->Arg(50'000)
    ->Unit(benchmark::kMillisecond);

/// Derives the keys of 1,000 inputs, signs and verifies them.
///
/// range   a ScriptKind
void sign_1000_inputs(benchmark::State& state) {
    PrivateChildren keys = bench_keys();
    const auto kind = static_cast<ScriptKind>(state.range(0));
    const auto coins = coins_of(keys, kind, 1'000);
    chain::Transaction transaction;
    for (const InputCoin& coin : coins) transaction.inputs.push_back({coin.outpoint, {}, 0, {}});
    transaction.outputs = {{1'000, chain::Bytes{0x51}}};
    for (auto _ : state) {
        chain::Transaction copy = transaction;
        const auto done = sign_transaction(
            copy, coins, [&](const InputCoin& coin) { return keys.key(coin.path.index).value(); },
            {});
        if (!done) state.SkipWithError("not signed");
    }
    state.SetLabel(std::string(describe(kind)));
}
BENCHMARK(sign_1000_inputs)->DenseRange(0, 3)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace petal::wallet
