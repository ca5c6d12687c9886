/// The whole client, as the command puts it together: a wallet file, a header file, the engine and
/// sockets.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "net/io/spv_client.h"
#include "tests/integration/process.h"
#include "wallet/wallet.h"

namespace petal::test {

struct SyncRun {
    net::SpvResult result;
    net::SyncStatus status;
};

/// A wallet of kMnemonic in a folder of its own, laid out as the command's.
class Client {
public:
    explicit Client(wallet::LookAhead look_ahead = {20, 30},
                    wallet::ScriptKind type = wallet::ScriptKind::wpkh);

    /// A watch-only wallet instead.
    explicit Client(const std::vector<wallet::NewDescriptor>& descriptors,
                    wallet::LookAhead look_ahead = {20, 30});

    /// One run of a sync, from open files to closed ones, of a minute at most.
    SyncRun sync(std::vector<net::Endpoint> endpoints, net::SyncOptions options = {},
                 net::SpvOptions how = {});

    /// Follows the chain, a minute at most, until `done` says that it is; that is asked often.
    SyncRun follow(const net::Endpoint& endpoint, std::function<bool(const net::SyncStatus&)> done);

    /// The same as a process: `petal sync`, not waited for.
    std::vector<std::string> command(const net::Endpoint& endpoint) const;

    wallet::Wallet open(wallet::Access access = wallet::Access::read) const;

private:
    SyncRun run(std::vector<net::Endpoint> endpoints, net::SyncOptions options, net::SpvOptions how,
                std::function<bool(const net::SyncStatus&)> done);
    std::string wallet_file() const { return folder_.path() + "/regtest/wallets/default.db"; }

    TemporaryFolder folder_;
};

}  // namespace petal::test
