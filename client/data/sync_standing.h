/// The state of a running sync, for other processes, in a file beside the wallet's.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "net/sync/state/sync_status.h"

namespace petal::client {

/// Why a sync makes no progress.
enum class SyncTrouble : std::uint8_t {
    none,           ///< headers or blocks arrive, or all are in
    no_peer,        ///< no peer is connected
    other_chain,    ///< no peer has the stored chain
    shorter_chain,  ///< no peer has all blocks of the stored chain
    stalled,        ///< an event is awaited: SyncStanding::stall_reason
    suspended,      ///< the process has not renewed its standing for long
};

/// Whether a connected peer has shown that the wallet is synced to the network's last block. The
/// stored headers alone do not prove it: they do not change while no peer sends any.
struct SyncStanding {
    bool is_confirmed = false;
    /// Unix seconds since when that is so, or is not.
    std::int64_t since = 0;
    SyncTrouble trouble = SyncTrouble::none;
    /// With SyncTrouble::no_peer: why none could be connected to, in the words of the program that
    /// syncs. May be empty.
    std::string failures = {};
    /// With SyncTrouble::stalled.
    net::StallReason stall_reason = net::StallReason::none;
    /// With SyncTrouble::other_chain: the last block that the peers' chain and the stored one
    /// share.
    std::uint32_t fork_height = 0;
    /// With SyncTrouble::other_chain: whether the peers' chain is valid as far as it is known.
    bool is_other_chain = false;
    /// SyncStatus::early_until
    std::optional<std::int64_t> early_until = {};

    friend bool operator==(const SyncStanding&, const SyncStanding&) = default;
};

/// The standing of a sync, without `since`.
/// failures   SyncStanding::failures
SyncStanding sync_standing(const net::SyncStatus& status, const std::string& failures);

/// Removes the file of a sync that was killed, if there is one.
void remove_standing(const std::filesystem::path& wallet_file);

/// Writes the standing for other processes, with the time. Used by the process that holds the
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

/// The state that another process wrote. Empty without a valid file. If the file was not renewed
/// for ten seconds, the trouble is SyncTrouble::suspended.
/// now   Unix seconds
std::optional<SyncStanding> read_standing(const std::filesystem::path& wallet_file,
                                          std::int64_t now);

}  // namespace petal::client
