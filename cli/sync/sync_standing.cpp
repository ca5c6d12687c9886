#include "cli/sync/sync_standing.h"

#include <system_error>
#include <utility>

#include "chain/storage/private_files.h"
#include "cli/json.h"
#include "cli/text.h"

namespace petal::cli {
namespace {

constexpr std::size_t kMaxStandingBytes = 16'384;
constexpr std::size_t kMaxTroubleBytes = 1'000;
// Seconds. A suspended process cannot report that it is suspended. A sync with nothing to do
// reports every two seconds (net::ProgressReporter), and a report just before kRenewAfter renews
// nothing.
constexpr std::int64_t kRenewAfter = 2;
constexpr std::int64_t kMaxAge = 10;

std::filesystem::path suffixed(std::filesystem::path file, const char* suffix) {
    return file += suffix;
}

std::filesystem::path standing_file(const std::filesystem::path& wallet_file) {
    return suffixed(wallet_file, ".sync-standing");
}

}  // namespace

SyncStanding sync_standing(const net::SyncStatus& status, const std::string& failures) {
    using Phase = net::SyncPhase;
    using Reason = net::StallReason;
    SyncStanding standing{.early_until = status.early_until};
    if (status.phase == Phase::no_peer || status.phase == Phase::handshake) {
        standing.trouble = "has no peer" + (failures.empty() ? "" : " (" + failures + ")");
    } else if (status.stall_reason == Reason::lighter_chain) {
        const bool is_other = status.other_chain.has_value();
        standing.is_other_chain = is_other && !status.other_chain->is_excluded;
        standing.trouble = is_other
                               ? "has no peer with the stored chain: its peers' chain forks off "
                                 "after block " +
                                     format_count(status.other_chain->fork_height)
                               : "has no peer with all blocks of the stored chain";
    } else if (status.stall_reason == Reason::undone_transactions) {
        standing.is_confirmed = true;  // all blocks are in
    } else if (status.stall_reason != Reason::none) {
        standing.trouble = "waits for " + std::string(describe(status.stall_reason));
        // A block that is ahead of the clock does not count yet.
        standing.is_confirmed =
            status.stall_reason == Reason::ahead_of_clock && status.phase >= Phase::listening;
    } else {
        standing.is_confirmed = status.phase >= Phase::listening;
    }
    return standing;
}

void remove_standing(const std::filesystem::path& wallet_file) {
    std::error_code ignored;
    std::filesystem::remove(standing_file(wallet_file), ignored);
    std::filesystem::remove(standing_file(wallet_file).string() + ".new", ignored);
}

StandingWriter::StandingWriter(std::filesystem::path wallet_file)
    : wallet_file_(std::move(wallet_file)) {
    remove_standing(wallet_file_);
}

StandingWriter::~StandingWriter() {
    remove_standing(wallet_file_);
}

void StandingWriter::update(SyncStanding standing, std::int64_t now) {
    const bool is_as_before = written_ && written_->is_confirmed == standing.is_confirmed &&
                              written_->trouble.empty() == standing.trouble.empty();
    standing.since = is_as_before ? written_->since : now;
    const std::int64_t age = now - written_at_;  // negative if the clock was set back
    if (written_ == standing && age >= 0 && age < kRenewAfter) return;
    written_ = std::move(standing);
    written_at_ = now;
    try {
        write();
    } catch (const std::system_error&) {
        remove_standing(wallet_file_);
    }
}

void StandingWriter::write() const {
    const Json json{
        {"time", written_at_},
        {"confirmed", written_->is_confirmed},
        {"since_time", written_->since},
        {"trouble", printable(written_->trouble, kMaxTroubleBytes)},
        {"other_chain", written_->is_other_chain},
        {"early_until_time", written_->early_until ? Json(*written_->early_until) : Json(nullptr)}};
    chain::replace_private_file(standing_file(wallet_file_), to_line(json) + '\n');
}

std::optional<SyncStanding> read_standing(const std::filesystem::path& wallet_file,
                                          std::int64_t now) {
    const Json json = read_json_file(standing_file(wallet_file), kMaxStandingBytes);
    const auto time = find_integer(json, "time");
    if (!time) return std::nullopt;
    // Small negative ages are allowed, as the clock may have been set back.
    if (*time < now - kMaxAge || *time > now + kMaxAge) {
        return SyncStanding{.since = *time, .trouble = "is suspended or hangs"};
    }
    const auto since = find_integer(json, "since_time");
    if (!since) return std::nullopt;
    try {
        SyncStanding standing{.since = *since};
        json.at("confirmed").get_to(standing.is_confirmed);
        json.at("trouble").get_to(standing.trouble);
        json.at("other_chain").get_to(standing.is_other_chain);
        standing.early_until = find_integer(json, "early_until_time");
        return standing;
    } catch (const Json::exception&) {
        return std::nullopt;
    }
}

}  // namespace petal::cli
