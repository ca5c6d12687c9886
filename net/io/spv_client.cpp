#include "net/io/spv_client.h"

#include <utility>

#include "net/io/spv_run.h"

namespace petal::net {

SpvClient::SpvClient(SyncEngine& engine, const chain::NetworkParams& network, SpvOptions options)
    : run_(std::make_unique<SpvRun>(engine, network, std::move(options))) {}

SpvClient::~SpvClient() = default;

SpvResult SpvClient::run() {
    return run_->run();
}

void SpvClient::stop() {
    run_->stop();
}

}  // namespace petal::net
