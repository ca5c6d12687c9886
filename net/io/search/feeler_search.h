/// Chooses the endpoints that feelers test, through PeerFinder.
#pragma once

#include <chrono>
#include <optional>

#include "net/discovery/peer_finder.h"
#include "net/io/dial/dial.h"
#include "net/io/dial/endpoint.h"
#include "net/io/search/feeler.h"

namespace petal::net {

/// Adapts PeerFinder's feelers to net/io. Report one outcome for each endpoint that choose()
/// returned.
class FeelerSearch {
public:
    /// `finder` must outlive the search.
    explicit FeelerSearch(PeerFinder& finder) : finder_(finder) {}

    /// The node to test now (see PeerFinder::choose_feeler()).
    std::optional<Endpoint> choose(Now now);
    /// When to call choose() next. Empty while a feeler is running.
    std::optional<std::chrono::milliseconds> next_at() const { return finder_.feelers().next_at(); }

    void on_answer(const FeelerAnswer& answer, Now now);
    void on_not_connected(const Endpoint& peer, DialError error, Now now);
    /// The run ended before the feeler.
    void on_given_up() { finder_.feelers().on_no_verdict(); }

private:
    PeerFinder& finder_;
};

}  // namespace petal::net
