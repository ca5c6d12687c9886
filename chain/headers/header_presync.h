/// Presynchronisation: headers of a chain that has not yet reached the required work.
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
    too_long,           ///< more blocks than can exist since the first one
    another_chain,      ///< the second time not the headers of the first
};

std::string_view describe(PresyncError error);

/// The start of a presync, and the work that the chain must reach.
struct PresyncTask {
    Anchor start;            ///< a known block, which the first header follows
    Uint256 required_work;   ///< from the genesis block on
    std::int64_t now = 0;    ///< Unix seconds
    std::uint64_t salt = 0;  ///< random: no peer may know which headers are remembered
    /// One of this number of headers is remembered by a bit; not 0. Like the next one, computed for
    /// mainnet by contrib/devtools/headerssync-params.py of Bitcoin Core: a false chain for which
    /// 23 bits have to be guessed costs 2^23 times its work.
    std::uint32_t commitment_period = 641;
    /// The last headers are held back until this number of headers after them was compared.
    std::size_t buffered_headers = 15'218;
};

/// Downloads a branch twice (Bitcoin Core: HeadersSyncState). The first download only checks that
/// the branch has enough work, and keeps one salted bit of every few hundred headers. The second
/// one compares these bits. It releases a header once it is followed by enough headers: guessing
/// all their bits would have cost more than an honest chain of that work. This bounds the memory
/// that a peer can occupy: about half a megabyte of bits on mainnet, and one and a half of headers.
///
/// For one branch of one peer. Not thread-safe.
class HeaderPresync {
public:
    enum class Phase : std::uint8_t {
        first_download,
        second_download,
        done,  ///< all that was promised has been given away
    };

    /// `network` must outlive it.
    HeaderPresync(const NetworkParams& network, const PresyncTask& task);

    /// Takes the next headers, each after the one before. Returns those that have enough work after
    /// them, to be validated in full; over all calls, they follow `start` and each other. Unusable
    /// after an error.
    Expected<std::vector<BlockHeader>, PresyncError> take(std::span<const HashedHeader> headers);

    Phase phase() const { return phase_; }
    /// The block whose children take() expects next.
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
    /// The difficulty of the last header: consecutive blocks mostly have the same.
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

/// Whether a block with bits `new_bits` may follow one with `old_bits`, whatever their times are.
/// For headers that are not known to be valid yet (Bitcoin Core: PermittedDifficultyTransition).
/// height   of the later block
bool is_permitted_transition(const NetworkParams& network, std::uint32_t height,
                             std::uint32_t old_bits, std::uint32_t new_bits);

}  // namespace petal::chain
