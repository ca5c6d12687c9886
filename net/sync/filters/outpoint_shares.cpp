#include "net/sync/filters/outpoint_shares.h"

namespace petal::net {

namespace {

bool has_share(std::size_t all, std::size_t own, std::size_t more, std::size_t most) {
    const std::size_t others = all - own;
    return others < most && own + more <= (most - others) / 2;
}

}  // namespace

void OutpointShares::add(const UnconfirmedMatch& match) {
    for (const chain::Outpoint& outpoint : match.outpoints()) ++counts_[outpoint];
    if (match.is_undone()) {
        undone_ += match.size();
        return;
    }
    for (Room* room : {&taken_, &shares_[match.network_group]}) {
        room->outpoints += match.size();
        room->bytes += match.bytes;
    }
}

void OutpointShares::remove(const UnconfirmedMatch& match) {
    for (const chain::Outpoint& outpoint : match.outpoints()) {
        const auto counted = counts_.find(outpoint);
        if (--counted->second == 0) counts_.erase(counted);
    }
    if (match.is_undone()) {
        undone_ -= match.size();
        return;
    }
    const auto share = shares_.find(match.network_group);
    for (Room* room : {&taken_, &share->second}) {
        room->outpoints -= match.size();
        room->bytes -= match.bytes;
    }
    if (share->second.outpoints == 0) shares_.erase(share);
}

bool OutpointShares::has_room(NetGroupId network_group, Room more, Room most) const {
    const auto share = shares_.find(network_group);
    const Room own = share == shares_.end() ? Room{} : share->second;
    return has_share(taken_.outpoints, own.outpoints, more.outpoints, most.outpoints) &&
           has_share(taken_.bytes, own.bytes, more.bytes, most.bytes);
}

std::vector<chain::Outpoint> OutpointShares::outpoints() const {
    std::vector<chain::Outpoint> all;
    all.reserve(counts_.size());
    for (const auto& [outpoint, count] : counts_) all.push_back(outpoint);
    return all;
}

}  // namespace petal::net
