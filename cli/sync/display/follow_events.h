/// The lines of `petal sync --follow`: one for each event.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "chain/headers/header_chain.h"
#include "chain/headers/header_file.h"
#include "cli/sync/display/event_command.h"
#include "cli/terminal/console.h"
#include "cli/text/json.h"
#include "client/sync/source_choice.h"
#include "client/sync/wallet_changes.h"
#include "net/io/spv_result.h"
#include "net/sync/sync_engine.h"
#include "wallet/wallet.h"

namespace petal::cli {

/// Writes the events of all syncs of a run: to the user, in words or as one JSON object a line, and
/// to the command of --notify.
class EventOutput {
public:
    /// `console` must outlive the output.
    /// before_line   called before each line in words, to clear the progress line
    /// notify        a shell command that gets the events of transactions, reorganisations, synced
    ///               blocks and peers. Empty for none
    EventOutput(Console& console, bool json, std::function<void()> before_line,
                const std::string& notify);

    bool writes_json() const { return json_; }
    void write(const std::string& words);
    void write(const Json& event);
    /// Gives an event to the command of --notify.
    void notify(const Json& event);
    void warn_of_failed_commands();
    /// Waits a little for running commands, and reports the number of events that are left.
    void finish_commands();

    /// Whether no sync has reported this tip or move yet. All syncs share the chain.
    bool is_new_tip(const chain::BlockHash& tip) { return std::exchange(last_tip_, tip) != tip; }
    bool is_new_move(const chain::ChainMove& move);
    bool is_new_age(bool is_old) { return std::exchange(last_age_, is_old) != is_old; }

private:
    void flush();
    void warn_of_failures(const std::string& consequence);

    Console& console_;
    bool json_;
    std::function<void()> before_line_;
    EventCommand notify_;
    std::optional<chain::BlockHash> last_tip_;
    bool last_age_ = false;
    std::deque<chain::BlockHash> left_tips_;  // by the last reorganisations
};

/// Writes the events of one sync. Each event has a name and tells whether the chain has the minimum
/// work.
class EventWriter {
public:
    /// Returns whether the followed chain has the network's minimum work.
    using HasMinimumWork = std::function<bool()>;
    /// Writes the state to files, so that a reader of an event finds the same state in the files.
    using Store = std::function<void()>;

    /// `output` must outlive the writer.
    /// wallet   the name added to each event. Empty for none
    /// store    called before each event
    EventWriter(EventOutput& output, std::string wallet, HasMinimumWork has_minimum_work,
                Store store);

    EventOutput& output() const { return output_; }
    bool writes_json() const { return output_.writes_json(); }
    void write(const std::string& words);
    void write(std::string_view event, const Json& what);
    /// Writes an event in words or as JSON, and gives the event to the command of --notify.
    void emit(std::string_view event, const Json& what, const std::string& words);
    /// emit() for an event of the chain, without the wallet's name.
    void emit_for_chain(std::string_view event, const Json& what, const std::string& words);
    void write_for_chain(std::string_view event, const Json& what);
    /// Passes an event only to the command of --notify.
    void notify(std::string_view event, const Json& what);

private:
    void emit(std::string_view event, const Json& what, const std::string& words,
              const std::string& wallet);
    Json prepare(std::string_view event, const Json& what, const std::string& wallet) const;
    std::string prepare(const std::string& words, const std::string& wallet) const;

    EventOutput& output_;
    std::string wallet_;
    HasMinimumWork has_minimum_work_;
    Store store_;
};

/// Compares the present state with the reported state, and reports changes. The wallet's state at
/// the start is not reported. The wallet and the headers are stored before an event is written, so
/// that a reader of the event finds the same state on the disk.
class FollowEvents {
public:
    using Clock = std::chrono::steady_clock;

    struct Sources {
        const wallet::Wallet& wallet;
        const chain::HeaderChain& chain;
        chain::HeaderFile& file;  ///< of the chain
        const net::SyncEngine& engine;
    };

    /// The sources and the output must outlive this object.
    /// wallet   the name added to each event except the chain's. Empty for none
    FollowEvents(Sources sources, EventOutput& output, std::string wallet);

    /// Call this after every possible change. Throws CommandError if standard output is closed.
    void update(Clock::time_point now);
    /// Call this when a signal or --timeout ends a run, after EventOutput::finish_commands().
    void on_end();
    /// The next update() reports the reorganisation, when the wallet has undone the replaced
    /// blocks.
    void on_reorganisation(const chain::ChainMove& move) { changes_.on_reorganisation(move); }
    /// The source of matches was chosen. Reported as JSON only: people get a log line.
    void on_source(const client::SourceChoice& choice);
    /// The connection to a node failed, or the node was useless. Reported only as JSON: people get
    /// a warning on standard error.
    void on_failure(const net::Endpoint& endpoint, const net::EndpointFailure& failure);

private:
    struct Peer {
        bool greeted = false;
        bool ended = false;
    };

    /// The wallet's receive addresses that a transaction pays.
    std::vector<std::string> receive_addresses(const wallet::HistoryEntry& entry) const;
    std::string payee_text(const wallet::HistoryEntry& entry) const;
    void emit_peers();
    void emit_reorganisations();
    void emit_headers(Clock::time_point now);
    void emit_old_tip();
    void emit_transactions();
    void emit_progress(Clock::time_point now);

    Sources sources_;
    EventWriter writer_;
    client::WalletChanges changes_;
    std::map<net::PeerId, Peer> peers_;
    std::optional<chain::BlockHash> last_synced_;
    std::optional<Clock::time_point> headers_at_;
    std::optional<Clock::time_point> progress_at_;
    Json last_progress_;
    bool was_old_ = false;  // the last block
};

}  // namespace petal::cli
