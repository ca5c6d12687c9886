#include "cli/sync/wallet_sync.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "cli/command_error.h"
#include "cli/data_folder.h"
#include "cli/options/advice.h"
#include "cli/sync/peer_file_text.h"
#include "cli/text.h"
#include "cli/wallet/standing_text.h"
#include "cli/wallet/wallet_text.h"
#include "client/data/stored_chain.h"
#include "net/io/clocks.h"
#include "net/io/dial/system_random.h"
#include "net/peer/disconnect_reason.h"

namespace petal::cli {
namespace {

// Own transactions are announced to unknown nodes at a random time, which reveals no relation to a
// block; a node that the user named may know that they are the user's.
constexpr std::chrono::milliseconds kAnnouncedWithin{60'000};
constexpr std::chrono::milliseconds kAnnouncedToNamedWithin{2'000};
// The pause between attempts to reach a peer that has been gone for days.
constexpr std::chrono::milliseconds kLongestBackoff{60'000};
// Until an address is watched that another process has handed out, or a label is shown.
constexpr std::chrono::milliseconds kRefreshWallet{1'000};

void tell_of_failures(const net::SpvResult& result, const std::string& prefix, Console& console) {
    for (const net::EndpointReport& endpoint : result.endpoints) {
        if (!endpoint.last_failure) continue;
        console.info(printable(prefix + to_string(endpoint.endpoint) + " " +
                               describe(*endpoint.last_failure) + ", " +
                               count_of(endpoint.dials, "attempt")));
    }
}

void warn_of_low_work(const chain::HeaderChain& chain, Console& console) {
    if (chain.has_minimum_chainwork()) return;
    console.warn("by --minimum-chainwork, this chain counts although it carries less work than " +
                 chain.network().name + "'s minimum: a peer may have made it up");
}

void warn_of_clock(const net::SyncStatus& status, const std::string& prefix, Console& console) {
    for (const net::PeerReport& peer : status.peers) {
        if (peer.ahead_of_clock == net::AheadOfClock::no) continue;
        const std::string until =
            status.early_until ? ", the next one until " + format_exact_time(*status.early_until)
                               : "";
        return console.warn(prefix + peer.address + " " +
                            std::string(describe(net::DisconnectReason::ahead_of_clock)) + until +
                            ": if the clock is slow, newer blocks are missing");
    }
}

void warn_of_other_chain(const net::SyncStatus& status, const GlobalOptions& global,
                         Console& console) {
    const net::OtherChain& other = *status.other_chain;
    const net::PeerReport* const peer = net::find_report(status.peers, other.peer);
    console.warn(
        "wallet '" + global.wallet + "' stays at block " + format_count(status.synced_height) +
        ", as no peer has the stored chain: that of " +
        (peer == nullptr ? std::string("a peer") : peer->address) + " forks off after block " +
        format_count(other.fork_height) + ", ends at block " + format_count(other.height) +
        (other.is_excluded ? " and has a block that is invalid or that no peer sends"
                           : " and has no more work; " + if_made_anew(global)));
}

/// Bitcoin Core checks the signatures of signet blocks (BIP325); in a filtered block they are not.
void warn_of_signet(const chain::NetworkParams& network, Console& console) {
    if (network.signet_challenge.empty()) return;
    console.warn("on " + network.name +
                 " blocks cost next to nothing, and BIP37 does not show their signatures: a peer "
                 "can make up a chain that pays you; trust amounts as far as you trust your peers");
}

void warn_of_late_birthday(const chain::HeaderChain& chain, const wallet::Wallet& wallet,
                           const std::string& prefix, const GlobalOptions& global,
                           Console& console) {
    if (client::first_height_of(wallet.birthday(), chain) <= chain.tip().height) return;
    console.warn(prefix + "the wallet's birthday, " + birthday_text(wallet.info().birthday) +
                 ", is later than the last block, " + format_count(chain.tip().height) +
                 ": earlier payments are not searched for; " +
                 advised("rescan --from HEIGHT|DATE", global) + " sets it back");
}

net::MatchSourceKind source_of(const SyncCommandOptions& options) {
    return options.full_blocks ? net::MatchSourceKind::full_blocks
                               : net::MatchSourceKind::filtered_blocks;
}

}  // namespace

chain::Anchor start_of(const SyncCommandOptions& options, const chain::Birthday& birthday,
                       const chain::NetworkParams& network) {
    if (options.from_genesis) return chain::genesis_anchor(network);
    return chain::anchor_before(network, birthday.height, birthday.time);
}

SyncSource::SyncSource(const SyncCommandOptions& options, const GlobalOptions& global,
                       Console& console, const chain::Anchor& start)
    : peers(options.connection, data_of(global), net::needs_filters(source_of(options)),
            peer_file_warnings(console)),
      chain(*global.network, start),
      file(data_of(global).header_file(), chain, net::unix_time_now()),
      fee_floor(data_of(global).fee_floor_file()) {}

void SyncSource::tell_of_files(const GlobalOptions& global, Console& console) const {
    warn_of_signet(*global.network, console);
    if (file.read_only()) {
        console.info(
            "another petal writes this network's headers; new ones are kept beside its file");
    }
    if (file.repaired_bytes() > 0) {
        console.warn("the stored headers were damaged; " + format_bytes(file.repaired_bytes()) +
                     " at the end are fetched again");
    }
}

WalletSync::WalletSync(const SyncCommandOptions& options, GlobalOptions global, Console& console,
                       wallet::Wallet wallet, SyncSource& source,
                       const std::optional<WalletPlace>& place, const AwaitedState* until)
    : options_(options),
      global_(std::move(global)),
      console_(console),
      place_(place),
      goal_{until},
      wallet_(std::move(wallet)),
      standing_(wallet_file(global_)),
      filter_hosts_(wallet_file(global_)),
      source_(source),
      engine_(source.chain, wallet_, engine_options(), &source.shared) {}

net::SyncOptions WalletSync::engine_options() const {
    const client::PeerSource& peers = source_.peers;
    net::SyncOptions options;
    options.wait_unconfirmed = stays() ? net::SyncOptions::kForever : options_.wait_unconfirmed;
    if (stays()) {
        options.announce_own_within = peers.searches() ? kAnnouncedWithin : kAnnouncedToNamedWithin;
    }
    options.refresh_watcher_every = kRefreshWallet;
    options.blocks.early_patience = options_.connection.timeout.value_or(std::chrono::seconds{0});
    options.expected_peers = place_ ? place_->max_peers : peers.expected();
    options.has_substitutes = peers.has_substitutes();
    options.threshold = {options_.minimum_chainwork, source_.file.higher_chainwork()};
    options.ask_for_addresses = peers.searches();
    options.blocks.source = source_of(options_);
    options.blocks.cross_check = options_.cross_check;
    if (options_.privacy) options.false_positive_rate = net::rate_of(*options_.privacy);
    options.random_seed = net::random_seed();
    return options;
}

void WalletSync::start_reporting(SyncDisplay& display) {
    const auto on_failure = [this](const net::Endpoint& endpoint,
                                   const net::EndpointFailure& failure) {
        if (reporting_->events) reporting_->events->on_failure(endpoint, failure);
    };
    reporting_.emplace(Reporting{FailureReporter(
                                     console_, global_, source_.peers.searches(),
                                     [&display] { display.clear(); }, on_failure, prefix()),
                                 SyncLog(console_, prefix()),
                                 {},
                                 {}});
    if (EventOutput* const output = display.events()) {
        reporting_->events.emplace(
            FollowEvents::Sources{wallet_, source_.chain, source_.file, engine_}, *output,
            place_ ? global_.wallet : "");
    }
}

net::SpvOptions WalletSync::client_options(SyncDisplay& display, std::function<void()> stop) {
    start_reporting(display);
    engine_.events.on_reorganisation = [this, &display](const chain::ChainMove& move) {
        if (reporting_->events) return reporting_->events->on_reorganisation(move);
        display.clear();
        console_.info(prefix() + "reorganisation: " +
                      count_of(move.old_tip.height - move.fork.height, "block") + " above block " +
                      format_count(move.fork.height) + " replaced");
    };
    engine_.events.on_invalid_block = [this, &display](const chain::InvalidBlock& invalid) {
        display.clear();
        warn_of_invalid_block(invalid);
    };
    engine_.events.on_withheld_block = [this, &display](const chain::BlockRef& block) {
        display.clear();
        console_.warn(prefix() + "no peer sends block " + format_count(block.height) + " (" +
                      block.hash.to_hex() +
                      "), of which only the header is known; its branch does not count until "
                      "another block follows");
    };
    engine_.events.on_first_filter = [this](const net::PeerReport& peer) {
        note_filter_host(peer);
    };
    net::SpvOptions options;
    source_.peers.apply(options);
    if (place_) options.max_peers = place_->max_peers;
    if (console_.log_level() >= LogLevel::debug) {
        options.events.on_message = [this, &display](const std::string& peer, bool is_sent,
                                                     std::string_view command, std::size_t bytes) {
            display.clear();
            reporting_->log.on_message(peer, is_sent, command, bytes);
        };
    }
    options.events.on_failure = [this](const net::SpvResult& so_far) {
        if (stays()) reporting_->failures.on_failure(so_far, engine_.status());
        reporting_->failed = describe(failures_of(so_far, engine_.status(), global_));
    };
    options.stop_on_signals = true;
    options.saves.flush_headers = [this] { source_.file.flush(); };
    options.persistent = stays();
    if (stays()) {
        options.redial.last_backoff = kLongestBackoff;
        options.feelers = net::HandshakeAims{.filters = net::needs_filters(source_of(options_))};
    }
    const std::size_t shown = display.add(engine_.status(), place_ ? global_.wallet : "");
    options.events.on_progress = [this, &display, shown, stop = std::move(stop)](
                                     const net::SyncStatus& status, const net::Traffic&) {
        on_progress(status, display, shown, stop);
    };
    return options;
}

void WalletSync::on_progress(const net::SyncStatus& status, SyncDisplay& display, std::size_t shown,
                             const std::function<void()>& stop) {
    note_end_of_blocks(status);
    reporting_->log.update(status);
    const std::int64_t now = net::unix_time_now();
    standing_.update(client::sync_standing(status, reporting_->failed), now);
    source_.fee_floor.update(place_ ? place_->number : 0, status, now);
    // Stored data of a chain that no peer has must not satisfy `wait`.
    const bool may_be_reached = goal_.state != nullptr && !goal_.is_reached && blocks_seconds_ &&
                                !has_only_other_chains(status);
    if (may_be_reached && goal_.state->is_reached(wallet_)) {
        goal_.is_reached = true;
        stop();
    }
    if (reporting_->events) reporting_->events->update(Clock::now());
    if (!reporting_->events && stays()) tell_of_old_tip();
    reporting_->failures.update(status, Clock::now());
    if (stays()) {
        tell_of_lighter_chain(status);
        tell_of_early(status, now);
    }
    display.update(shown, Clock::now());
}

void WalletSync::note_end_of_blocks(const net::SyncStatus& status) {
    const bool done =
        status.phase == net::SyncPhase::listening || status.phase == net::SyncPhase::done;
    if (!done || blocks_seconds_) return;
    blocks_seconds_ = seconds_so_far();
    if (options_.follow) warn_of_chain();
}

void WalletSync::note_filter_host(const net::PeerReport& peer) {
    try {
        filter_hosts_.add(peer.node);
    } catch (const std::system_error& error) {
        console_.warn(prefix() + "payments may be announced first to " + peer.address +
                      ", which knows the wallet's filter, as that can't be noted: " + error.what());
    }
}

void WalletSync::warn_of_chain() {
    if (!std::exchange(source_.warned.of_low_work, true)) warn_of_low_work(source_.chain, console_);
    warn_of_late_birthday(source_.chain, wallet_, prefix(), global_, console_);
}

void WalletSync::tell_of_lighter_chain(const net::SyncStatus& status) {
    const bool is_other = status.other_chain.has_value();
    if (is_other && !reporting_->of_other_chain) {
        warn_of_other_chain(status, global_, console_);
    }
    reporting_->of_other_chain = is_other;
    const bool is_shorter = status.stall_reason == net::StallReason::lighter_chain &&
                            status.phase >= net::SyncPhase::listening;
    if (!is_shorter || std::exchange(reporting_->of_shorter_chain, true)) return;
    console_.warn(
        prefix() +
        "no connected peer has all blocks of the stored chain: newer ones may be missing");
}

void WalletSync::tell_of_old_tip() {
    const bool is_old = engine_.tip_watch().is_old();
    if (!std::exchange(reporting_->of_old_tip, is_old) && is_old) warn_of_stale_tip();
}

void WalletSync::warn_of_stale_tip() {
    warn_of_old_tip(chain_report_of(source_.chain, wallet_.info().synced), global_, console_);
}

// The syncs of all wallets may find the same block.
void WalletSync::warn_of_invalid_block(const chain::InvalidBlock& invalid) {
    constexpr std::size_t kMaxWarnings = 100;  // on test networks such blocks are cheap
    auto& warned = source_.warned.of_invalid_blocks;
    if (warned.size() >= kMaxWarnings || !warned.insert(invalid.block.hash).second) return;
    console_.warn("block " + format_count(invalid.block.height) + ", " +
                  invalid.block.hash.to_hex() +
                  ", is invalid: it repeats a transaction or spends an output again; the peers "
                  "that served it are disconnected, and honest nodes follow another branch");
}

// On testnet4, many blocks are ahead by the seconds by which clocks differ. A follower does not
// wait for a block that is hours ahead, so nothing else shows that there is one.
void WalletSync::tell_of_early(const net::SyncStatus& status, std::int64_t now) {
    constexpr std::int64_t kWorthTelling = 30;
    const bool any_is_far = std::ranges::count(status.peers, net::AheadOfClock::far,
                                               &net::PeerReport::ahead_of_clock) > 0;
    if (any_is_far && !std::exchange(reporting_->of_far_ahead, true)) {
        warn_of_clock(status, prefix(), console_);
    }
    if (!status.early_until) {
        reporting_->of_early = false;
    } else if (*status.early_until >= now + kWorthTelling &&
               !std::exchange(reporting_->of_early, true)) {
        warn_of_clock(status, prefix(), console_);
    }
}

SyncReport WalletSync::finish(net::SpvResult result) {
    // Once it only listens, everything that --timeout is about has been reached.
    const bool all_blocks = result.outcome == net::SyncOutcome::timed_out &&
                            blocks_seconds_.has_value() && !has_only_other_chains(engine_.status());
    const bool is_stopped = result.outcome == net::SyncOutcome::interrupted;
    if (reporting_->events && (is_stopped || all_blocks)) {
        reporting_->events->on_end();
    }
    tell_of_failures(result, prefix(), console_);
    if (!stays()) warn_of_clock(engine_.status(), prefix(), console_);
    if (goal_.state != nullptr && !goal_.is_reached && all_blocks) {
        throw CommandError(ExitStatus::no_peer, "timed-out",
                           "it has not happened within --timeout: " +
                               goal_.state->missing(wallet_) + "; the wallet is synced");
    }
    const bool is_ended = goal_.is_reached || (options_.follow && is_stopped);
    if (result.outcome != net::SyncOutcome::synced && !all_blocks && !is_ended) {
        throw sync_error(result, engine_.status(), global_);
    }
    if (!stays()) check_not_overtaken();
    if (!options_.follow) warn_of_chain();
    if (!stays() && !std::exchange(source_.warned.of_old_tip, true)) warn_of_stale_tip();
    tell_of_lighter_chain(engine_.status());
    return report(std::move(result));
}

// A wallet whose sync has ended does not see changes of the chain by the other syncs.
void WalletSync::check_not_overtaken() const {
    const auto synced = wallet_.info().synced;
    if (!synced || source_.chain.is_on_best_chain(synced->hash)) return;
    throw CommandError(ExitStatus::no_peer, "reorganised",
                       "wallet '" + global_.wallet + "' was synced to block " +
                           format_count(synced->height) +
                           ", which a reorganisation has since replaced; sync it again");
}

double WalletSync::seconds_so_far() const {
    return std::chrono::duration<double>(Clock::now() - source_.started).count();
}

SyncReport WalletSync::report(net::SpvResult result) const {
    const wallet::WalletInfo info = wallet_.info();
    SyncReport report;
    report.network = global_.network->name;
    report.chain = chain_report_of(source_.chain, info.synced);
    report.wallet = global_.wallet;
    if (info.synced) report.synced_height = info.synced->height;
    report.birthday_height = client::first_height_of(wallet_.birthday(), source_.chain);
    report.balance = wallet_.balance();
    report.status = engine_.status();
    report.result = std::move(result);
    report.seconds = seconds_so_far();
    report.blocks_seconds = blocks_seconds_.value_or(report.seconds);
    report.listened = options_.wait_unconfirmed;
    return report;
}

}  // namespace petal::cli
