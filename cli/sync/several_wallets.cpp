#include "cli/sync/several_wallets.h"

#include <algorithm>
#include <deque>
#include <exception>
#include <functional>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "cli/command_error.h"
#include "cli/data_folder.h"
#include "cli/options/advice.h"
#include "cli/sync/display/sync_display.h"
#include "cli/sync/sync_report.h"
#include "cli/sync/wallet_sync.h"
#include "cli/text.h"
#include "cli/wallet_failure.h"
#include "net/io/dial/onion_address.h"
#include "net/io/dial/peer_endpoint.h"
#include "net/io/spv_group.h"

namespace petal::cli {
namespace {

/// Whether the node is on the user's own machine or network, and may know which wallets belong
/// together.
bool is_at_home(const net::Endpoint& peer) {
    if (peer.host == "localhost") return true;
    if (!net::is_ip_address(peer.host)) return false;
    const auto address = net::address_of(peer);
    return address && !net::is_public(*address);
}

std::vector<std::string> names_of(const SyncCommandOptions& options, const GlobalOptions& global) {
    if (!options.several.all) return options.several.names;
    check_data_folder(global);
    std::vector<std::string> names = data_of(global).wallet_names();
    if (!names.empty()) return names;
    throw CommandError(ExitStatus::wallet, "wallet-missing",
                       "there is no wallet on " + global.network->name + "; " +
                           advised("create", global) + " makes one");
}

class SeveralWallets {
public:
    SeveralWallets(const SyncCommandOptions& options, const GlobalOptions& global, Console& console)
        : options_(options),
          global_(global),
          console_(console),
          display_(options, global, console, SyncDisplay::Clock::now(), options.follow) {
        for (const std::string& name : names_of(options, global)) parts_.push_back({name});
    }

    void run() {
        open_wallets();
        if (!opened_.empty()) sync();
        conclude();
    }

private:
    struct Part {
        std::string name;
        std::optional<SyncReport> report = {};
        std::optional<CommandError> error = {};

        /// A failure, in a sentence that names the wallet.
        std::string trouble() const {
            const std::string text = error->what();
            const bool has_name = text.find("'" + name + "'") != std::string::npos;
            return has_name ? text : "wallet '" + name + "': " + text;
        }
    };
    struct Opened {
        Part& part;
        wallet::Wallet wallet;
        chain::Anchor start;  ///< the anchor from which the wallet needs headers
    };
    struct Member {
        Part& part;
        WalletSync& sync;
    };

    void open_wallets() {
        for (Part& part : parts_) {
            guard(part, [&] {
                auto wallet = open_wallet(for_wallet(global_, part.name), wallet::Access::sync);
                const auto start = start_of(options_, wallet.birthday(), *global_.network);
                opened_.push_back({part, std::move(wallet), start});
            });
        }
    }

    /// An exception of a wallet is its own failure. Returns whether there was none.
    bool guard(Part& part, const std::function<void()>& what) {
        try {
            what();
            return true;
        } catch (const wallet::WalletError& error) {
            fail(part, command_error(error));
        } catch (const CommandError& error) {
            fail(part, error);
        }
        return false;
    }

    /// Reported at once, as the others may run for long.
    void fail(Part& part, const CommandError& error) {
        part.error = error;
        display_.clear();
        console_.warn(part.trouble());
        if (EventOutput* const events = display_.events()) {
            Json event{{"event", "error"}, {"wallet", part.name}};
            event.update(error_json(error));
            if (events->writes_json()) events->say(event);
        }
    }

    void sync() {
        const auto lowest = std::ranges::min_element(
            opened_, {}, [](const Opened& opened) { return opened.start.height; });
        source_.emplace(options_, global_, console_, lowest->start);
        source_->tell_of_files(global_, console_);
        warn_of_shared_peers();
        const client::PeerSource& peers = source_->peers;
        const std::size_t max_peers =
            peers.searches() ? peers_for_each(peers.expected(), opened_.size()) : peers.expected();
        for (Opened& opened : opened_) add(opened, max_peers);
        const auto ends = group_.run();
        display_.clear();
        if (untold_) std::rethrow_exception(untold_);
        for (const auto& end : ends) {
            if (end.failure) rethrow_unless_of_wallet(end.failure);
        }
        display_.finish_events();
        for (std::size_t i = 0; i < ends.size(); ++i) finish(members_[i], ends[i]);
    }

    void add(Opened& opened, std::size_t max_peers) {
        const std::size_t number = syncs_.size();
        net::SpvOptions options;
        const bool is_ready = guard(opened.part, [&] {
            syncs_.emplace_back(options_, for_wallet(global_, opened.part.name), console_,
                                std::move(opened.wallet), *source_, WalletPlace{number, max_peers});
            options = syncs_.back().client_options(display_, [this] { group_.stop(); });
        });
        if (!is_ready) {
            if (syncs_.size() > number) syncs_.pop_back();
            return;
        }
        members_.push_back({opened.part, syncs_.back()});
        options.events.on_exception = [this,
                                       &part = opened.part](const std::exception_ptr& thrown) {
            try {
                tell_of_end(part, thrown);
            } catch (...) {
                if (!untold_) untold_ = std::current_exception();
                group_.stop();
            }
        };
        group_.add(syncs_.back().engine(), *global_.network, std::move(options));
    }

    /// Rethrows exceptions that are not the wallet's own but concern the headers or standard
    /// output.
    void tell_of_end(Part& part, const std::exception_ptr& thrown) {
        try {
            std::rethrow_exception(thrown);
        } catch (const wallet::WalletError& error) {
            fail(part, command_error(error));
        }
    }

    static void rethrow_unless_of_wallet(const std::exception_ptr& thrown) {
        try {
            std::rethrow_exception(thrown);
        } catch (const wallet::WalletError&) {
            return;
        }
    }

    static void finish(const Member& member, const net::SpvGroup::End& end) {
        Part& part = member.part;
        if (part.error) return;
        try {
            if (end.failure) std::rethrow_exception(end.failure);
            part.report = member.sync.finish(end.result);
        } catch (const wallet::WalletError& error) {
            part.error = command_error(error);
        } catch (const CommandError& error) {
            part.error = error;
        }
    }

    void warn_of_shared_peers() {
        const auto& named = options_.connection.connect;
        const auto stranger = std::ranges::find_if_not(named, is_at_home);
        if (opened_.size() < 2 || stranger == named.end()) return;
        console_.warn(to_string(*stranger) + " gets the filters of " +
                      count_of(opened_.size(), "wallet") +
                      ", and learns that they are of one user; without --connect, each wallet "
                      "gets nodes of its own");
    }

    std::vector<const SyncReport*> reports() const {
        std::vector<const SyncReport*> all;
        for (const Part& part : parts_) {
            if (part.report) all.push_back(&*part.report);
        }
        return all;
    }

    Json json() const {
        Json wallets = Json::array();
        for (const Part& part : parts_) {
            if (part.report) {
                wallets.push_back(wallet_part_json(*part.report));
                continue;
            }
            Json failed{{"name", part.name}};
            failed.update(error_json(*part.error));
            if (part.error->details().is_object()) failed.update(part.error->details());
            wallets.push_back(std::move(failed));
        }
        Json json{{"network", global_.network->name}};
        if (source_) {
            const ChainReport chain = chain_report_of(source_->chain, std::nullopt);
            json["tip"] = {{"height", chain.tip.height},
                           {"hash", chain.tip.hash.to_hex()},
                           {"time", chain.tip_time}};
            json["tip_age_s"] = chain.tip_age;
        }
        json["wallets"] = std::move(wallets);
        if (const auto all = reports(); !all.empty()) json["stats"] = sum_json(all);
        json["listened_for_unconfirmed"] = options_.wait_unconfirmed.has_value();
        return json;
    }

    std::string text() const {
        std::string text;
        for (const SyncReport* report : reports()) {
            const GlobalOptions global = for_wallet(global_, report->wallet);
            Explanations explanations = explanations_of_wallet(options_.explain, global);
            text += wallet_part_text(*report, explanations, global, console_) + "\n";
            note_explanations(explanations, global, console_);
        }
        return text.empty() ? text : text + unconfirmed_text(*reports().front());
    }

    void conclude() {
        const bool shows_reports = !options_.follow;
        if (shows_reports && !global_.json) console_.prose() << text();
        const Part* worst = nullptr;
        std::string troubles;
        std::size_t failed = 0;
        for (const Part& part : parts_) {
            if (!part.error) continue;
            ++failed;
            troubles += (troubles.empty() ? "" : "; ") + part.trouble();
            if (!worst || worst->error->status() < part.error->status()) worst = &part;
        }
        if (!worst) {
            if (shows_reports && global_.json) console_.out() << to_line(json()) << '\n';
            return;
        }
        CommandError error(worst->error->status(), worst->error->code(),
                           format_count(failed) + " of " + count_of(parts_.size(), "wallet") +
                               " failed: " + troubles);
        if (shows_reports) error.set_details(json());
        throw error;
    }

    const SyncCommandOptions& options_;
    const GlobalOptions& global_;
    Console& console_;
    SyncDisplay display_;
    std::vector<Part> parts_;
    std::vector<Opened> opened_;
    std::optional<SyncSource> source_;
    std::deque<WalletSync> syncs_;
    std::vector<Member> members_;  // of the group, in its order
    std::exception_ptr untold_;    // why the run cannot continue
    net::SpvGroup group_;
};

}  // namespace

std::size_t peers_for_each(std::size_t peers, std::size_t wallets) {
    return std::max(peers / wallets, std::min<std::size_t>(peers, 2));
}

void sync_several(const SyncCommandOptions& options, const GlobalOptions& global,
                  Console& console) {
    SeveralWallets(options, global, console).run();
}

}  // namespace petal::cli
