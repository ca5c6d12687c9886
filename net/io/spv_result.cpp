#include "net/io/spv_result.h"

#include <algorithm>

#include "chain/enum_table.h"

namespace petal::net {

std::string_view describe(SyncOutcome outcome) {
    using enum SyncOutcome;
    static constexpr auto kTexts = chain::enum_table<SyncOutcome, std::string_view>({
        {synced, "all blocks are in"},
        {timed_out, "the time limit has passed"},
        {no_usable_peer, "there is no usable peer"},
        {interrupted, "the sync was interrupted"},
    });
    return kTexts[outcome];
}

Traffic& Traffic::operator+=(const Traffic& more) {
    bytes_received += more.bytes_received;
    bytes_sent += more.bytes_sent;
    return *this;
}

std::vector<EndpointReport> reports_of(const std::vector<Endpoint>& endpoints) {
    std::vector<EndpointReport> reports;
    for (const auto& endpoint : endpoints) {
        if (find_report(reports, endpoint)) continue;
        reports.push_back({.endpoint = endpoint, .dials = 0, .last_failure = {}});
    }
    return reports;
}

std::optional<std::size_t> find_report(const std::vector<EndpointReport>& reports,
                                       const Endpoint& endpoint) {
    const auto same = [&](const EndpointReport& of) { return of.endpoint == endpoint; };
    const auto known = std::find_if(reports.begin(), reports.end(), same);
    if (known == reports.end()) return std::nullopt;
    return static_cast<std::size_t>(known - reports.begin());
}

void forget_unreported(std::vector<PeerTraffic>& connections,
                       const std::vector<PeerReport>& reports) {
    std::erase_if(connections,
                  [&](const PeerTraffic& of) { return find_report(reports, of.peer) == nullptr; });
}

EndpointFailure failure_of(DialError error) {
    return {DisconnectReason::unreachable, std::string{describe(error)}, is_about_proxy(error)};
}

std::string describe(const EndpointFailure& failure) {
    std::string text{describe(failure.reason)};
    if (!failure.detail.empty()) text.append(" (").append(failure.detail).append(")");
    return text;
}

}  // namespace petal::net
