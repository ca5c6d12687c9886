/// The state of a running sync, for other processes, in a file beside the wallet's.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "net/sync/state/sync_status.h"

namespace petal::cli {

/// Whether a connected peer has shown that the wallet is synced to the network's last block. The
/// stored headers alone do not prove it: they do not change while no peer sends any.
struct SyncStanding {
    bool is_confirmed = false;
    /// Unix seconds since when that is so, or is not.
    std::int64_t since = 0;
    /// Why it is not, as the rest of a sentence that starts with the sync: "has no peer". Empty
    /// while headers or blocks arrive.
    std::string trouble = {};
    bool is_other_chain = false;  ///< the peers have another chain than the stored one
    /// SyncStatus::early_until
    std::optional<std::int64_t> early_until = {};

    friend bool operator==(const SyncStanding&, const SyncStanding&) = default;
};

/// The standing of a sync, without `since`.
/// failures   why no peer could be connected to; may be empty
SyncStanding sync_standing(const net::SyncStatus& status, const std::string& failures);

/// Removes the file of a sync that was killed, if there is one.
void remove_standing(const std::filesystem::path& wallet_file);

/// Writes the standing for other processes, with the time; used by the process that holds the
/// wallet's sync lock. A file that can't be written is removed: without one, nothing counts as
/// confirmed.
class StandingWriter {
public:
    /// Removes the file of an earlier sync.
    explicit StandingWriter(std::filesystem::path wallet_file);
    /// Removes the file.
    ~StandingWriter();
    StandingWriter(const StandingWriter&) = delete;
    StandingWriter& operator=(const StandingWriter&) = delete;

    /// Writes the standing if it differs from the last one, or if that was written some seconds
    /// ago.
    /// now   Unix seconds
    void update(SyncStanding standing, std::int64_t now);

private:
    void write() const;

    std::filesystem::path wallet_file_;
    std::optional<SyncStanding> written_;
    std::int64_t written_at_ = 0;
};

/// The state that another process wrote; empty without a valid file. A standing that was not
/// renewed for long is that of a process that is suspended or hangs.
/// now   Unix seconds
std::optional<SyncStanding> read_standing(const std::filesystem::path& wallet_file,
                                          std::int64_t now);

}  // namespace petal::cli
