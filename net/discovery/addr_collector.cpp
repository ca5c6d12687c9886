#include "net/discovery/addr_collector.h"

namespace petal::net {

void AddrCollector::on_message(const Message& message) {
    if (const auto* version = std::get_if<Version>(&message)) {
        if (!has_version_) new_services_ = version->services;
        has_version_ = true;
        return;
    }
    if (std::holds_alternative<Verack>(message)) handshake_complete_ = has_version_;
    const auto* old = std::get_if<Addr>(&message);
    const auto* modern = std::get_if<AddrV2>(&message);
    if (!handshake_complete_ || !(old || modern)) return;
    const auto& addresses = old ? old->addresses : modern->addresses;
    gossip_.insert(gossip_.end(), addresses.begin(), addresses.end());
    gossip_count_ += addresses.size();
}

}  // namespace petal::net
