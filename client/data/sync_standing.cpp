#include "client/data/sync_standing.h"

#include <cstddef>
#include <string_view>
#include <system_error>
#include <utility>

#include "chain/enum_table.h"
#include "chain/unix_time.h"
#include "client/data/record_file.h"

namespace petal::client {
namespace {

constexpr std::size_t kMaxStandingBytes = 16'384;
constexpr std::size_t kMaxFailureBytes = 1'000;
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

constexpr auto kTroubleCodes = chain::enum_table<SyncTrouble, std::string_view>({
    {SyncTrouble::none, "none"},
    {SyncTrouble::no_peer, "no-peer"},
    {SyncTrouble::other_chain, "other-chain"},
    {SyncTrouble::shorter_chain, "shorter-chain"},
    {SyncTrouble::stalled, "stalled"},
    {SyncTrouble::suspended, "suspended"},
});

std::string_view code_of(SyncTrouble trouble) {
    return kTroubleCodes[trouble];
}

/// The value of an enum from zero to `last` that has this code. Empty if there is none.
template <typename Enum>
std::optional<Enum> find_by_code(std::string_view code, Enum last) {
    for (int i = 0; i <= static_cast<int>(last); ++i) {
        if (code_of(static_cast<Enum>(i)) == code) return static_cast<Enum>(i);
    }
    return std::nullopt;
}

std::optional<SyncTrouble> trouble_of(std::string_view code) {
    return find_by_code(code, SyncTrouble::suspended);
}

std::optional<net::StallReason> stall_reason_of(std::string_view code) {
    return find_by_code(code, net::StallReason::undone_transactions);
}

/// A time in Unix seconds.
std::optional<std::int64_t> time_of(const Record& record, const char* name) {
    const auto time = record.integer(name);
    return time && *time >= 0 && *time <= chain::kLastUnixTime ? time : std::nullopt;
}

}  // namespace

SyncStanding sync_standing(const net::SyncStatus& status, const std::string& failures) {
    using Phase = net::SyncPhase;
    using Reason = net::StallReason;
    SyncStanding standing{.early_until = status.early_until};
    if (status.phase == Phase::no_peer || status.phase == Phase::handshake) {
        standing.trouble = SyncTrouble::no_peer;
        standing.failures = failures.substr(0, kMaxFailureBytes);
    } else if (status.stall_reason == Reason::lighter_chain) {
        const auto& other = status.other_chain;
        standing.trouble = other ? SyncTrouble::other_chain : SyncTrouble::shorter_chain;
        standing.is_other_chain = other && !other->is_excluded;
        if (other) standing.fork_height = other->fork_height;
    } else if (status.stall_reason == Reason::undone_transactions) {
        standing.is_confirmed = true;  // all blocks are in
    } else if (status.stall_reason != Reason::none) {
        standing.trouble = SyncTrouble::stalled;
        standing.stall_reason = status.stall_reason;
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
    const bool is_as_before =
        written_ && written_->is_confirmed == standing.is_confirmed &&
        (written_->trouble == SyncTrouble::none) == (standing.trouble == SyncTrouble::none);
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
    Record record;
    record.set("time", written_at_);
    record.set("confirmed", written_->is_confirmed);
    record.set("since_time", written_->since);
    record.set("trouble", std::string(code_of(written_->trouble)));
    record.set("failures", written_->failures);
    record.set("stall_reason", std::string(net::code_of(written_->stall_reason)));
    record.set("fork_height", std::int64_t{written_->fork_height});
    record.set("other_chain", written_->is_other_chain);
    if (written_->early_until) record.set("early_until_time", *written_->early_until);
    record.write(standing_file(wallet_file_));
}

std::optional<SyncStanding> read_standing(const std::filesystem::path& wallet_file,
                                          std::int64_t now) {
    const Record record = Record::read(standing_file(wallet_file), kMaxStandingBytes);
    const auto time = time_of(record, "time");
    if (!time) return std::nullopt;
    // Small negative ages are allowed, as the clock may have been set back.
    if (*time < now - kMaxAge || *time > now + kMaxAge) {
        return SyncStanding{.since = *time, .trouble = SyncTrouble::suspended};
    }
    const auto since = time_of(record, "since_time");
    const auto confirmed = record.truth("confirmed");
    const auto trouble = trouble_of(record.text("trouble").value_or(""));
    const auto stall_reason = stall_reason_of(record.text("stall_reason").value_or(""));
    const auto fork_height = record.integer("fork_height");
    const auto is_other_chain = record.truth("other_chain");
    if (!since || !confirmed || !trouble || !stall_reason || !fork_height || !is_other_chain ||
        !std::in_range<std::uint32_t>(*fork_height)) {
        return std::nullopt;
    }
    return SyncStanding{.is_confirmed = *confirmed,
                        .since = *since,
                        .trouble = *trouble,
                        .failures = record.text("failures").value_or(""),
                        .stall_reason = *stall_reason,
                        .fork_height = static_cast<std::uint32_t>(*fork_height),
                        .is_other_chain = *is_other_chain,
                        .early_until = time_of(record, "early_until_time")};
}

}  // namespace petal::client
