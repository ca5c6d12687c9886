/// Decides which endpoints a sync dials, and when. Reports failures to the user.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "net/io/dial/dial_plan.h"
#include "net/io/driver.h"
#include "net/io/search/handshake_probe.h"
#include "net/io/search/peer_search.h"
#include "net/io/spv_client.h"
#include "net/io/sync_group_peers.h"
#include "net/sync/state/source_kind.h"

namespace petal::net {

/// Fills the slots with the endpoints that the user named (DialPlan) and with endpoints of the
/// search. Starts feelers while all slots are taken.
class SpvDialler final : public Dialler {
public:
    /// The arguments must outlive the dialler. The dialler keeps the endpoints of `result`: first
    /// the endpoints of the options, then the endpoints of the search.
    /// group_peers   null without a group
    SpvDialler(const SpvOptions& options, Magic magic, Driver& driver, PeerSearch& search,
               SpvResult& result, SyncGroupPeers* group_peers);
    ~SpvDialler() = default;
    SpvDialler(const SpvDialler&) = delete;
    SpvDialler& operator=(const SpvDialler&) = delete;

    std::optional<std::chrono::steady_clock::time_point> dial_more(Now now) override;
    const Endpoint& endpoint_at(std::size_t index) const override {
        return result_.endpoints[index].endpoint;
    }
    void on_dial_failed(std::size_t index, DialError error) override;

    /// Whether one more peer than SpvOptions::max_peers may be connected.
    void set_extra(bool may_use_extra);
    /// The source of matches, empty until it is chosen. If the choice is to be made again,
    /// endpoints that do not serve the last source are dialled again.
    void set_source(std::optional<MatchSourceKind> source, Now now);
    void on_connected(std::size_t index) { dialling_.erase(index); }
    /// The connection began to advance the sync.
    void on_serving(std::size_t index);
    /// The connection ended.
    /// served   whether the connection advanced the sync
    void on_ended(std::size_t index, EndpointFailure failure, bool served, Now now);
    /// The run is over. Ends open dials, seed lookups and feelers in the search without a result,
    /// since other syncs may share the search.
    void give_up_search(Now now);

private:
    bool finds_other_nodes();
    void serve(std::size_t index);
    void look_for_peers(Now now);
    void offer(const Endpoint& endpoint, std::chrono::milliseconds now);
    std::optional<std::chrono::milliseconds> gives_up_at() const;
    std::chrono::steady_clock::time_point next_look(std::optional<std::chrono::milliseconds> at,
                                                    Now now) const;
    bool sends_feelers() const;
    boost::asio::awaitable<void> send_feeler(Endpoint peer);
    boost::asio::awaitable<void> fetch_addresses(std::size_t index);
    void on_fetched(std::size_t index, FetchedAddresses fetched, Now since);
    void record_failure(std::size_t index, EndpointFailure failure, bool served, Now now);
    void record_dial_error(std::size_t index, DialError error, Now now);
    void report();
    void report_seed();

    const SpvOptions& options_;
    Magic magic_;
    Driver& driver_;
    PeerSearch& search_;
    SpvResult& result_;
    SyncGroupPeers* group_peers_;
    DialPlan plan_;
    std::set<std::size_t> dialling_;
    std::set<std::string> asked_seeds_;
    bool is_testing_ = false;  // a feeler is running
    bool has_extra_ = false;
    std::optional<MatchSourceKind> source_;
};

}  // namespace petal::net
