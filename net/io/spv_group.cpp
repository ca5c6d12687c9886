#include "net/io/spv_group.h"

#include <boost/asio/io_context.hpp>
#include <utility>

#include "net/io/spv_run.h"
#include "net/io/sync_group_peers.h"

namespace petal::net {

struct SpvGroup::Members {
    struct Member;

    std::shared_ptr<asio::io_context> io = std::make_shared<asio::io_context>(1);
    std::vector<std::unique_ptr<Member>> syncs;
};

/// A sync, which notifies the other syncs through the group.
struct SpvGroup::Members::Member final : SyncGroupPeers {
    Member(Members& all, SyncEngine& engine, const chain::NetworkParams& network,
           SpvOptions options)
        : group(all),
          place(all.syncs.size()),
          run(engine, network, std::move(options), this, all.io) {}
    ~Member() = default;
    Member(const Member&) = delete;
    Member& operator=(const Member&) = delete;

    std::size_t number() const override { return place; }
    void reschedule_others() override { tell_others(&SpvRun::reschedule); }
    void look_again() override { tell_others(&SpvRun::look_again); }
    void stop() override { tell_others(&SpvRun::stop); }

    void tell_others(void (SpvRun::*what)()) {
        for (const auto& other : group.syncs) {
            if (other.get() != this) (other->run.*what)();
        }
    }

    Members& group;
    std::size_t place;
    SpvRun run;
};

SpvGroup::SpvGroup() : members_(std::make_unique<Members>()) {}

SpvGroup::~SpvGroup() = default;

void SpvGroup::add(SyncEngine& engine, const chain::NetworkParams& network, SpvOptions options) {
    members_->syncs.push_back(
        std::make_unique<Members::Member>(*members_, engine, network, std::move(options)));
}

std::vector<SpvGroup::End> SpvGroup::run() {
    const bool is_alone = members_->syncs.size() == 1;
    for (const auto& sync : members_->syncs) sync->run.begin(is_alone);
    members_->io->run();
    std::vector<End> ends;
    for (const auto& sync : members_->syncs) ends.push_back(sync->run.end());
    return ends;
}

void SpvGroup::stop() {
    for (const auto& sync : members_->syncs) sync->run.stop();
}

}  // namespace petal::net
