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

#include "cli/options/advice.h"
#include "cli/options/data_folder.h"
#include "cli/sync/display/sync_display.h"
#include "cli/sync/sync_reporter.h"
#include "cli/sync/text/peer_file_text.h"
#include "cli/sync/text/sync_report.h"
#include "cli/text/command_error.h"
#include "cli/text/text.h"
#include "cli/text/wallet_failure.h"
#include "client/sync/sync_group.h"

namespace petal::cli {
namespace {

std::vector<std::string> names_of(const SyncCommandOptions& options, const GlobalOptions& global) {
    if (!options.several.all) return options.several.names;
    data_of(global).check();
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
          display_(options, global, console, SyncDisplay::Clock::now(), display_mode(options)) {
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
        std::optional<client::SyncReport> report = {};
        std::optional<CommandError> error = {};

        /// The failure in a sentence that names the wallet.
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
        client::WalletSync& sync;
        SyncReporter& reporter;
    };

    void open_wallets() {
        for (Part& part : parts_) {
            guard(part, [&] {
                auto wallet = open_wallet(for_wallet(global_, part.name), wallet::Access::sync);
                const auto start = client::start_of(options_, wallet.birthday(), *global_.network);
                opened_.push_back({part, std::move(wallet), start});
            });
        }
    }

    /// An exception of a wallet is a failure of this wallet only.
    void guard(Part& part, const std::function<void()>& what) {
        try {
            what();
        } catch (const wallet::WalletError& error) {
            fail(part, command_error(error));
        } catch (const client::DataFolderError& error) {
            fail(part, command_error(error));
        } catch (const CommandError& error) {
            fail(part, error);
        }
    }

    /// Reported at once, because the remaining syncs may take long.
    void fail(Part& part, const CommandError& error) {
        part.error = error;
        display_.clear();
        console_.warn(part.trouble());
        if (EventOutput* const events = display_.events()) {
            Json event{{"event", "error"}, {"wallet", part.name}};
            event.update(error_json(error));
            if (events->writes_json()) events->write(event);
        }
    }

    void sync() {
        const auto lowest = std::ranges::min_element(
            opened_, {}, [](const Opened& opened) { return opened.start.height; });
        group_.emplace(options_, data_of(global_), lowest->start, opened_.size(),
                       peer_file_warnings(console_));
        report_files(group_->source(), console_);
        warn_of_shared_peers();
        for (Opened& opened : opened_) add(opened);
        const auto ends = group_->run();
        display_.clear();
        if (unreported_) std::rethrow_exception(unreported_);
        for (const auto& end : ends) {
            if (end.failure) rethrow_unless_of_wallet(end.failure);
        }
        display_.finish_events();
        for (std::size_t i = 0; i < ends.size(); ++i) finish(members_[i], ends[i]);
    }

    void add(Opened& opened) {
        Part& part = opened.part;
        guard(part, [&] {
            const auto prepare = [&](client::WalletSync& sync) {
                reporters_.emplace_back(options_, for_wallet(global_, part.name), console_,
                                        display_, group_->source(), sync, warned_, /*shared=*/true);
            };
            client::WalletSync& sync = group_->add(
                part.name, std::move(opened.wallet), prepare,
                [this, &part](const std::exception_ptr& thrown) { on_exception(part, thrown); });
            members_.push_back({part, sync, reporters_.back()});
        });
    }

    void on_exception(Part& part, const std::exception_ptr& thrown) {
        try {
            report_failure(part, thrown);
        } catch (...) {
            if (!unreported_) unreported_ = std::current_exception();
            group_->stop();
        }
    }

    /// Rethrows exceptions that concern the headers or standard output, and so all wallets.
    void report_failure(Part& part, const std::exception_ptr& thrown) {
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

    static void finish(const Member& member, const client::SyncGroup::End& end) {
        Part& part = member.part;
        if (part.error) return;
        try {
            if (end.failure) std::rethrow_exception(end.failure);
            auto report = member.sync.finish(end.result);
            member.reporter.conclude(report);
            part.report = std::move(report);
        } catch (const wallet::WalletError& error) {
            part.error = command_error(error);
        } catch (const CommandError& error) {
            part.error = error;
        }
    }

    void warn_of_shared_peers() {
        const auto& named = options_.connection.connect;
        const auto stranger = std::ranges::find_if_not(named, client::is_at_home);
        if (opened_.size() < 2 || stranger == named.end()) return;
        console_.warn(to_string(*stranger) + " gets the filters of " +
                      count_of(opened_.size(), "wallet") +
                      ", and learns that they are of one user; without --connect, each wallet "
                      "gets nodes of its own");
    }

    std::vector<const client::SyncReport*> reports() const {
        std::vector<const client::SyncReport*> all;
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
        if (group_) {
            const client::ChainReport chain =
                client::chain_report_of(group_->source().chain, std::nullopt);
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
        for (const client::SyncReport* report : reports()) {
            const GlobalOptions global = for_wallet(global_, report->wallet);
            Explanations explanations = explanations_of_wallet(options_.explain, global);
            text += wallet_part_text(*report, explanations, global, console_) + "\n";
            remember_explanations(explanations, global, console_);
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
            if (shows_reports && global_.json) console_.print_json(json());
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
    std::optional<client::SyncGroup> group_;
    ChainWarnings warned_;
    std::deque<SyncReporter> reporters_;
    std::vector<Member> members_;    // in the order of the group
    std::exception_ptr unreported_;  // why the run cannot continue
};

}  // namespace

void sync_several(const SyncCommandOptions& options, const GlobalOptions& global,
                  Console& console) {
    SeveralWallets(options, global, console).run();
}

}  // namespace petal::cli
