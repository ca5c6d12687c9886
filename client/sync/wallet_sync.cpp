#include "client/sync/wallet_sync.h"

#include <algorithm>
#include <utility>

#include "client/data/relay_node.h"
#include "client/data/stored_chain.h"
#include "net/io/clocks.h"
#include "net/io/dial/system_random.h"
#include "net/sync/filters/sync_checkpoint.h"

namespace petal::client {
namespace {

// Own transactions are announced to unknown nodes at a random time, so that the time is not related
// to a block. A node that the user named may know which transactions are the user's.
constexpr std::chrono::milliseconds kAnnouncedWithin{60'000};
constexpr std::chrono::milliseconds kAnnouncedToNamedWithin{2'000};
// The pause between attempts to reach a peer that has been gone for days.
constexpr std::chrono::milliseconds kLongestBackoff{60'000};
// Until an address is watched that another process has handed out, or a label is shown.
constexpr std::chrono::milliseconds kRefreshWallet{1'000};

}  // namespace

chain::Anchor start_of(const WalletSyncOptions& options, const chain::Birthday& birthday,
                       const chain::NetworkParams& network) {
    if (options.from_genesis) return chain::genesis_anchor(network);
    return chain::anchor_before(network, birthday.height, birthday.time);
}

SyncSource::SyncSource(const WalletSyncOptions& options, const DataFolder& folder,
                       const chain::Anchor& start, PeerSource::OnTrouble on_trouble)
    : data(folder),
      peers(options.connection, data,
            net::services_needed(fixed_source(options.source, options.connection.connect.empty())
                                     .value_or(net::MatchSourceKind::filtered_blocks)),
            std::move(on_trouble)),
      chain(data.network(), start),
      file(data.header_file(), chain, net::unix_time_now()),
      fee_floor(data.fee_floor_file()) {}

WalletSync::WalletSync(WalletSyncOptions options, std::string name, wallet::Wallet wallet,
                       SyncSource& source, const std::optional<GroupMember>& member, Until until)
    : options_(std::move(options)),
      name_(std::move(name)),
      member_(member),
      until_(std::move(until)),
      wallet_(std::move(wallet)),
      source_(source),
      standing_(source.data.wallet_file(name_)),
      filter_hosts_(source.data.wallet_file(name_)),
      engine_(source.chain, wallet_, engine_options(), &source.shared) {}

ChoiceInputs WalletSync::choice_inputs() const {
    const chain::SyncState state = wallet_.sync_state();
    const auto checkpoint = net::decode_sync_checkpoint(state.sync_checkpoint);
    ChoiceInputs inputs;
    inputs.finds_nodes = source_.peers.searches();
    inputs.expected_peers = member_ ? member_->max_peers : source_.peers.expected();
    const double rate = options_.privacy ? net::rate_of(*options_.privacy)
                        : checkpoint     ? checkpoint->rate
                                         : 0;
    if (rate >= net::rate_of(net::Privacy::private_)) inputs.privacy = net::Privacy::private_;
    inputs.has_compact_history = checkpoint && checkpoint->without_false_positives_from;
    // If the user has said how unconfirmed payments are found, the source need not find them.
    inputs.listens = (stays() || options_.wait_unconfirmed) && !options_.unconfirmed;
    const bool knows_block = state.synced && source_.chain.is_on_best_chain(state.synced->hash);
    const std::int64_t since =
        knows_block
            ? source_.chain.header_at(state.synced->height).time
            : std::max<std::int64_t>(wallet_.birthday().time,
                                     source_.chain.header_at(source_.chain.root().height).time);
    inputs.missing_bytes =
        estimated_block_bytes(source_.data.network(), since, net::unix_time_now());
    if (const auto timeout = options_.connection.timeout) {
        inputs.patience = std::min(inputs.patience, *timeout / 3);  // there are three sources
    }
    return inputs;
}

net::SyncOptions WalletSync::engine_options() {
    const PeerSource& peers = source_.peers;
    net::SyncOptions options;
    options.wait_unconfirmed = stays() ? net::SyncOptions::kForever : options_.wait_unconfirmed;
    if (stays()) {
        options.announce_own_within = peers.searches() ? kAnnouncedWithin : kAnnouncedToNamedWithin;
    }
    options.unconfirmed = options_.unconfirmed.value_or(options.unconfirmed);
    options.relay_node = relay_node();
    options.refresh_watcher_every = kRefreshWallet;
    options.blocks.early_patience = options_.connection.timeout.value_or(std::chrono::seconds{0});
    options.expected_peers = member_ ? member_->max_peers : peers.expected();
    options.has_substitutes = peers.has_substitutes();
    options.threshold = {options_.minimum_chainwork, source_.file.higher_chainwork()};
    options.ask_for_addresses = peers.searches();
    if (const auto source = fixed_source(options_.source, peers.searches())) {
        options.blocks.source = *source;
    } else {
        chooser_.emplace(choice_inputs(), source_.shared_choice);
        options.blocks.choose_source = [this](const net::SourceFacts& facts) {
            const net::SourceDecision decision = chooser_->decide(facts);
            look_for_services();
            return decision;
        };
    }
    options.blocks.cross_check = options_.cross_check;
    if (options_.privacy) options.false_positive_rate = net::rate_of(*options_.privacy);
    options.random_seed = net::random_seed();
    return options;
}

void WalletSync::look_for_services() {
    source_.peers.look_for(chooser_->services(), member_ ? member_->number : 0);
}

std::optional<SourceChoice> WalletSync::source_choice() const {
    if (chooser_) return chooser_->choice();
    const auto source = fixed_source(options_.source, source_.peers.searches());
    return SourceChoice{*source, options_.source == SourceOption::by_default
                                     ? SourceReason::by_default
                                     : SourceReason::requested};
}

// Of several wallets, each is to have nodes of its own, which may not be those of earlier runs.
std::optional<std::string> WalletSync::relay_node() const {
    if (member_ || options_.unconfirmed != net::UnconfirmedMode::bloom) return std::nullopt;
    return client::read_relay_node(source_.data.wallet_file(name_));
}

void WalletSync::connect_engine() {
    engine_.events.on_reorganisation = events.on_reorganisation;
    engine_.events.on_invalid_block = [this](const chain::InvalidBlock& invalid) {
        report_invalid_block(invalid);
    };
    engine_.events.on_withheld_block = events.on_withheld_block;
    engine_.events.on_filter_conflict = events.on_filter_conflict;
    engine_.events.on_first_filter = [this](const net::PeerReport& peer) {
        record_filter_host(peer);
    };
    engine_.events.on_relay_peer = [this](const net::PeerReport& peer) { record_relay_node(peer); };
}

net::SpvOptions WalletSync::client_options(std::function<void()> stop) {
    connect_engine();
    if (chooser_) look_for_services();
    net::SpvOptions options;
    source_.peers.apply(options);
    const bool listens = stays() || options_.wait_unconfirmed;
    if (const auto node = relay_node(); node && listens) source_.peers.dial_first(options, *node);
    if (member_) options.max_peers = member_->max_peers;
    options.events.on_message = events.on_message;
    options.events.on_failure = [this](const net::SpvResult& so_far) { on_failure(so_far); };
    options.events.on_exhausted = [this] {
        if (!chooser_ || !chooser_->skip()) return false;
        look_for_services();
        return true;
    };
    options.stop_on_signals = options_.connection.stop_on_signals;
    options.saves.flush_headers = [this] { source_.file.flush(); };
    options.persistent = stays();
    if (stays()) {
        options.redial.last_backoff = kLongestBackoff;
        options.feelers = true;
    }
    options.events.on_progress = [this, stop = std::move(stop)](const net::SyncStatus& status,
                                                                const net::Traffic&) {
        on_progress(status, stop);
    };
    return options;
}

void WalletSync::on_failure(const net::SpvResult& so_far) {
    if (events.on_failure) events.on_failure(so_far);
    if (events.failure_words) failures_ = events.failure_words(so_far);
}

void WalletSync::on_progress(const net::SyncStatus& status, const std::function<void()>& stop) {
    record_times(status);
    if (chooser_) {
        chooser_->on_time(
            std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - source_.started),
            !source_.peers.seems_offline());
        look_for_services();
    }
    const std::int64_t now = net::unix_time_now();
    standing_.update(sync_standing(status, failures_), now);
    source_.fee_floor.update(member_ ? member_->number : 0, status, now);
    // Stored data of a chain that no peer has must not satisfy the wait for a state.
    const bool may_be_reached =
        until_ && !is_reached_ && blocks_seconds_ && !has_only_other_chains(status);
    if (may_be_reached && until_(wallet_)) {
        is_reached_ = true;
        stop();
    }
    watch_.update_relay(status, events.watch);
    if (stays()) {
        watch_.update_age(engine_.tip_watch().is_old(), events.watch);
        watch_.update_chains(status, events.watch);
        watch_.update_clock(status, now, events.watch);
    }
    if (events.on_progress) events.on_progress(status);
}

void WalletSync::record_times(const net::SyncStatus& status) {
    if (status.phase < net::SyncPhase::listening) return;
    const bool is_done = status.phase == net::SyncPhase::done;
    if (is_done && !done_seconds_) done_seconds_ = seconds_so_far();
    if (status.stall_reason == net::StallReason::undone_transactions) awaited_undone_ = true;
    if (blocks_seconds_) return;
    blocks_seconds_ = seconds_so_far();
    if (events.on_blocks_done) events.on_blocks_done();
}

void WalletSync::record_filter_host(const net::PeerReport& peer) {
    try {
        filter_hosts_.add(peer.node);
    } catch (const std::system_error& error) {
        if (events.on_unrecorded_filter_host) events.on_unrecorded_filter_host(peer, error);
    }
}

// Without the file, the next run may choose another node.
void WalletSync::record_relay_node(const net::PeerReport& peer) {
    if (member_) return;
    try {
        client::store_relay_node(source_.data.wallet_file(name_), peer.node);
    } catch (const std::system_error&) {  // NOLINT(bugprone-empty-catch)
    }
}

// The syncs of all wallets may find the same block.
void WalletSync::report_invalid_block(const chain::InvalidBlock& invalid) {
    constexpr std::size_t kMaxReported = 100;  // on test networks such blocks are cheap
    auto& reported = source_.reported_invalid;
    if (reported.size() >= kMaxReported || !reported.insert(invalid.block.hash).second) return;
    if (events.on_invalid_block) events.on_invalid_block(invalid);
}

SyncEnd WalletSync::end_of(const net::SpvResult& result) const {
    // Once it only listens, everything that the timeout is about has been reached.
    const bool all_blocks = result.outcome == net::SyncOutcome::timed_out &&
                            blocks_seconds_.has_value() && !has_only_other_chains(engine_.status());
    const bool is_stopped = result.outcome == net::SyncOutcome::interrupted;
    if (until_ && !is_reached_ && all_blocks) return SyncEnd::state_missed;
    const bool is_ended = is_reached_ || (options_.follow && is_stopped);
    if (result.outcome != net::SyncOutcome::synced && !all_blocks && !is_ended) {
        return SyncEnd::failed;
    }
    return !stays() && is_overtaken() ? SyncEnd::overtaken : SyncEnd::done;
}

// A wallet whose sync has ended does not see changes of the chain by the other syncs.
bool WalletSync::is_overtaken() const {
    const auto synced = wallet_.info().synced;
    return synced && !source_.chain.is_on_best_chain(synced->hash);
}

double WalletSync::seconds_so_far() const {
    return std::chrono::duration<double>(Clock::now() - source_.started).count();
}

SyncReport WalletSync::finish(net::SpvResult result) {
    SyncReport report;
    report.end = end_of(result);
    report.network = source_.data.network().name;
    report.wallet = name_;
    report.status = engine_.status();
    report.source = source_choice();
    report.result = std::move(result);
    report.seconds = seconds_so_far();
    if (report.end == SyncEnd::failed) return report;
    if (report.end == SyncEnd::done) watch_.update_chains(report.status, events.watch);
    const wallet::WalletInfo info = wallet_.info();
    report.chain = chain_report_of(source_.chain, info.synced);
    if (info.synced) report.synced_height = info.synced->height;
    report.birthday_height = first_height_of(wallet_.birthday(), source_.chain);
    report.balance = wallet_.balance();
    report.blocks_seconds = blocks_seconds_.value_or(report.seconds);
    report.last_seconds = done_seconds_.value_or(report.seconds) - report.blocks_seconds;
    report.awaited_undone = awaited_undone_;
    report.listened = options_.wait_unconfirmed;
    return report;
}

}  // namespace petal::client
