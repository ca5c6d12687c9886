/// Headers of a chain that has not shown yet that it is worth storing.
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
    not_connected,      ///< does not follow the header before
    bad_target,         ///< a target that the network does not allow
    insufficient_work,  ///< the hash is above the target
    wrong_bits,         ///< a difficulty that no times allow at this height
    too_long,           ///< more blocks than there can be since the first one
    another_chain,      ///< the second time not the headers of the first
};

std::string_view describe(PresyncError error);

/// Where a presync starts, and the work that the chain must have.
struct PresyncTask {
    Anchor start;            ///< a known block, which the first header follows
    Uint256 required_work;   ///< from the genesis block on
    std::int64_t now = 0;    ///< Unix seconds
    std::uint64_t salt = 0;  ///< drawn at random, so that no peer knows what is remembered
};

/// Downloads a branch twice: the first time only to see that it carries enough work, keeping one
/// salted bit of every few hundred headers; the second time comparing these, and giving the headers
/// away once so many follow them that guessing right all along would have cost more than an honest
/// chain of that work (Bitcoin Core: HeadersSyncState). What a peer can make it keep is bounded:
/// about half a megabyte of bits on mainnet, and one and a half of headers.
///
/// One peer's, and for one branch. Not thread-safe.
class HeaderPresync {
public:
    enum class Phase : std::uint8_t {
        first_download,
        second_download,
        done,  ///< all that was promised has been given away
    };

    /// `network` must outlive it.
    HeaderPresync(const NetworkParams& network, const PresyncTask& task);

    /// Takes the next headers, each after the one before. Returns those that have shown their
    /// worth, to be validated in full; they follow `start` and each other over all calls. After an
    /// error it is of no more use.
    Expected<std::vector<BlockHeader>, PresyncError> take(std::span<const HashedHeader> headers);

    Phase phase() const { return phase_; }
    /// The block whose followers take() expects next.
    const BlockHash& next_after() const { return reached_.hash; }
    std::uint32_t start_height() const { return task_.start.height; }
    /// The height that the present download has reached.
    std::uint32_t height() const { return reached_.height; }

private:
    /// The last header of the present download.
    struct Position {
        BlockHash hash;
        std::uint32_t height = 0;
        std::uint32_t bits = 0;
        Uint256 work;
    };
    /// The difficulty of the last header: blocks that follow each other mostly have the same.
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
    std::size_t compared_ = 0;  // commitments that the second download has met
    Position reached_;
    Difficulty difficulty_;
    std::deque<BlockHeader> buffer_;  // of the second download, not given away yet
};

/// Whether a block of these bits may follow one of the others, whatever their times are; for what
/// is not known to be valid yet (Bitcoin Core: PermittedDifficultyTransition).
/// height   of the later one
bool is_permitted_transition(const NetworkParams& network, std::uint32_t height,
                             std::uint32_t old_bits, std::uint32_t new_bits);

}  // namespace petal::chain
