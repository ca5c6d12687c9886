/// Filtered sync: brings a watcher up to the best chain, over whatever connections it is given.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "chain/header_chain.h"
#include "chain/watcher.h"
#include "net/sync/commands.h"

namespace petal::net {

struct SyncOptions {
    std::string user_agent = "/petal:0.1.0/";
    double false_positive_rate = 1e-5;
    /// How long to listen for unconfirmed transactions after the last block; nothing for not at all.
    std::optional<std::chrono::milliseconds> wait_unconfirmed;
    /// Blocks that may be asked for and not yet be answered.
    std::size_t blocks_in_flight = 2'000;
    /// Blocks that are handed to the watcher at once.
    std::size_t blocks_per_batch = 1'000;
    std::chrono::milliseconds handshake_timeout{10'000};
    /// How long the oldest unanswered request may wait.
    std::chrono::milliseconds answer_timeout{20'000};
    /// Seeds nonces and whatever else is drawn; with the same inputs the engine does the same again.
    std::uint64_t random_seed = 0;
};

enum class SyncPhase : std::uint8_t {
    no_peer,      ///< nobody to sync from
    handshake,
    headers,      ///< no block that matters is known yet
    blocks,       ///< headers and filtered blocks
    listening,    ///< all blocks are in; waiting for unconfirmed transactions
    done,
};

/// A stable kebab-case word.
std::string_view code_of(SyncPhase phase);

/// A peer as users see it.
struct PeerReport {
    PeerId id = 0;
    std::string address;
    std::string user_agent;
    std::uint64_t services = 0;
    std::int32_t height = 0;    ///< as its version message claims
    std::uint64_t blocks = 0;   ///< filtered blocks it served
    std::uint64_t misbehaviour = 0;  ///< how often it broke a rule
    std::optional<DisconnectReason> ended;  ///< nothing while connected
};

/// How a sync stands, and what it took.
struct SyncStatus {
    SyncPhase phase = SyncPhase::no_peer;
    std::uint32_t header_height = 0;   ///< of the best chain known
    std::uint32_t target_height = 0;   ///< the highest of header_height and what honest peers claimed
    std::uint32_t first_height = 0;    ///< where this run's scan began
    std::uint32_t synced_height = 0;   ///< everything watched is covered up to here
    std::uint64_t headers = 0;         ///< new ones in this run
    std::uint64_t filtered_blocks = 0; ///< received, asked-for-again ones included
    std::uint64_t refetched_blocks = 0;
    std::uint64_t transactions = 0;    ///< received with blocks or unconfirmed
    std::uint64_t false_positives = 0; ///< of those, the ones that nothing watched explains
    std::uint64_t filter_loads = 0;
    std::uint64_t reorgs = 0;
    /// Of the filter that the current peer has, or the last one had: exactly, its size, its functions.
    double filter_false_positive_rate = 0;
    std::size_t filter_bytes = 0;
    std::uint32_t filter_hash_functions = 0;
    std::vector<PeerReport> peers;
};

/// The decisions of a sync. Pure: given connections' events, the time and a seed, it returns commands, and
/// touches neither sockets nor clocks. Reads and extends `chain`, serves `watcher`.
///
/// Serves from one peer at a time: a further connection is taken over when the current one ends.
/// Exceptions of the watcher (a failing disk) pass through every on_ function; the engine is then of no more use.
/// Not thread-safe.
class SyncEngine {
public:
    /// `chain` and `watcher` must outlive the engine.
    SyncEngine(chain::HeaderChain& chain, chain::Watcher& watcher, SyncOptions options);
    ~SyncEngine();
    SyncEngine(const SyncEngine&) = delete;
    SyncEngine& operator=(const SyncEngine&) = delete;

    /// A connection that we dialled stands; `address` is for reports.
    void on_connected(PeerId peer, std::string address, Now now);
    void on_message(PeerId peer, Message message, Now now);
    /// The peer sent bytes that are no message; the engine answers with Disconnect.
    void on_bad_bytes(PeerId peer, DisconnectReason reason, std::string detail, Now now);
    /// The connection is closed, by whichever side. Not needed after a Disconnect command.
    void on_closed(PeerId peer, Now now);
    /// To be called at next_deadline(), or later or more often.
    void on_time(Now now);

    /// What is to be done, in order; empties the list. To be asked after every on_ function.
    std::vector<Command> take_commands();
    /// The steady time at which on_time() has something to do; nothing while only peers can move things.
    std::optional<std::chrono::milliseconds> next_deadline() const;

    /// Synced to the best chain, and listened as long as the options ask.
    bool finished() const;
    const SyncStatus& status() const;

    /// Hands blocks that are complete but still held back for a batch to the watcher; for an
    /// interruption, so that nothing verified is lost.
    void flush(Now now);

    /// Called for each reorganisation of the best chain.
    std::function<void(const chain::ChainMove&)> on_reorganisation;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace petal::net
