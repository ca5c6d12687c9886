/// The inside of the sync engine: its state, which engine_messages (what peers say), engine_work
/// (what is done next), engine_announcing (what peers are told) and sync_engine (its face) share.
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "net/peer/random.h"
#include "net/peer/tx_server.h"
#include "net/sync/inv_counter.h"
#include "net/sync/peer_session.h"
#include "net/sync/scan.h"
#include "net/sync/sync_engine.h"
#include "net/sync/watch_index.h"

namespace petal::net {

// What is delivered waits no longer for its batch than this, and is never more than this.
inline constexpr std::chrono::milliseconds kHoldTime{2'000};
inline constexpr std::size_t kHoldBytes = 4'000'000;
// Another peer is asked for headers when the one that is asked has been silent for so long, and the
// sync is not held up by a peer that may or may not have more of them.
inline constexpr std::chrono::milliseconds kHeaderPatience{2'000};
// Who has been silent for so long is asked whether it is still there.
inline constexpr std::chrono::milliseconds kKeepAlive{120'000};
// After a sleep of this machine's, which connections rarely survive, not for as long.
inline constexpr std::chrono::milliseconds kAfterSleep{5'000};
inline constexpr std::int64_t kSleepSeconds = 30;
// What has not moved for so long needs an explanation.
inline constexpr std::chrono::milliseconds kUnexplained{3'000};

inline constexpr std::ptrdiff_t kMaxEndedReports = 200;

using Outcome = chain::Expected<void, Violation>;

/// What is kept of a peer beyond its connection.
struct PeerTrace {
    HeightRanges served;  ///< blocks of the scan for which its word was taken
    chain::Bytes network_group;
    bool caught = false;  ///< leaving out what it should have sent
};

struct SyncEngine::State {
    State(SyncEngine& face, chain::HeaderChain& headers, chain::Watcher& watched, SyncOptions how)
        : engine(face),
          chain(headers),
          watcher(watched),
          options(std::move(how)),
          random(options.random_seed),
          scan(headers, watched, options.false_positive_rate),
          // What full blocks hold is proven as a whole.
          cross_check(options.full_blocks ? CrossCheckMode::none : options.cross_check,
                      random.next()) {}

    SyncEngine& engine;
    chain::HeaderChain& chain;
    chain::Watcher& watcher;
    SyncOptions options;
    SecretNumbers random;  // peers see nonces, and must not foresee the rest
    Scan scan;
    CrossCheck cross_check;
    std::optional<WatchIndex> cached_watch_index;  // for full blocks
    InvCounter announcements;
    TxServer broadcaster;
    std::optional<chain::BlockHash> announced_own_at_tip;
    std::optional<std::chrono::milliseconds> announce_own_at;
    std::vector<Command> commands;
    std::map<PeerId, PeerSession> sessions;
    std::map<PeerId, PeerTrace> traces;  // also of those that are gone
    std::optional<PeerId> header_peer;   // whose headers are followed until it has no more
    // The oldest block that waits for its batch.
    std::optional<std::chrono::milliseconds> held_since;
    std::chrono::milliseconds store_unconfirmed_at{0};  // if there are any
    // Those that showed them have shown or claimed the blocks up to here, so that none of these
    // conflicts with them.
    std::uint32_t unconfirmed_seen_at = 0;
    // Set when the blocks were complete for the first time.
    std::optional<std::chrono::milliseconds> listening_until;
    std::chrono::milliseconds last_time{0};    // that anything happened
    std::optional<std::int64_t> clock_offset;  // seconds from the steady clock's to the date's
    std::uint64_t arrivals = 0;                // what has come, in one number
    std::optional<std::chrono::milliseconds> moved_at;
    SyncStatus status;

    void send(const PeerSession& session, Message message) {
        commands.emplace_back(Send{session.id, std::move(message)});
    }
    PeerReport& report(PeerId peer);  // of one that is there
    void forget_old_reports();

    void end_session(PeerSession& session, DisconnectReason reason);
    void drop(PeerSession& session, const Violation& violation);

    Outcome dispatch(PeerSession& session, Message message, Now now);
    Outcome on_handshake(PeerSession& session, const Message& message, Now now);
    Outcome on_pong(PeerSession& session, const Pong& pong, Now now);
    Outcome on_passed_over(PeerSession& session, const std::vector<chain::BlockRef>& blocks,
                           Now now);
    void on_shown(PeerSession& session, const chain::BlockHash& hash);
    void request_headers(PeerSession& session, Now now);
    Outcome on_headers(PeerSession& session, const Headers& message, Now now);
    void follow_chain(const chain::BlockRef& old_tip);
    Outcome on_inventory(PeerSession& session, const Inv& message, Now now);
    Outcome on_transaction(PeerSession& session, Tx message, Now now);
    void on_request(const PeerSession& session, const GetData& message);
    Outcome on_unconfirmed(PeerSession& session, chain::Transaction transaction,
                           const chain::Txid& txid, Now now);
    void request_transactions(PeerSession& session, const std::vector<chain::Txid>& txids);
    void ask_again_for_unjudged();
    std::size_t txids_of_each() const { return txids_of_each_of(sessions.size()); }
    Outcome on_not_found(PeerSession& session, const NotFound& message, Now now);
    Outcome on_delivery(PeerSession& session,
                        chain::Expected<std::optional<Delivery>, Violation> delivery, Now now);
    void accept(PeerSession& session, Delivery delivery, Now now);
    HeightRanges covered_by(const PeerSession& session, const Delivery& delivery) const;
    void tell_others(const PeerSession& finder, const std::vector<chain::Outpoint>& found);
    void add_to_filters(const std::vector<chain::Outpoint>& outpoints,
                        const PeerSession* has_them = nullptr);
    Outcome on_second_opinion(PeerSession& session, Delivery delivery);
    bool may_cross_check(const PeerSession& session, PeerId first) const;
    bool can_ask_about(PeerId first, std::uint32_t height) const;

    void drive(Now now);
    Patience patience() const;
    bool is_batch_due(Now now);
    void apply_held();
    bool are_unconfirmed_due(Now now) const;
    void store_unconfirmed();
    void discard_above(std::uint32_t height);
    void follow_headers(Now now);
    void serve(PeerSession& session, Now now);
    struct Task {
        std::vector<chain::BlockRef> blocks;
        BlockPurpose purpose = BlockPurpose::scan;
    };
    Task next_task(PeerSession& session, Now now);
    std::uint32_t last_block_of(const PeerSession& session) const;
    std::uint32_t last_block_to_ask(const PeerSession& session) const;
    std::size_t window_of(const PeerSession& session);
    std::size_t busy_window_of(const PeerSession& session) const;
    double room_of_next_filter();
    double room_of(const PeerSession& session);
    bool is_saturating(const PeerSession& session);
    WatchIndex& watch_index();
    void refresh_filter(PeerSession& session);
    void listen(Now now);
    void announce_own(Now now);
    bool announce_own_to_half();
    void check_deadlines(PeerSession& session, Now now);
    bool is_to_be_replaced(PeerSession& session, Now now);
    void ask_for_sign_of_life(PeerSession& session, std::chrono::milliseconds due);
    void notice_sleep(Now now);
    void update_status(Now now);
    SyncPhase phase(Now now) const;
    StallReason stall_reason() const;
    bool all_crawl() const;
    bool all_have_lighter_chains() const;
    bool has_required_work() const;
    bool headers_settled() const;
    bool checks_pending() const;
    bool blocks_complete() const;
};

}  // namespace petal::net
