/// Presynchronisation: downloads headers of a chain that has not yet shown the required work.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "chain/block_header.h"
#include "chain/expected.h"
#include "chain/headers/anchors.h"
#include "chain/network_params.h"
#include "chain/uint256.h"

namespace petal::chain {

enum class PresyncError : std::uint8_t {
    not_connected,      ///< does not follow the previous header
    bad_target,         ///< a target that the network does not allow
    insufficient_work,  ///< the hash is above the target
    wrong_bits,         ///< a difficulty that is impossible at this height with any block times
    too_long,           ///< more blocks than can exist since the first block
    another_chain,      ///< the second download differs from the first
};

std::string_view describe(PresyncError error);

/// The start of a presync, and the work that the chain must reach.
struct PresyncTask {
    Anchor start;            ///< the known block before the first header
    Uint256 required_work;   ///< from the genesis block on
    std::int64_t now = 0;    ///< Unix seconds
    std::uint64_t salt = 0;  ///< random, so that peers don't know which headers have commitments
    /// The number of headers per commitment bit, not 0. Both parameters were computed for mainnet
    /// by Bitcoin Core's contrib/devtools/headerssync-params.py. An attacker must guess 23 bits,
    /// which multiplies the work of a false chain by 2^23.
    std::uint32_t commitment_period = 641;
    /// A header is released after this number of later headers were compared.
    std::size_t buffered_headers = 15'218;
};

/// Downloads a branch twice (Bitcoin Core: HeadersSyncState), which bounds the memory that a peer
/// can occupy: on mainnet about 0.5 MB of commitments and 1.5 MB of headers.
///
/// 1. The first download only checks that the branch has enough work. One salted commitment bit is
///    stored for every few hundred headers.
/// 2. The second download compares the commitment bits. A header is released when enough later
///    headers were compared: to guess all their bits would have cost more than an honest chain with
///    this work.
///
/// One object per branch and peer. Not thread-safe.
class HeaderPresync {
public:
    enum class Phase : std::uint8_t {
        first_download,
        second_download,
        done,  ///< all headers with enough work were released
    };

    /// `network` must outlive the presync.
    HeaderPresync(const NetworkParams& network, const PresyncTask& task);

    /// Processes the next headers, each after its parent. Returns the released headers, which the
    /// caller must validate in full. Over all calls, the released headers form a chain that follows
    /// `start`. No calls are allowed after an error.
    Expected<std::vector<BlockHeader>, PresyncError> take(std::span<const HashedHeader> headers);

    Phase phase() const { return phase_; }
    /// The block whose children take() expects next.
    const BlockHash& next_after() const { return reached_.hash; }
    std::uint32_t start_height() const { return task_.start.height; }
    /// The height that the current download has reached.
    std::uint32_t height() const { return reached_.height; }

private:
    /// The last header of the current download.
    struct Position {
        BlockHash hash;
        std::uint32_t height = 0;
        std::uint32_t bits = 0;
        Uint256 work;
    };
    /// The decoded difficulty of the last header, cached because consecutive blocks mostly have the
    /// same difficulty.
    struct Difficulty {
        std::uint32_t bits = 0;
        Uint256 target;
        Uint256 work;  ///< of one block
    };

    std::optional<PresyncError> check(const HashedHeader& hashed);
    std::optional<PresyncError> remember(const HashedHeader& hashed);
    std::optional<PresyncError> compare(const HashedHeader& hashed);
    bool is_committed(std::uint32_t height) const;
    bool commitment(const BlockHash& hash) const;
    void restart(Phase phase);

    const NetworkParams& network_;
    PresyncTask task_;
    Phase phase_ = Phase::first_download;
    std::size_t max_commitments_;
    std::vector<bool> commitments_;
    std::size_t compared_ = 0;  // commitments compared by the second download
    Position reached_;
    Difficulty difficulty_;
    std::deque<BlockHeader> buffer_;  // of the second download, not yet released
};

/// Whether a block with `new_bits` may follow a block with `old_bits` for any block times (Bitcoin
/// Core: PermittedDifficultyTransition).
/// height   of the later block
bool is_permitted_transition(const NetworkParams& network, std::uint32_t height,
                             std::uint32_t old_bits, std::uint32_t new_bits);

}  // namespace petal::chain
