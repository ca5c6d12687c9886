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
    by_default,  ///< `automatic` if nodes are searched for, else `bloom`
    automatic,   ///< what SourceChooser chooses
    bloom,
    compact,
    blocks,
};

/// The source that is used whatever the nodes serve. Empty if a SourceChooser chooses the source.
/// finds_nodes   whether nodes are searched for. Otherwise the nodes are named by the user, or the
///               node is the default one of regtest
std::optional<net::MatchSourceKind> fixed_source(SourceOption option, bool finds_nodes);

/// Why a source is used.
enum class SourceReason : std::uint8_t {
    requested,         ///< the user named the source
    by_default,        ///< Bloom filters, which named nodes are expected to serve
    as_before,         ///< compact filters: any other source would search earlier blocks again
    index,             ///< compact filters: the node answers from an index
    slow_link,         ///< Bloom filters: the least traffic, and the link is slow
    unconfirmed,       ///< Bloom filters: the sync listens, and they find unconfirmed payments
    no_index,          ///< Bloom filters: not every node serves compact filters
    index_incomplete,  ///< another source: a node has left compact filters out that it states
    only_blocks,       ///< full blocks: the named nodes serve nothing else
    privacy_profile,   ///< what the profile prefers
    none_found,        ///< no node with what the profile prefers was found in time
};

/// A stable kebab-case word.
std::string_view code_of(SourceReason reason);

struct SourceChoice {
    net::MatchSourceKind source = net::MatchSourceKind::filtered_blocks;
    SourceReason reason = SourceReason::requested;

    friend bool operator==(const SourceChoice&, const SourceChoice&) = default;
};

/// How long nodes are searched for that serve one source. With --timeout, less (ChoiceInputs).
inline constexpr std::chrono::milliseconds kSourcePatience{30'000};

/// What the choice depends on besides the peers.
struct ChoiceInputs {
    bool finds_nodes = false;        ///< see fixed_source()
    std::size_t expected_peers = 1;  ///< the number of named nodes that are connected at once
    net::Privacy privacy = net::Privacy::fast;
    /// Blocks were searched by compact filters alone
    /// (SyncCheckpoint::without_false_positives_from): a sync with Bloom filters would search them
    /// again.
    bool has_compact_history = false;
    bool listens = false;  ///< for unconfirmed transactions
    /// The estimated size of the full blocks that the wallet lacks (estimated_block_bytes()).
    std::uint64_t missing_bytes = 0;
    /// How long nodes are searched for that serve one source, until the next source is tried.
    std::chrono::milliseconds patience = kSourcePatience;
};

/// What the choices for all wallets of a run share.
struct SharedChoice {
    /// Of all wallets. Full blocks are downloaded from found nodes only up to kMaxUnaskedBytes.
    std::uint64_t missing_bytes = 0;
    /// Whether the links to the named nodes are slow. Empty until a wallet's sync has measured
    /// them: one sync downloads the headers for all.
    std::optional<bool> has_slow_link;
};

/// The largest estimated download of full blocks from found nodes that needs no word of the user.
inline constexpr std::uint64_t kMaxUnaskedBytes = 1'000'000'000;

/// The estimated size of all blocks since this time: a block every ten minutes, with the average
/// size of mainnet's blocks, and 1 MB on the test networks, where sizes differ widely.
/// since, now   Unix seconds
std::uint64_t estimated_block_bytes(const chain::NetworkParams& network, std::int64_t since,
                                    std::int64_t now);

/// The choice among what the named nodes serve. Empty: it waits for another node or for a measured
/// answer, up to two seconds after the first handshake. Prefers a source that all connected nodes
/// serve. If there is none but full blocks, the nodes that serve the chosen source are used alone.
std::optional<SourceChoice> choose_by_link(const net::SourceFacts& facts,
                                           const ChoiceInputs& inputs, SharedChoice& shared);

/// The sources that are tried with found nodes: nodes are searched for that serve the first one,
/// for ChoiceInputs::patience, then for the next one. After the last one, the search begins again,
/// in a run that lasts so long.
class SourceSearch {
public:
    /// shared   has the missing bytes of all wallets once the run begins. Must outlive the search
    SourceSearch(const ChoiceInputs& inputs, const SharedChoice& shared);

    /// Best first.
    std::vector<net::MatchSourceKind> sources() const;
    /// The source that nodes are searched for.
    net::MatchSourceKind wanted() const;
    /// since_start    the time since the run began
    /// is_searching   whether this time counts: no source is in use, and the machine is online
    void on_time(std::chrono::milliseconds since_start, bool is_searching);
    /// No further node can be found that serves wanted(). Tries the next source, and returns
    /// whether there is one.
    bool skip();

private:
    void restart();

    const ChoiceInputs& inputs_;
    const SharedChoice& shared_;
    std::size_t tried_ = 0;                   // index of wanted()
    std::chrono::milliseconds began_{0};      // the search for wanted()
    std::chrono::milliseconds last_time_{0};  // of on_time()
};

/// Chooses the source of a wallet's sync.
class SourceChooser {
public:
    /// Adds the wallet's missing bytes to `shared`, which must outlive the chooser.
    SourceChooser(const ChoiceInputs& inputs, SharedChoice& shared);
    SourceChooser(const SourceChooser&) = delete;
    SourceChooser& operator=(const SourceChooser&) = delete;

    /// See net::ChooseSource.
    net::SourceDecision decide(const net::SourceFacts& facts);
    /// See SourceSearch. Without effect for named nodes.
    void on_time(std::chrono::milliseconds since_start, bool is_online);
    /// See SourceSearch. False if the choice is made, or nodes are named.
    bool skip();

    /// The services that nodes are searched for: those of the choice, or of the source that is
    /// tried.
    std::uint64_t services() const;
    const ChoiceInputs& inputs() const { return inputs_; }
    /// The missing bytes of all wallets of the run.
    std::uint64_t missing_bytes() const { return shared_.missing_bytes; }
    /// Empty until the choice is made.
    const std::optional<SourceChoice>& choice() const { return choice_; }

private:
    std::optional<SourceChoice> choose_of_found(const net::SourceFacts& facts) const;

    const ChoiceInputs inputs_;
    SharedChoice& shared_;
    SourceSearch search_;
    std::optional<SourceChoice> choice_;
};

}  // namespace petal::client
