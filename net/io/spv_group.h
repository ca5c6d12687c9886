/// Syncs of several watchers, on one thread.
#pragma once

#include <exception>
#include <memory>
#include <vector>

#include "chain/network_params.h"
#include "net/io/spv_client.h"
#include "net/io/spv_result.h"
#include "net/sync/sync_engine.h"

namespace petal::net {

/// Runs syncs of several watchers that share a header chain (SharedHeaders), on the thread that
/// calls run(). Each sync has its own engine and connections, and ends on its own.
class SpvGroup {
public:
    /// The result of a sync.
    struct End {
        SpvResult result;
        std::exception_ptr failure;  ///< exception of the watcher or a callback, or null
    };

    SpvGroup();
    ~SpvGroup();
    SpvGroup(const SpvGroup&) = delete;
    SpvGroup& operator=(const SpvGroup&) = delete;

    /// Adds a sync, with the arguments of SpvClient's constructor.
    void add(SyncEngine& engine, const chain::NetworkParams& network, SpvOptions options);
    /// Runs all syncs, and returns their results in the order of add(). Call this once. An
    /// exception ends only the sync in which it was thrown.
    std::vector<End> run();
    /// Ends all syncs, with `interrupted`. For callbacks.
    void stop();

private:
    struct Members;
    std::unique_ptr<Members> members_;
};

}  // namespace petal::net
