/// Decides which endpoints a sync dials, and when.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "net/io/dial/dial_plan.h"
#include "net/io/driver.h"
#include "net/io/search/addr_fetch.h"
#include "net/io/spv_client.h"

namespace petal::net {

/// Fills the slots for peers with the endpoints that the user named (DialPlan) and with those that
/// the search finds, and sends feelers while all slots are taken.
class SpvDialler {
public:
    /// All must outlive the dialler, which adds to `reports` the endpoints that it finds.
    /// on_seed_answer   called when a DNS seed has been looked up, or asked for addresses
    SpvDialler(const SpvOptions& options, Magic magic, Driver& driver,
               std::vector<EndpointReport>& reports, std::function<void()> on_seed_answer);

    /// Dials endpoints if slots are free. Returns when to call it again; empty if no peer is left
    /// to dial or to find.
    std::optional<std::chrono::steady_clock::time_point> dial_more(Now now);
    const Endpoint& endpoint(std::size_t index) const { return reports_[index].endpoint; }

    /// A connection was opened.
    void on_connected(std::size_t index) { dialling_.erase(index); }
    /// The connection has begun to bring the sync forward.
    void on_serving(std::size_t index);
    /// The dialling has failed, or the connection has ended.
    /// served   whether the connection brought the sync forward
    void on_failed(std::size_t index, EndpointFailure failure, bool served, Now now);
    /// The run is over. Tells the search, which other syncs may use, that what is open will have no
    /// answer: dials, lookups of seeds, a feeler.
    void give_up_search(Now now);

private:
    void serve(std::size_t index);
    void look_for_peers(Now now);
    void offer(const Endpoint& endpoint, std::chrono::milliseconds now);
    bool can_still_find_peers(std::chrono::milliseconds now) const;
    std::chrono::steady_clock::time_point next_look(const std::optional<DialPlan::Next>& next,
                                                    Now now) const;
    bool sends_feelers() const;
    boost::asio::awaitable<void> send_feeler(Endpoint peer);
    boost::asio::awaitable<void> fetch_addresses(std::size_t index);
    void on_fetched(std::size_t index, FetchedAddresses fetched, Now since);

    const SpvOptions& options_;
    Magic magic_;
    Driver& driver_;
    std::vector<EndpointReport>& reports_;
    std::function<void()> on_seed_answer_;
    DialPlan plan_;
    std::set<std::size_t> dialling_;
    std::set<std::string> asked_seeds_;
    bool is_testing_ = false;  // by a feeler
};

}  // namespace petal::net
