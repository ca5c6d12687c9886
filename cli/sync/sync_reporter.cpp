#include "cli/sync/sync_reporter.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "cli/options/advice.h"
#include "cli/sync/text/source_text.h"
#include "cli/text/command_error.h"
#include "cli/text/text.h"
#include "cli/wallet/sync_status_text.h"
#include "cli/wallet/wallet_text.h"
#include "client/data/stored_chain.h"
#include "net/peer/disconnect_reason.h"

namespace petal::cli {
namespace {

using Clock = std::chrono::steady_clock;

void log_failures(const net::SpvResult& result, const std::string& prefix, Console& console) {
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

/// Bitcoin Core checks the signatures of signet blocks (BIP325). A filtered block has no signature
/// to check.
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

}  // namespace

void report_files(const client::SyncSource& source, Console& console) {
    warn_of_signet(source.data.network(), console);
    if (source.file.read_only()) {
        console.info(
            "another petal writes this network's headers; new ones are kept beside its file");
    }
    if (source.file.repaired_bytes() > 0) {
        console.warn("the stored headers were damaged; " +
                     format_bytes(source.file.repaired_bytes()) + " at the end are fetched again");
    }
}

SyncReporter::SyncReporter(const SyncCommandOptions& options, GlobalOptions global,
                           Console& console, SyncDisplay& display, client::SyncSource& source,
                           client::WalletSync& sync, ChainWarnings& warned, bool shared)
    : options_(options),
      global_(std::move(global)),
      console_(console),
      display_(display),
      source_(source),
      sync_(sync),
      warned_(warned),
      shared_(shared),
      failures_(
          console_, global_, {source_.peers.searches(), has_auto_source()},
          [this] { display_.clear(); },
          [this](const net::Endpoint& endpoint, const net::EndpointFailure& failure) {
              if (follow_) follow_->on_failure(endpoint, failure);
          },
          prefix()),
      log_(
          console_, [this] { display_.clear(); }, prefix()) {
    if (EventOutput* const output = display_.events()) {
        follow_.emplace(
            FollowEvents::Sources{sync_.wallet(), source_.chain, source_.file, sync_.engine()},
            *output, shared_ ? global_.wallet : "");
    }
    set_events();
    set_warnings();
    // The last statement, because the display keeps a reference to the status. After a later
    // exception, the reference would dangle.
    shown_ = display_.add(sync_.engine().status(), shared_ ? global_.wallet : "");
}

void SyncReporter::set_events() {
    client::WalletSyncEvents& events = sync_.events;
    events.on_progress = [this](const net::SyncStatus& status) { on_progress(status); };
    events.on_blocks_done = [this] {
        if (options_.follow) warn_of_chain();
    };
    if (console_.log_level() >= LogLevel::debug) {
        events.on_message = [this](const std::string& peer, bool is_sent, std::string_view command,
                                   std::size_t bytes) {
            log_.on_message(peer, is_sent, command, bytes);
        };
    }
    events.on_failure = [this](const net::SpvResult& so_far) {
        if (sync_.stays()) failures_.on_failure(so_far, sync_.engine().status());
    };
    events.failure_words = [this](const net::SpvResult& so_far) {
        return describe(failures_of(so_far, sync_.engine().status(), has_auto_source(), global_));
    };
    events.on_reorganisation = [this](const chain::ChainMove& move) {
        if (follow_) return follow_->on_reorganisation(move);
        display_.clear();
        console_.info(prefix() + "reorganisation: " +
                      count_of(move.old_tip.height - move.fork.height, "block") + " above block " +
                      format_count(move.fork.height) + " replaced");
    };
}

void SyncReporter::set_warnings() {
    client::WalletSyncEvents& events = sync_.events;
    events.on_invalid_block = [this](const chain::InvalidBlock& invalid) {
        warn("block " + format_count(invalid.block.height) + ", " + invalid.block.hash.to_hex() +
             ", is invalid: it repeats a transaction or spends an output again; the peers that "
             "served it are disconnected, and honest nodes follow another branch");
    };
    events.on_withheld_block = [this](const chain::BlockRef& block) {
        warn(prefix() + "no peer sends block " + format_count(block.height) + " (" +
             block.hash.to_hex() +
             "), of which only the header is known; its branch does not count until another block "
             "follows");
    };
    events.on_filter_conflict = [this](const net::FilterConflict& conflict) {
        const std::string block = "block " + format_count(conflict.block.height);
        warn(prefix() +
             (conflict.server == conflict.other
                  ? conflict.other + " sends another compact filter of " + block +
                        " than it states, and is disconnected"
                  : conflict.server + " and " + conflict.other +
                        " have different compact filters of " + block +
                        "; the full block shows which of them lies, or is searched itself"));
    };
    events.on_unrecorded_filter_host = [this](const net::PeerReport& peer,
                                              const std::system_error& error) {
        warn(prefix() + "payments may be announced first to " + peer.address +
             ", which knows the wallet's filter, as that can't be noted: " + error.what());
    };
    events.watch.on_other_chain = [this](const net::SyncStatus& status) {
        warn_of_other_chain(status);
    };
    events.watch.on_shorter_chain = [this] {
        warn(prefix() +
             "no connected peer has all blocks of the stored chain: newer ones may be missing");
    };
    events.watch.on_ahead_of_clock = [this](const net::SyncStatus& status) {
        display_.clear();
        warn_of_clock(status, prefix(), console_);
    };
    events.watch.on_no_relay_peer = [this](const net::SyncStatus& status) {
        warn(prefix() + no_relay_text(*status.relay_mode));
    };
    if (follow_) return;  // FollowEvents reports an old tip
    events.watch.on_old_tip = [this] {
        display_.clear();
        warn_of_old_tip(client::chain_report_of(source_.chain, sync_.wallet().info().synced),
                        global_, console_);
    };
}

void SyncReporter::on_progress(const net::SyncStatus& status) {
    log_.update(status);
    report_source();
    report_repeated_search(status);
    if (follow_) follow_->update(Clock::now());
    failures_.update(status, Clock::now());
    display_.update(shown_, Clock::now());
}

void SyncReporter::report_source() {
    const auto choice = sync_.source_choice();
    if (!choice || source_choice_ == choice) return;
    const bool is_change = source_choice_.has_value();
    source_choice_ = choice;
    if (follow_) follow_->on_source(*choice);
    using enum client::SourceReason;
    const bool is_fallback =
        is_change || choice->reason == none_found || choice->reason == index_incomplete;
    const std::string text =
        prefix() + "payments are " + (is_change ? "now " : "") + "found by " + source_text(*choice);
    display_.clear();
    if (!is_fallback) return console_.info(text);
    const bool is_large =
        choice->reason == none_found && choice->source == net::MatchSourceKind::full_blocks;
    console_.warn(text + (is_large ? "; all blocks are downloaded, some " +
                                         format_bytes(sync_.chooser()->inputs().missing_bytes)
                                   : ""));
}

void SyncReporter::report_repeated_search(const net::SyncStatus& status) {
    if (!status.searched_again_from || std::exchange(told_repeated_search_, true)) return;
    warn(prefix() + "the blocks from " + format_count(*status.searched_again_from) +
         " on were searched by compact filters, and are searched again by Bloom filters");
}

void SyncReporter::warn(const std::string& text) {
    display_.clear();
    console_.warn(text);
}

/// Blocks that were too large to be downloaded unasked. Only if nodes were reached, and served no
/// filters: otherwise the failure has another cause.
void SyncReporter::warn_of_large_download(const client::SyncReport& report) {
    const client::SourceChooser* const chooser = sync_.chooser();
    if (chooser == nullptr || chooser->choice() || !chooser->inputs().finds_nodes) return;
    const std::uint64_t bytes = chooser->missing_bytes();
    if (bytes <= client::kMaxUnaskedBytes) return;
    const auto lacks_filters = [](const net::PeerReport& peer) {
        return peer.ended == net::DisconnectReason::no_bloom ||
               peer.ended == net::DisconnectReason::no_compact_filters;
    };
    if (std::ranges::none_of(report.status.peers, lacks_filters)) return;
    console_.warn(prefix() +
                  "no node that serves Bloom filters or compact filters was found; "
                  "every node serves blocks: --source blocks downloads all of them, "
                  "some " +
                  format_bytes(bytes));
}

void SyncReporter::warn_of_chain() {
    if (!std::exchange(warned_.of_low_work, true)) warn_of_low_work(source_.chain, console_);
    warn_of_late_birthday(source_.chain, sync_.wallet(), prefix(), global_, console_);
}

void SyncReporter::warn_of_other_chain(const net::SyncStatus& status) {
    const net::OtherChain& other = *status.other_chain;
    const net::PeerReport* const peer = net::find_report(status.peers, other.peer);
    warn("wallet '" + global_.wallet + "' stays at block " + format_count(status.synced_height) +
         ", as no peer has the stored chain: that of " +
         (peer == nullptr ? std::string("a peer") : peer->address) + " forks off after block " +
         format_count(other.fork_height) + ", ends at block " + format_count(other.height) +
         (other.is_excluded ? " and has a block that is invalid or that no peer sends"
                            : " and has no more work; " + if_made_anew(global_)));
}

/// Warns of named nodes. The error of a failed sync and the warnings of a run that stays have told
/// of them already.
void SyncReporter::report_useless_nodes(const client::SyncReport& report) {
    const bool is_told = report.end == client::SyncEnd::failed || sync_.stays();
    if (source_.peers.searches() || is_told) {
        return log_failures(report.result, prefix(), console_);
    }
    for (const std::string& text :
         useless_node_texts(report.result, report.status, has_auto_source(), global_)) {
        if (warned_.of_nodes.insert(text).second) console_.warn(text);
    }
}

void SyncReporter::conclude(const client::SyncReport& report, const std::string& missing) {
    if (follow_ && report.end == client::SyncEnd::done) follow_->on_end();
    report_useless_nodes(report);
    if (!sync_.stays()) warn_of_clock(report.status, prefix(), console_);
    switch (report.end) {
        case client::SyncEnd::done:
            break;
        case client::SyncEnd::state_missed:
            throw CommandError(
                ExitStatus::no_peer, "timed-out",
                "it has not happened within --timeout: " + missing + "; the wallet is synced");
        case client::SyncEnd::failed:
            warn_of_large_download(report);
            throw sync_error(report.result, report.status, has_auto_source(), global_);
        case client::SyncEnd::overtaken:
            throw CommandError(ExitStatus::no_peer, "reorganised",
                               "wallet '" + global_.wallet + "' was synced to block " +
                                   format_count(*report.synced_height) +
                                   ", which a reorganisation has since replaced; sync it again");
    }
    if (!options_.follow) warn_of_chain();
    if (sync_.stays() || std::exchange(warned_.of_old_tip, true)) return;
    warn_of_old_tip(report.chain, global_, console_);
}

}  // namespace petal::cli
