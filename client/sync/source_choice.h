/// How `auto` chooses the source of matches of a sync.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "chain/network_params.h"
#include "net/sync/filters/privacy.h"
#include "net/sync/state/source_facts.h"

namespace petal::client {

/// Which source of matches the user wants.
enum class SourceOption : std::uint8_t {
    by_default,  ///< Bloom filters of named nodes, and `automatic` of found nodes
    automatic,   ///< what SourceChooser chooses
    bloom,
    compact,
    blocks,
};

/// The source that is used whatever the nodes serve. Empty: it is to be chosen.
/// finds_nodes   or the user named them
std::optional<net::MatchSourceKind> fixed_source(SourceOption option, bool finds_nodes);

/// Why a source is used.
enum class SourceReason : std::uint8_t {
    requested,        ///< the user named the source
    by_default,       ///< Bloom filters, which named nodes are expected to serve
    as_before,        ///< compact filters: any other source would search earlier blocks again
    index,            ///< compact filters: the node answers from an index
    slow_link,        ///< Bloom filters: the least traffic, and the link is slow
    unconfirmed,      ///< Bloom filters: the sync listens, and they find unconfirmed payments
    no_index,         ///< Bloom filters: no node serves compact filters
    fast_link,        ///< full blocks: no node serves compact filters, and the link is fast
    only_blocks,      ///< full blocks: the named nodes serve nothing else
    privacy_profile,  ///< what the profile prefers of found nodes
    none_found,       ///< no node with what the profile prefers was found in time
};

/// A stable kebab-case word.
std::string_view code_of(SourceReason reason);

struct SourceChoice {
    net::MatchSourceKind source = net::MatchSourceKind::filtered_blocks;
    SourceReason reason = SourceReason::requested;

    friend bool operator==(const SourceChoice&, const SourceChoice&) = default;
};

/// What the choice depends on besides the peers.
struct SourceWishes {
    bool finds_nodes = false;        ///< or the user named them
    std::size_t expected_peers = 1;  ///< the number of named nodes that are connected at once
    net::Privacy privacy = net::Privacy::fast;
    /// Blocks were searched by compact filters alone
    /// (SyncCheckpoint::without_false_positives_from): a sync with Bloom filters would search them
    /// again.
    bool has_compact_history = false;
    bool listens = false;  ///< for unconfirmed transactions
    /// The estimated size of the full blocks that the wallet lacks (estimated_block_bytes()). They
    /// are downloaded from found nodes only up to kMaxUnaskedBytes.
    std::uint64_t missing_bytes = 0;
};

/// The largest estimated download of full blocks from found nodes that needs no word of the user.
inline constexpr std::uint64_t kMaxUnaskedBytes = 1'000'000'000;

/// The estimated size of all blocks since this time: a block every ten minutes, with the average
/// size of mainnet's blocks, and 1 MB on the test networks, where sizes differ widely.
/// since, now   Unix seconds
std::uint64_t estimated_block_bytes(const chain::NetworkParams& network, std::int64_t since,
                                    std::int64_t now);

/// How long nodes are searched for that serve one source, until the next source is tried.
inline constexpr std::chrono::seconds kSourcePatience{30};

/// The choice among what the named nodes serve. Empty: it waits for another node or for a measured
/// answer, up to two seconds after the first handshake. Prefers a source that all connected nodes
/// serve. If there is none but full blocks, the nodes that serve the chosen source are used alone.
std::optional<SourceChoice> choose_by_link(const net::SourceFacts& facts,
                                           const SourceWishes& wishes);

/// The sources that are tried with found nodes, by all wallets of a run: nodes are searched for
/// that serve the first one, for kSourcePatience. Then for the next one. After the last one, the
/// search begins again.
class SourceSearch {
public:
    /// A wallet of the run. Call this before the run.
    void add(const SourceWishes& wishes);

    /// Best first.
    std::vector<net::MatchSourceKind> sources() const;
    /// The source that nodes are searched for.
    net::MatchSourceKind wanted() const;
    /// No node serves a source so far, this long after the first connection.
    void on_searched(std::chrono::milliseconds since_connection);
    /// No further node can be found that serves wanted(). Returns whether the next source is new.
    bool skip();

    bool prefers_compact_filters() const { return any_has_history_ || any_is_private_; }
    bool any_has_history() const { return any_has_history_; }

private:
    bool any_has_history_ = false;
    bool any_is_private_ = false;
    bool may_download_blocks_ = true;
    std::size_t skipped_ = 0;
    std::size_t passed_ = 0;  // by time
};

/// Chooses the source of a wallet's sync, once.
class SourceChooser {
public:
    /// search   of the run, to which the wishes were added. Must outlive the chooser
    SourceChooser(const SourceWishes& wishes, SourceSearch& search);

    /// See net::ChooseSource.
    net::SourceDecision decide(const net::SourceFacts& facts);
    const SourceWishes& wishes() const { return wishes_; }
    /// Empty until the choice is made.
    const std::optional<SourceChoice>& choice() const { return choice_; }

private:
    std::optional<SourceChoice> choose_of_found(const net::SourceFacts& facts) const;

    SourceWishes wishes_;
    SourceSearch& search_;
    std::optional<SourceChoice> choice_;
};

}  // namespace petal::client
