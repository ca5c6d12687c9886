#include "net/io/link_feedback.h"

namespace petal::net {

void LinkFeedback::on_joined(PeerLink& link, Now now) {
    dialler_.on_connected(link.endpoint());
    search_.on_connected(now);
    link.set_synced_before(marks_.synced_height());
}

bool LinkFeedback::on_heard(PeerLink& link, Now now) {
    return search_.on_heard(endpoint_of(link), link.collector(), link.origin().time, now);
}

void LinkFeedback::on_handed_over(PeerLink& link, Now now) {
    const auto& status = engine_.status();
    const auto before = link.service();
    link.record_progress(status, marks_.raise(status));
    if (link.service() == before) return;
    search_.on_service(endpoint_of(link), link.service(), now);
    dialler_.on_serving(link.endpoint());
}

void LinkFeedback::on_left(PeerLink& link, Now now) {
    auto failure = link.failure();
    const PeerReport* const report = find_report(engine_.status().peers, link.id());
    if (report && report->ended && failure.reason == DisconnectReason::gone) {
        failure.reason = *report->ended;  // the engine knows more: the peer left a request open
    }
    const auto service = link.service_until(engine_.status(), failure.reason);
    search_.on_ended(endpoint_of(link), failure.reason, service, now);
    dialler_.on_ended(link.endpoint(), std::move(failure), service != PeerService::none, now);
}

void LinkFeedback::on_run_over(PeerLink& link, Now now) {
    const bool served = link.serves() || link.has_answered(engine_.status());
    const auto service = served ? PeerService::answered : PeerService::none;
    search_.on_ended(endpoint_of(link), DisconnectReason::finished, service, now);
}

}  // namespace petal::net
