#include "net/io/search/feeler_search.h"

#include "net/io/dial/peer_endpoint.h"

namespace petal::net {

std::optional<Endpoint> FeelerSearch::choose(Now now) {
    const auto address = finder_.choose_feeler(now);
    return address ? std::optional{endpoint_of(*address)} : std::nullopt;
}

void FeelerSearch::on_answer(const FeelerAnswer& answer, Now now) {
    if (answer) return finder_.on_feeler_answered(*answer, now);
    finder_.feelers().on_failed(answer.error(), now);
}

void FeelerSearch::on_not_connected(const Endpoint& peer, DialError error, Now now) {
    if (is_about_proxy(error)) return finder_.feelers().on_no_verdict();
    if (proves_connectivity(peer, error)) finder_.on_answer(now);
    finder_.feelers().on_failed(DisconnectReason::unreachable, now);
}

}  // namespace petal::net
