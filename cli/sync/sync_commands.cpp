#include "cli/sync/sync_commands.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <ostream>

#include "chain/headers/anchors.h"
#include "chain/headers/header_file.h"
#include "cli/amount.h"
#include "cli/command_error.h"
#include "cli/data_folder.h"
#include "cli/headers/stored_chain.h"
#include "cli/options/advice.h"
#include "cli/sync/failure_teller.h"
#include "cli/sync/follow_events.h"
#include "cli/sync/other_sync.h"
#include "cli/sync/peer_source.h"
#include "cli/sync/progress.h"
#include "cli/sync/sync_log.h"
#include "cli/sync/sync_standing.h"
#include "cli/text.h"
#include "cli/wallet/address_commands.h"
#include "cli/wallet/wallet_text.h"
#include "net/io/clocks.h"
#include "net/io/dial/system_random.h"

namespace petal::cli {
namespace {

using Clock = std::chrono::steady_clock;

// Own transactions are told to strangers at a moment that does not follow from a block's; a node
// that the user named may know whose they are.
constexpr std::chrono::milliseconds kAnnouncedWithin{60'000};
constexpr std::chrono::milliseconds kAnnouncedToNamedWithin{2'000};
// Between attempts to reach a peer that has been gone for days.
constexpr std::chrono::milliseconds kLongestBackoff{60'000};
// Until an address is watched that another process has handed out, or a label is shown.
constexpr std::chrono::milliseconds kRefreshWallet{1'000};

void tell_of_failures(const net::SpvResult& result, Console& console) {
    for (const net::EndpointReport& endpoint : result.endpoints) {
        if (!endpoint.last_failure) continue;
        console.info(printable(to_string(endpoint.endpoint) + " " +
                               describe(*endpoint.last_failure) + ", " +
                               count_of(endpoint.dials, "attempt")));
    }
}

/// Where the headers start.
chain::Anchor start_of(const SyncCommandOptions& options, const chain::Birthday& birthday,
                       const chain::NetworkParams& network) {
    if (options.from_genesis) return chain::genesis_anchor(network);
    return chain::anchor_before(network, birthday.height, birthday.time);
}

void warn_of_low_work(const chain::HeaderChain& chain, Console& console) {
    if (chain.has_minimum_chainwork()) return;
    console.warn("by --minimum-chainwork, this chain counts although it carries less work than " +
                 chain.network().name + "'s minimum: a peer may have made it up");
}

void warn_of_other_chain(const net::SyncStatus& status, const GlobalOptions& global,
                         Console& console) {
    const net::OtherChain& other = *status.other_chain;
    const net::PeerReport* const peer = net::find_report(status, other.peer);
    console.warn("wallet '" + global.wallet + "' stays at block " +
                 format_count(status.synced_height) +
                 ", as no peer has the stored chain: that of " +
                 (peer == nullptr ? std::string("a peer") : peer->address) +
                 " forks off after block " + format_count(other.fork_height) + ", ends at block " +
                 format_count(other.height) + " and has no more work; if it was made anew, " +
                 advised("headers reset", global) + " forgets the stored one");
}

/// Bitcoin Core checks the signatures of signet blocks (BIP325); in a filtered block they are not.
void warn_of_signet(const chain::NetworkParams& network, Console& console) {
    if (network.signet_challenge.empty()) return;
    console.warn("on " + network.name +
                 " blocks cost next to nothing, and BIP37 does not show their signatures: a peer "
                 "can make up a chain that pays you; trust amounts as far as you trust your peers");
}

void warn_of_late_birthday(const chain::HeaderChain& chain, const wallet::Wallet& wallet,
                           const GlobalOptions& global, Console& console) {
    if (first_height_of(wallet.birthday(), chain) <= chain.tip().height) return;
    console.warn("the wallet's birthday, " + birthday_text(wallet.info().birthday) +
                 ", is later than the last block, " + format_count(chain.tip().height) +
                 ": earlier payments are not searched for; " +
                 advised("rescan --from HEIGHT|DATE", global) + " sets it back");
}

/// One sync: the files that it reads and writes, and what drives it.
class SyncRun {
public:
    /// until   what ends the run, once all blocks are searched; null for nothing
    SyncRun(const SyncCommandOptions& options, const GlobalOptions& global, Console& console,
            wallet::Wallet wallet, const AwaitedState* until = nullptr)
        : options_(options),
          global_(global),
          console_(console),
          start_(Clock::now()),
          until_(until),
          wallet_(std::move(wallet)),
          standing_(wallet_file(global, global.wallet)),
          peers_(options.connection, global, console),
          chain_(*global.network, start_of(options, wallet_.birthday(), *global.network)),
          file_(header_file(global), chain_, net::unix_time_now()),
          engine_(chain_, wallet_, engine_options()) {}

    SyncReport run() {
        tell_of_files();
        net::SpvResult result = drive();
        tell_of_failures(result, console_);
        // Once it only listens, everything that --timeout is about has been reached.
        const bool all_blocks = result.outcome == net::SyncOutcome::timed_out &&
                                blocks_seconds_.has_value() &&
                                !has_only_other_chains(engine_.status());
        if (until_ != nullptr && !reached_ && all_blocks) {
            throw CommandError(ExitStatus::no_peer, "timed-out",
                               "it has not happened within --timeout: " + until_->missing(wallet_) +
                                   "; the wallet is synced");
        }
        const bool is_ended =
            reached_ || (options_.follow && result.outcome == net::SyncOutcome::interrupted);
        if (result.outcome != net::SyncOutcome::synced && !all_blocks && !is_ended) {
            throw sync_error(result, engine_.status(), global_);
        }
        if (!options_.follow) warn_of_chain();
        tell_of_lighter_chain(engine_.status());
        return report(std::move(result));
    }

    const wallet::Wallet& wallet() const { return wallet_; }

private:
    /// Whether it goes on once all blocks are searched.
    bool stays() const { return options_.follow || until_ != nullptr; }

    /// Where nothing is left to be done, what was said last stays in sight; a log is not to tell of
    /// each later block.
    bool shows_progress(const net::SyncStatus& status) const {
        if (options_.follow && status.phase >= net::SyncPhase::listening) return false;
        const bool is_log =
            options_.progress == ProgressFormat::automatic && !console_.terminals().err;
        return !(stays() && is_log && blocks_seconds_);
    }

    net::SyncOptions engine_options() const {
        net::SyncOptions options;
        options.wait_unconfirmed = stays() ? net::SyncOptions::kForever : options_.wait_unconfirmed;
        if (stays()) {
            options.announce_own_within =
                peers_.searches() ? kAnnouncedWithin : kAnnouncedToNamedWithin;
        }
        options.refresh_watcher_every = kRefreshWallet;
        options.expected_peers = peers_.expected();
        options.has_substitutes = peers_.has_substitutes();
        options.threshold = {options_.minimum_chainwork, file_.higher_chainwork()};
        options.ask_for_addresses = peers_.searches();
        options.blocks.full = options_.full_blocks;
        options.blocks.cross_check = options_.cross_check;
        if (options_.privacy) options.false_positive_rate = net::rate_of(*options_.privacy);
        options.random_seed = net::random_seed();
        return options;
    }

    void tell_of_files() {
        warn_of_signet(*global_.network, console_);
        if (file_.read_only()) {
            console_.info(
                "another petal writes this network's headers; new ones are kept beside its file");
        }
        if (file_.repaired_bytes() > 0) {
            console_.warn("the stored headers were damaged; " +
                          format_bytes(file_.repaired_bytes()) + " at the end are fetched again");
        }
    }

    net::SpvResult drive() {
        Progress progress(console_, start_, options_.progress);
        std::optional<FollowEvents> events;
        if (options_.follow) {
            events.emplace(
                FollowEvents::Sources{wallet_, chain_, engine_}, console_, global_.json,
                [&progress] { progress.clear(); }, options_.notify);
        }
        engine_.on_reorganisation = [&](const chain::ChainMove& move) {
            if (events) return events->on_reorganisation(move);
            progress.clear();
            console_.info(
                "reorganisation: " + count_of(move.old_tip.height - move.fork.height, "block") +
                " above block " + format_count(move.fork.height) + " replaced");
        };
        FailureTeller failures(
            console_, global_, peers_.searches(), [&progress] { progress.clear(); },
            [&events](const net::Endpoint& endpoint, const net::EndpointFailure& failure) {
                if (events) events->on_failure(endpoint, failure);
            });
        net::SpvOptions options;
        peers_.apply(options);
        SyncLog log(console_);
        if (console_.log_level() >= LogLevel::debug) {
            options.on_message = [&](const std::string& peer, bool is_sent,
                                     std::string_view command, std::size_t bytes) {
                progress.clear();
                log.on_message(peer, is_sent, command, bytes);
            };
        }
        std::string failed;
        options.on_failure = [&](const net::SpvResult& so_far) {
            if (stays()) failures.on_failure(so_far, engine_.status());
            failed = describe(failures_of(so_far, engine_.status(), global_));
        };
        options.stop_on_signals = true;
        options.flush_headers = [this] { file_.flush(); };
        options.persistent = stays();
        if (stays()) {
            options.last_backoff = kLongestBackoff;
            options.feelers = net::HandshakeAims{.filters = !options_.full_blocks};
        }
        std::optional<net::SpvClient> client;
        options.on_progress = [&](const net::SyncStatus& status, const net::Traffic&) {
            note_end_of_blocks(status);
            log.update(status);
            standing_.update(sync_standing(status, failed), net::unix_time_now());
            // What was stored of a chain that no peer has any more is not what is waited for.
            const bool may_be_reached =
                until_ != nullptr && !reached_ && blocks_seconds_ && !has_only_other_chains(status);
            if (may_be_reached && until_->is_reached(wallet_)) {
                reached_ = true;
                client->stop();
            }
            if (events) events->update(Clock::now());
            failures.update(status, Clock::now());
            if (stays()) tell_of_lighter_chain(status);
            if (shows_progress(status)) {
                progress.update(status, Clock::now());
            } else {
                progress.clear();
            }
        };
        client.emplace(engine_, *global_.network, std::move(options));
        auto result = client->run();
        progress.clear();
        if (events && result.outcome == net::SyncOutcome::interrupted) events->on_end();
        return result;
    }

    void note_end_of_blocks(const net::SyncStatus& status) {
        const bool done =
            status.phase == net::SyncPhase::listening || status.phase == net::SyncPhase::done;
        if (!done || blocks_seconds_) return;
        blocks_seconds_ = seconds_so_far();
        if (options_.follow) warn_of_chain();
    }

    void warn_of_chain() {
        warn_of_low_work(chain_, console_);
        warn_of_late_birthday(chain_, wallet_, global_, console_);
    }

    void tell_of_lighter_chain(const net::SyncStatus& status) {
        const bool is_other = status.other_chain.has_value();
        if (is_other && !told_of_other_chain_) {
            warn_of_other_chain(status, global_, console_);
        }
        told_of_other_chain_ = is_other;
        const bool is_shorter = status.stall_reason == net::StallReason::lighter_chain &&
                                status.phase >= net::SyncPhase::listening;
        if (!is_shorter || std::exchange(told_of_shorter_chain_, true)) return;
        console_.warn(
            "no connected peer has all blocks of the stored chain: newer ones may be missing");
    }

    double seconds_so_far() const {
        return std::chrono::duration<double>(Clock::now() - start_).count();
    }

    SyncReport report(net::SpvResult result) const {
        const chain::Birthday birthday = wallet_.birthday();
        const wallet::WalletInfo info = wallet_.info();
        SyncReport report;
        report.network = global_.network->name;
        report.tip = chain_.tip();
        report.tip_time = chain_.tip_header().time;
        // A chain of its first block alone leaves nothing to search.
        report.has_minimum_work = info.synced ? chain_.has_minimum_chainwork(info.synced->hash)
                                              : chain_.has_minimum_chainwork();
        report.wallet = global_.wallet;
        if (info.synced) report.synced_height = info.synced->height;
        report.birthday_height = first_height_of(birthday, chain_);
        report.balance = wallet_.balance();
        report.status = engine_.status();
        report.result = std::move(result);
        report.seconds = seconds_so_far();
        report.blocks_seconds = blocks_seconds_.value_or(report.seconds);
        report.listened = options_.wait_unconfirmed;
        return report;
    }

    const SyncCommandOptions& options_;
    const GlobalOptions& global_;
    Console& console_;
    Clock::time_point start_;
    const AwaitedState* until_;
    bool reached_ = false;
    bool told_of_other_chain_ = false;    // at present
    bool told_of_shorter_chain_ = false;  // ever
    std::optional<double> blocks_seconds_;
    wallet::Wallet wallet_;
    StandingWriter standing_;  // while the wallet is locked
    PeerSource peers_;
    chain::HeaderChain chain_;
    chain::HeaderFile file_;
    net::SyncEngine engine_;
};

}  // namespace

SyncReport sync_wallet(const SyncCommandOptions& options, const GlobalOptions& global,
                       Console& console) {
    return SyncRun(options, global, console, open_wallet(global, wallet::Access::sync)).run();
}

void run_sync(const SyncCommandOptions& options, const GlobalOptions& global, Console& console) {
    if (options.follow) {  // all is said when it happens
        static_cast<void>(sync_wallet(options, global, console));
        return;
    }
    const auto start = Clock::now();
    auto wallet = open_or_await_other(options, global, nullptr, console);
    const auto report_other = [&] {
        return report_of_other(global, std::chrono::duration<double>(Clock::now() - start).count());
    };
    const SyncReport report =
        wallet ? SyncRun(options, global, console, *std::move(wallet)).run() : report_other();
    console.out() << (global.json ? to_line(sync_json(report)) + "\n"
                                  : sync_text(report, global, console));
}

namespace {

/// What `wait` waits for: an address paid, a transaction, or a height.
class AwaitedEvent {
public:
    AwaitedEvent(const WaitOptions& options, const GlobalOptions& global) : options_(options) {
        if (options.address.empty()) return;
        script_ = own_script(options.address, open_wallet(global, wallet::Access::read), global);
    }

    bool has_happened(const wallet::Wallet& wallet) const {
        if (!script_.empty()) return received(wallet) >= options_.amount;
        if (options_.height) {
            const auto synced = wallet.info().synced;
            return synced && synced->height >= *options_.height;
        }
        const auto entry = wallet.transaction(*options_.txid);
        return entry && !entry->replaced_by && entry->confirmations >= options_.confirmations;
    }

    Json json(const wallet::Wallet& wallet) const {
        if (!script_.empty()) return address_json(*wallet.address(script_));
        if (options_.txid) return transaction_json(*wallet.transaction(*options_.txid));
        return block_json(wallet.info().synced);
    }

    std::string text(const wallet::Wallet& wallet) const {
        if (!script_.empty()) {
            return wallet.address(script_)->address + " has received " +
                   format_btc(received(wallet)) + " BTC" + depth_text();
        }
        if (!options_.txid) return "Synced to block " + format_count(wallet.info().synced->height);
        const wallet::HistoryEntry entry = *wallet.transaction(*options_.txid);
        return "Transaction " + entry.txid.to_hex() + " has " +
               count_of(entry.confirmations, "confirmation");
    }

    /// What has not happened yet.
    std::string missing(const wallet::Wallet& wallet) const {
        if (!script_.empty()) {
            const bool any_will_do = options_.amount == WaitOptions{}.amount;
            return wallet.address(script_)->address + " has received " +
                   (any_will_do ? "nothing"
                                : format_btc(received(wallet)) + " of " +
                                      format_btc(options_.amount) + " BTC") +
                   depth_text();
        }
        if (options_.height) {
            const auto synced = wallet.info().synced;
            return "the last block is " + format_count(synced ? synced->height : 0) + ", not " +
                   format_count(*options_.height);
        }
        const std::string name = "transaction " + options_.txid->to_hex();
        const auto entry = wallet.transaction(*options_.txid);
        if (!entry) return name + " is not in the wallet";
        if (entry->replaced_by) return name + " is replaced by " + entry->replaced_by->to_hex();
        return name + " has " + format_count(entry->confirmations) + " of " +
               count_of(options_.confirmations, "confirmation");
    }

private:
    std::string depth_text() const {
        if (options_.confirmations == 0) return "";
        return " with " + count_of(options_.confirmations, "confirmation") + " or more";
    }

    chain::Satoshis received(const wallet::Wallet& wallet) const {
        return wallet.received(script_, options_.confirmations);
    }

    const WaitOptions& options_;
    chain::Bytes script_;
};

}  // namespace

void run_wait(const WaitOptions& options, const GlobalOptions& global, Console& console) {
    const AwaitedEvent event(options, global);
    const AwaitedState awaited{
        [&](const wallet::Wallet& wallet) { return event.has_happened(wallet); },
        [&](const wallet::Wallet& wallet) { return event.missing(wallet); }};
    const auto print = [&](const wallet::Wallet& wallet) {
        console.out() << (global.json ? to_line(event.json(wallet)) : event.text(wallet)) << '\n';
    };
    auto wallet = open_or_await_other(options.sync, global, &awaited, console);
    if (!wallet) return print(open_wallet(global, wallet::Access::read));
    SyncRun run(options.sync, global, console, *std::move(wallet), &awaited);
    static_cast<void>(run.run());
    print(run.wallet());
}

}  // namespace petal::cli
