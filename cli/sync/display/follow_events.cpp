#include "cli/sync/display/follow_events.h"

#include <algorithm>
#include <ostream>
#include <utility>

#include "chain/headers/header_rules.h"
#include "cli/sync/display/progress.h"
#include "cli/sync/text/source_text.h"
#include "cli/text/amount.h"
#include "cli/text/command_error.h"
#include "cli/text/text.h"
#include "cli/wallet/sync_status_text.h"
#include "client/spending/sent_payment.h"
#include "net/io/clocks.h"
#include "net/io/signals.h"

namespace petal::cli {

namespace {

// The minimum time between two lines of a kind while many blocks or headers arrive.
constexpr std::chrono::seconds kInterval{1};
// The time limit for the commands of --notify at the end.
constexpr std::chrono::milliseconds kLastCommands{500};
// All syncs of a run see a move of the chain within a short time, so a few moves suffice.
constexpr std::size_t kMaxLeftTips = 16;

bool is_due(const std::optional<FollowEvents::Clock::time_point>& last,
            FollowEvents::Clock::time_point now) {
    return !last || now >= *last + kInterval;
}

std::string time_text() {
    return format_exact_time(net::unix_time_now());
}

std::string amount_text(const wallet::HistoryEntry& entry) {
    const chain::Satoshis net = entry.net;
    return (net > 0 ? "+" : "") + format_btc(net) + " BTC";
}

std::string state_text(const wallet::HistoryEntry& entry, std::size_t seen_from) {
    if (entry.coinbase && entry.replaced_by) return "orphaned: its block left the chain";
    if (entry.is_replaced_for_certain) return "replaced by " + entry.replaced_by->to_hex();
    if (entry.height) return "in block " + format_count(*entry.height);
    if (entry.undone) return "undone: only a block that left the chain had it";
    std::string text = "unconfirmed";
    if (seen_from > 0) text += ", seen from " + count_of(seen_from, "peer");
    if (entry.conflicts_with.empty()) return text;
    text += ", conflicts with " + entry.conflicts_with.front().to_hex();
    return text + (entry.replaced_by ? ", which peers show more" : ", which peers show less");
}

// Before the first block of a new wallet, the chain's own work decides.
bool has_minimum_work(const FollowEvents::Sources& sources) {
    const auto synced = sources.wallet.info().synced;
    return synced ? sources.chain.has_minimum_chainwork(synced->hash)
                  : sources.chain.has_minimum_chainwork();
}

}  // namespace

EventOutput::EventOutput(Console& console, bool json, std::function<void()> before_line,
                         const std::string& notify)
    : console_(console), json_(json), before_line_(std::move(before_line)), notify_(notify) {}

void EventOutput::write(const std::string& words) {
    before_line_();
    console_.prose() << time_text() << "  " << words << '\n';
    flush();
}

void EventOutput::write(const Json& event) {
    console_.print_json(event);
    flush();
}

// A sync that is asked to stop saves the state first. The failure is reported afterwards.
void EventOutput::flush() {
    if (console_.out().flush() || net::is_stop_requested()) return;
    console_.flush_out();
}

void EventOutput::notify(const Json& event) {
    if (notify_.is_set() && !notify_.run(to_line(event) + "\n")) {
        console_.warn("too many events wait for the command of --notify; one was dropped");
    }
}

void EventOutput::warn_of_failed_commands() {
    warn_of_failures("; petal goes on, and does not repeat this");
}

void EventOutput::warn_of_failures(const std::string& consequence) {
    for (const std::string& failure : notify_.take_failures()) {
        before_line_();
        console_.warn("the command of --notify " + failure + consequence);
    }
}

void EventOutput::finish_commands() {
    warn_of_failures("");
    if (const std::size_t left = notify_.finish(kLastCommands); left > 0) {
        console_.warn("the command of --notify has not ended for the last " +
                      count_of(left, "event"));
    }
    // Failures after Ctrl-C are not reported, because Ctrl-C ends the commands too.
    if (!net::is_stop_requested()) return warn_of_failures("");
    static_cast<void>(notify_.take_failures());
}

// The old tip identifies a move, because the new tip may differ: a sync that sees the move later
// may find a longer chain, or a second move.
bool EventOutput::is_new_move(const chain::ChainMove& move) {
    if (std::ranges::find(left_tips_, move.old_tip.hash) != left_tips_.end()) return false;
    left_tips_.push_back(move.old_tip.hash);
    if (left_tips_.size() > kMaxLeftTips) left_tips_.pop_front();
    return true;
}

EventWriter::EventWriter(EventOutput& output, std::string wallet, HasMinimumWork has_minimum_work,
                         Store store)
    : output_(output),
      wallet_(std::move(wallet)),
      has_minimum_work_(std::move(has_minimum_work)),
      store_(std::move(store)) {}

std::string EventWriter::prepare(const std::string& words, const std::string& wallet) const {
    return (wallet.empty() ? "" : wallet + ": ") + printable(words, kMaxShown) +
           (has_minimum_work_() ? "" : "  (less than the minimum work)");
}

Json EventWriter::prepare(std::string_view event, const Json& what,
                          const std::string& wallet) const {
    Json json{{"event", event}};
    if (!wallet.empty()) json["wallet"] = wallet;
    json.update(what);
    json["minimum_work"] = has_minimum_work_();
    return json;
}

void EventWriter::write(const std::string& words) {
    store_();
    output_.write(prepare(words, wallet_));
}

void EventWriter::write(std::string_view event, const Json& what) {
    store_();
    output_.write(prepare(event, what, wallet_));
}

void EventWriter::write_for_chain(std::string_view event, const Json& what) {
    store_();
    output_.write(prepare(event, what, {}));
}

void EventWriter::emit(std::string_view event, const Json& what, const std::string& words) {
    emit(event, what, words, wallet_);
}

void EventWriter::emit_for_chain(std::string_view event, const Json& what,
                                 const std::string& words) {
    emit(event, what, words, {});
}

void EventWriter::emit(std::string_view event, const Json& what, const std::string& words,
                       const std::string& wallet) {
    store_();
    const Json json = prepare(event, what, wallet);
    output_.notify(json);
    writes_json() ? output_.write(json) : output_.write(prepare(words, wallet));
}

void EventWriter::notify(std::string_view event, const Json& what) {
    store_();
    output_.notify(prepare(event, what, wallet_));
}

FollowEvents::FollowEvents(Sources sources, EventOutput& output, std::string wallet)
    : sources_(sources),
      writer_(
          output, std::move(wallet), [sources] { return has_minimum_work(sources); },
          [sources] { sources.file.flush(); }),
      changes_(sources.wallet, sources.chain, sources.engine) {}

void FollowEvents::update(Clock::time_point now) {
    emit_peers();
    emit_reorganisations();
    emit_headers(now);
    emit_transactions();
    emit_progress(now);
    emit_old_tip();
    writer_.output().warn_of_failed_commands();
}

void FollowEvents::on_failure(const net::Endpoint& endpoint, const net::EndpointFailure& failure) {
    Json what{{"address", to_string(endpoint)},
              {"connected", false},
              {"reason", net::code_of(failure.reason)},
              {"detail", printable(failure.detail, kMaxShown)}};
    writer_.writes_json() ? writer_.emit("peer", what, {}) : writer_.notify("peer", what);
}

void FollowEvents::on_source(const client::SourceChoice& choice) {
    if (writer_.writes_json()) return writer_.write("source", source_json(choice));
    writer_.write("payments are found by " + source_text(choice));
}

void FollowEvents::on_end() {
    const auto synced = sources_.wallet.info().synced;
    if (writer_.writes_json()) return writer_.write("ended", {{"synced", synced}});
    writer_.write("ended" + (synced ? " at block " + format_count(synced->height) : std::string()) +
                  "; what was verified is saved");
}

void FollowEvents::emit_peers() {
    const auto& reports = sources_.engine.status().peers;
    for (const net::PeerReport& peer : reports) {
        Peer& known = peers_[peer.id];
        if (peer.claims.has_version && !std::exchange(known.greeted, true)) {
            const std::string agent = printable(peer.claims.user_agent);
            writer_.emit("peer",
                         {{"address", peer.address},
                          {"connected", true},
                          {"user_agent", agent},
                          {"services", peer.claims.services},
                          {"height", peer.claims.height}},
                         "peer " + peer.address + " is there" +
                             (agent.empty() ? agent : " (" + agent + ")"));
        }
        // Peers that never answered are reported at the end of the sync.
        if (!peer.ended || !known.greeted || std::exchange(known.ended, true)) continue;
        writer_.emit("peer",
                     {{"address", peer.address},
                      {"connected", false},
                      {"reason", net::code_of(*peer.ended)}},
                     "peer " + peer.address + " " + std::string(net::describe(*peer.ended)));
    }
    if (peers_.size() == reports.size()) return;
    std::erase_if(peers_, [&](const auto& entry) {
        return net::find_report(reports, entry.first) == nullptr;
    });
}

void FollowEvents::emit_reorganisations() {
    for (const chain::ChainMove& move : changes_.take_reorganisations()) {
        if (!writer_.output().is_new_move(move)) continue;
        const auto replaced = move.old_tip.height - move.fork.height;
        writer_.emit_for_chain("reorg",
                               {{"from", move.old_tip},
                                {"to", move.new_tip},
                                {"fork", move.fork},
                                {"disconnected", replaced}},
                               "reorganisation: " + count_of(replaced, "block") + " above block " +
                                   format_count(move.fork.height) + " replaced");
    }
}

void FollowEvents::emit_headers(Clock::time_point now) {
    const chain::BlockRef tip = sources_.chain.tip();
    const bool settled = sources_.engine.status().phase >= net::SyncPhase::blocks;
    if (!settled && !is_due(headers_at_, now)) return;
    if (!writer_.output().is_new_tip(tip.hash)) return;
    headers_at_ = now;
    if (writer_.writes_json()) writer_.write_for_chain("headers", tip);
}

void FollowEvents::emit_old_tip() {
    const bool is_old = sources_.engine.tip_watch().is_old();
    if (std::exchange(was_old_, is_old) == is_old) return;
    if (!writer_.output().is_new_age(is_old)) return;
    const std::int64_t age = chain::block_age(sources_.chain.tip_header(), net::unix_time_now());
    Json what = sources_.chain.tip();
    what["stale"] = is_old;
    what["tip_age_s"] = age;
    writer_.emit_for_chain("stale-tip", what,
                           (is_old ? "stale tip: " : "no stale tip any more: ") +
                               tip_age_text(sources_.chain.tip().height, age) +
                               (is_old ? "; " + std::string(kOldTipCauses) : ""));
}

void FollowEvents::emit_transactions() {
    const client::HistoryChanges changes = changes_.take_history();
    for (const auto& [txid, undone] : changes.forgotten) {
        writer_.emit("forgotten", {{"txid", txid}, {"undone", undone}},
                     "forgotten  " + txid.to_hex() +
                         (undone ? "  only a block that left the chain had it" : ""));
    }
    for (const auto& [entry, seen_from] : changes.transactions) {
        Json what = transaction_json(entry, client::SentPayments(sources_.wallet),
                                     sources_.chain.network());
        what["addresses"] = receive_addresses(entry);
        what["seen_from"] = seen_from;
        writer_.emit("transaction", what,
                     amount_text(entry) + "  " + entry.txid.to_hex() + "  " +
                         state_text(entry, seen_from) + payee_text(entry));
    }
}

std::vector<std::string> FollowEvents::receive_addresses(const wallet::HistoryEntry& entry) const {
    std::vector<std::string> addresses;
    for (const wallet::KeyPath path : sources_.wallet.own_keys(entry.txid).paid) {
        if (sources_.wallet.chain_of(path.descriptor) != wallet::KeyChain::receive) continue;
        addresses.push_back(sources_.wallet.address_at(path));
    }
    return addresses;
}

std::string FollowEvents::payee_text(const wallet::HistoryEntry& entry) const {
    std::string text;
    for (const std::string& address : receive_addresses(entry)) {
        text += (text.empty() ? "  to " : ", ") + address;
    }
    return entry.label.empty() ? text : text + "  (" + printable(entry.label, 80) + ")";
}

void FollowEvents::emit_progress(Clock::time_point now) {
    const net::SyncStatus& status = sources_.engine.status();
    const bool is_synced = status.phase >= net::SyncPhase::listening;
    // The end of a search is reported at once, because the next event may come much later.
    if (writer_.writes_json() && (is_synced || is_due(progress_at_, now))) {
        progress_at_ = now;
        Json what = progress_json(status);
        if (what != std::exchange(last_progress_, what)) writer_.write("progress", what);
    }
    const chain::BlockRef tip = sources_.chain.tip();
    if (!is_synced || last_synced_ == tip.hash) return;
    last_synced_ = tip.hash;
    const wallet::Balance balance = sources_.wallet.balance();
    Json what = tip;
    what["balance"] = balance_json(balance);
    writer_.emit("synced", what,
                 "synced to block " + format_count(tip.height) + ", " +
                     format_btc(balance.total()) + " BTC");
}

}  // namespace petal::cli
