#include "tests/integration/spv_wallet.h"

#include "chain/header_file.h"

namespace petal::test {
namespace {

constexpr std::chrono::seconds kPatience{60};

const chain::NetworkParams& regtest_network() { return *chain::find_network("regtest"); }

std::int64_t unix_time_now() {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::seconds>(now).count();
}

}  // namespace

SpvWallet::SpvWallet(const std::string& mnemonic, wallet::LookAhead look_ahead) {
    wallet::NewWallet wallet;
    wallet.mnemonic = mnemonic;
    wallet.look_ahead = look_ahead;
    wallet::Wallet::create(wallet_file(), regtest_network(), wallet);
}

std::filesystem::path SpvWallet::wallet_file() const {
    return folder_.path() / "regtest" / "wallets" / "default.db";
}

wallet::Wallet SpvWallet::open() const {
    return wallet::Wallet::open(wallet_file(), regtest_network(), wallet::Access::read);
}

std::vector<std::string> SpvWallet::sync_command(const net::Endpoint& endpoint) const {
    return {PETAL_EXECUTABLE, "--network", "regtest",   "--datadir", folder_.path().string(),
            "sync",           "--connect", to_string(endpoint)};
}

SyncEnd SpvWallet::sync(const SyncRequest& request) {
    wallet::Wallet wallet =
        wallet::Wallet::open(wallet_file(), regtest_network(), wallet::Access::sync);
    chain::HeaderChain chain(regtest_network());
    chain::HeaderFile file(folder_.path() / "regtest" / "headers.dat", chain, unix_time_now());
    net::SyncOptions engine_options;
    engine_options.random_seed = 1;
    engine_options.answer_timeout = request.answer_timeout;
    if (request.until) engine_options.wait_unconfirmed = kPatience;
    net::SyncEngine engine(chain, wallet, engine_options);

    SyncEnd end;
    std::unique_ptr<net::SpvClient> client;
    net::SpvOptions options;
    options.endpoints = request.endpoints;
    options.timeout = kPatience;
    options.flush_headers = [&] { file.flush(); };
    options.on_progress = [&](const net::SyncStatus& status, const net::Traffic&) {
        if (!request.until || status.phase != net::SyncPhase::listening || end.until_held) return;
        end.until_held = request.until(wallet);
        if (end.until_held) client->stop();
    };
    client = std::make_unique<net::SpvClient>(engine, regtest_network(), options);
    end.result = client->run();
    end.outcome = end.result.outcome;
    end.status = engine.status();
    return end;
}

}  // namespace petal::test
