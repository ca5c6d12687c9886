/// The whole client, assembled as by the command: a wallet file, a header file, the engine and
/// sockets.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/regtest/temporary_folder.h"
#include "net/io/spv_client.h"
#include "wallet/wallet.h"

namespace petal::test {

struct SyncRun {
    net::SpvResult result;
    net::SyncStatus status;
};

/// A wallet of kMnemonic in its own folder, with the same layout as the command's.
class Client {
public:
    explicit Client(wallet::LookAhead look_ahead = {20, 30},
                    wallet::ScriptKind type = wallet::ScriptKind::wpkh);

    /// A watch-only wallet.
    explicit Client(const std::vector<wallet::NewDescriptor>& descriptors,
                    wallet::LookAhead look_ahead = {20, 30});

    /// One run of a sync, from opening the files to closing them, for a minute at most.
    SyncRun sync(std::vector<net::Endpoint> endpoints, net::SyncOptions options = {},
                 net::SpvOptions how = {});

    /// Follows the chain until `done` returns true, for a minute at most. `done` is called often.
    SyncRun follow(const net::Endpoint& endpoint, std::function<bool(const net::SyncStatus&)> done);

    /// The command line of `petal sync` for the same sync in a separate process.
    std::vector<std::string> command(const net::Endpoint& endpoint) const;

    wallet::Wallet open(wallet::Access access = wallet::Access::read) const;

private:
    SyncRun run(std::vector<net::Endpoint> endpoints, net::SyncOptions options, net::SpvOptions how,
                std::function<bool(const net::SyncStatus&)> done);
    std::filesystem::path wallet_file() const {
        return folder_.path() / "regtest/wallets/default.db";
    }

    cli::TemporaryFolder folder_;
};

}  // namespace petal::test
