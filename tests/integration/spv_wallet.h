/// A wallet with everything that syncs it, in a folder of its own: the client under test.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/temporary_folder.h"
#include "net/io/spv_client.h"
#include "wallet/wallet.h"

namespace petal::test {

struct SyncRequest {
    std::vector<net::Endpoint> endpoints;
    /// Listen for unconfirmed transactions until this holds; nothing for not at all.
    std::function<bool(const wallet::Wallet&)> until;
    /// The peer has that long for each answer.
    std::chrono::milliseconds answer_timeout{20'000};
};

/// How a sync ended, and what it took.
struct SyncEnd {
    net::SyncOutcome outcome = net::SyncOutcome::no_usable_peer;
    net::SyncStatus status;
    net::SpvResult result;
    /// Whether SyncRequest::until came to hold.
    bool until_held = false;
};

/// The files lie where the command `petal` looks for them, so either can go on from the other.
class SpvWallet {
public:
    SpvWallet(const std::string& mnemonic, wallet::LookAhead look_ahead);

    /// One sync as the command does it, from files to files.
    SyncEnd sync(const SyncRequest& request);
    /// The command line that does the same.
    std::vector<std::string> sync_command(const net::Endpoint& endpoint) const;

    /// The wallet as it is on disk.
    wallet::Wallet open() const;

private:
    std::filesystem::path wallet_file() const;

    cli::TemporaryFolder folder_;
};

}  // namespace petal::test
