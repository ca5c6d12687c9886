#include "cli/sync/sync_commands.h"

#include <chrono>
#include <optional>
#include <ostream>
#include <utility>

#include "cli/options/data_folder.h"
#include "cli/sync/display/sync_display.h"
#include "cli/sync/other_sync.h"
#include "cli/sync/several_wallets.h"
#include "cli/sync/sync_reporter.h"
#include "cli/sync/text/peer_file_text.h"
#include "cli/text/amount.h"
#include "cli/text/command_error.h"
#include "cli/text/text.h"
#include "cli/wallet/address_commands.h"
#include "cli/wallet/sync_status_text.h"
#include "client/spending/sent_payment.h"
#include "client/sync/single_sync.h"

namespace petal::cli {

SyncDisplay::Mode display_mode(const SyncCommandOptions& options) {
    if (options.follow) return SyncDisplay::Mode::follows;
    return options.wait_unconfirmed ? SyncDisplay::Mode::listens
                                    : SyncDisplay::Mode::to_the_last_block;
}

namespace {

using Clock = std::chrono::steady_clock;

/// The sync of a single wallet, with the output.
class SyncRun {
public:
    /// until   the state that ends the run, once all blocks are searched. Null for none
    SyncRun(const SyncCommandOptions& options, const GlobalOptions& global, Console& console,
            wallet::Wallet wallet, const AwaitedState* until = nullptr)
        : until_(until),
          sync_(options, data_of(global), global.wallet, std::move(wallet),
                peer_file_warnings(console),
                until == nullptr ? client::WalletSync::Until{} : until->is_reached),
          display_(options, global, console, sync_.source().started,
                   until != nullptr ? SyncDisplay::Mode::stays : display_mode(options)),
          reporter_(options, global, console, display_, sync_.source(), sync_.sync(), warned_,
                    /*shared=*/false) {
        report_files(sync_.source(), console);
    }

    client::SyncReport run() {
        auto report = sync_.run();
        display_.clear();
        display_.finish_events();
        const bool is_missed = report.end == client::SyncEnd::state_missed;
        reporter_.conclude(report, is_missed ? until_->missing(wallet()) : "");
        return report;
    }

    const wallet::Wallet& wallet() { return sync_.sync().wallet(); }

private:
    const AwaitedState* until_;
    client::SingleSync sync_;
    SyncDisplay display_;
    ChainWarnings warned_;
    SyncReporter reporter_;
};

}  // namespace

client::SyncReport sync_wallet(const SyncCommandOptions& options, const GlobalOptions& global,
                               Console& console) {
    return SyncRun(options, global, console, open_wallet(global, wallet::Access::sync)).run();
}

void run_sync(const SyncCommandOptions& options, const GlobalOptions& global, Console& console) {
    if (const std::string fault = command_fault(options.notify); !fault.empty()) {
        throw CommandError(ExitStatus::failed, "bad-command",
                           "--notify: " + printable(fault) + "; no peer was asked");
    }
    if (options.several.all || !options.several.names.empty()) {
        return sync_several(options, global, console);
    }
    if (options.follow) {  // all events were reported
        static_cast<void>(sync_wallet(options, global, console));
        return;
    }
    const auto start = Clock::now();
    SyncCommandOptions remaining = options;
    auto wallet = open_or_await_other(remaining, global, nullptr, console);
    const auto report_other = [&] {
        const std::chrono::duration<double> seconds = Clock::now() - start;
        return client::report_of_other(data_of(global), global.wallet, seconds.count());
    };
    const client::SyncReport report =
        wallet ? SyncRun(remaining, global, console, *std::move(wallet)).run() : report_other();
    if (report.by_other) warn_of_old_tip(report.chain, global, console);
    if (global.json) return console.print_json(sync_json(report));
    Explanations explanations = explanations_of_wallet(options.explain, global);
    console.prose() << sync_text(report, explanations, global, console);
    remember_explanations(explanations, global, console);
}

namespace {

/// The event of `wait`: a payment to an address, a transaction, or a height.
class AwaitedEvent {
public:
    AwaitedEvent(const WaitOptions& options, const GlobalOptions& global)
        : options_(options), network_(*global.network) {
        if (options.txid) txid_ = options.txid->whole();
        if (options.height || txid_) return;
        const wallet::Wallet wallet = open_wallet(global, wallet::Access::read);
        if (options.txid) {
            txid_ = options.txid->find(wallet, global);
        } else {
            script_ = own_script(options.address, wallet, global);
        }
    }

    bool has_happened(const wallet::Wallet& wallet) const {
        if (!script_.empty()) return received(wallet) >= options_.amount;
        if (options_.height) {
            const auto synced = wallet.info().synced;
            return synced && synced->height >= *options_.height;
        }
        const auto entry = wallet.transaction(*txid_);
        return entry && entry->counts() && entry->confirmations >= options_.confirmations;
    }

    Json json(const wallet::Wallet& wallet) const {
        if (!script_.empty()) return address_json(*wallet.address(script_));
        if (txid_) {
            return transaction_json(transaction_of(wallet), client::SentPayments(wallet), network_);
        }
        return wallet.info().synced;
    }

    std::string text(const wallet::Wallet& wallet) const {
        if (!script_.empty()) {
            return wallet.address(script_)->address + " has received " +
                   format_btc(received(wallet)) + " BTC" + depth_text() + unconfirmed_text(wallet);
        }
        if (!txid_) return "Synced to block " + format_count(wallet.info().synced->height);
        const wallet::HistoryEntry entry = transaction_of(wallet);
        return "Transaction " + entry.txid.to_hex() + " has " +
               count_of(entry.confirmations, "confirmation");
    }

    /// The part that has not happened yet.
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
        const std::string name = "transaction " + txid_->to_hex();
        const auto entry = wallet.transaction(*txid_);
        if (!entry) return name + " is not in the wallet";
        if (entry->replaced_by) {
            const std::string other = entry->replaced_by->to_hex();
            if (entry->is_replaced_for_certain) return name + " is replaced by " + other;
            return name + " conflicts with " + other + ", which peers show more";
        }
        if (entry->undone) return name + " was only in a block that left the chain";
        return name + " has " + format_count(entry->confirmations) + " of " +
               count_of(options_.confirmations, "confirmation");
    }

private:
    // Another process may have removed the transaction since has_happened().
    wallet::HistoryEntry transaction_of(const wallet::Wallet& wallet) const {
        auto entry = wallet.transaction(*txid_);
        if (!entry) throw CommandError(ExitStatus::failed, "unknown-transaction", missing(wallet));
        return *std::move(entry);
    }

    std::string depth_text() const {
        if (options_.confirmations == 0) return "";
        return " with " + count_of(options_.confirmations, "confirmation") + " or more";
    }

    // A peer may have fabricated unconfirmed transactions.
    std::string unconfirmed_text(const wallet::Wallet& wallet) const {
        const chain::Satoshis amount = wallet.address(script_)->unconfirmed;
        if (options_.confirmations > 0 || amount == 0) return "";
        return ", " + format_btc(amount) + " of it unconfirmed and not proven";
    }

    chain::Satoshis received(const wallet::Wallet& wallet) const {
        return wallet.received(script_, options_.confirmations);
    }

    const WaitOptions& options_;
    const chain::NetworkParams& network_;
    chain::Bytes script_;
    std::optional<chain::Txid> txid_;
};

}  // namespace

void run_wait(const WaitOptions& options, const GlobalOptions& global, Console& console) {
    const AwaitedEvent event(options, global);
    const AwaitedState awaited{
        [&](const wallet::Wallet& wallet) { return event.has_happened(wallet); },
        [&](const wallet::Wallet& wallet) { return event.missing(wallet); }};
    const auto print = [&](const wallet::Wallet& wallet) {
        const auto sync_status = client::wallet_sync_status(wallet.info(), data_of(global));
        if (global.json)
            return console.print_json(with_sync_status(event.json(wallet), sync_status));
        console.prose() << event.text(wallet) << '\n'
                        << minimum_work_line(sync_status.minimum_work, sync_status.synced,
                                             global.network->name);
    };
    SyncCommandOptions remaining = options.sync;
    auto wallet = open_or_await_other(remaining, global, &awaited, console);
    if (!wallet) return print(open_wallet(global, wallet::Access::read));
    SyncRun run(remaining, global, console, *std::move(wallet), &awaited);
    static_cast<void>(run.run());
    print(run.wallet());
}

}  // namespace petal::cli
