#include "tests/integration/client.h"

#include <ctime>

#include "chain/headers/header_file.h"
#include "tests/integration/actors.h"
#include "tests/support/test_chain.h"

namespace petal::test {

Client::Client(wallet::LookAhead look_ahead, wallet::ScriptKind type) {
    wallet::NewWallet wallet;
    wallet.mnemonic = kMnemonic;
    wallet.account.kind = type;
    wallet.look_ahead = look_ahead;
    wallet::Wallet::create(wallet_file(), regtest_params(), wallet);
}

Client::Client(const std::vector<wallet::NewDescriptor>& descriptors,
               wallet::LookAhead look_ahead) {
    wallet::Wallet::watch(wallet_file(), regtest_params(), {descriptors, {}, look_ahead});
}

wallet::Wallet Client::open(wallet::Access access) const {
    return wallet::Wallet::open(wallet_file(), regtest_params(), access);
}

SyncRun Client::sync(std::vector<net::Endpoint> endpoints, net::SyncOptions options,
                     net::SpvOptions how) {
    return run(std::move(endpoints), std::move(options), std::move(how), nullptr);
}

SyncRun Client::follow(const net::Endpoint& endpoint,
                       std::function<bool(const net::SyncStatus&)> done) {
    net::SyncOptions options;
    options.wait_unconfirmed = net::SyncOptions::kForever;
    return run({endpoint}, std::move(options), {}, std::move(done));
}

SyncRun Client::run(std::vector<net::Endpoint> endpoints, net::SyncOptions options,
                    net::SpvOptions how, std::function<bool(const net::SyncStatus&)> done) {
    auto wallet = wallet::Wallet::open(wallet_file(), regtest_params(), wallet::Access::sync);
    chain::HeaderChain headers(regtest_params());
    chain::HeaderFile file(folder_.path() / "regtest/headers.dat", headers, std::time(nullptr));
    net::SyncEngine engine(headers, wallet, std::move(options));
    how.endpoints = std::move(endpoints);
    how.timeout = std::chrono::seconds{60};
    how.saves.flush_headers = [&file] { file.flush(); };
    std::optional<net::SpvClient> client;
    if (done) {
        how.events.on_progress = [&](const net::SyncStatus& status, const net::Traffic&) {
            if (done(status)) client->stop();
        };
    }
    client.emplace(engine, regtest_params(), how);
    SyncRun run;
    run.result = client->run();
    run.status = engine.status();
    return run;
}

std::vector<std::string> Client::command(const net::Endpoint& endpoint) const {
    return {PETAL_EXECUTABLE, "--network",
            "regtest",        "--datadir",
            folder_.path(),   "sync",
            "--connect",      endpoint.host + ":" + std::to_string(endpoint.port)};
}

}  // namespace petal::test
