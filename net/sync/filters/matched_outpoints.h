/// The outpoints that serving the chain's history put into servers' filters, true and false matches
/// alike.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "chain/byte_reader.h"
#include "chain/byte_writer.h"
#include "chain/transaction.h"
#include "chain/watcher.h"
#include "net/sync/filters/matched_output.h"

namespace petal::net {

/// More than any filter has room for. An attacker can pay to make filters match what is not
/// the watcher's; the bound limits what that costs here.
inline constexpr std::size_t kMaxRemembered = 50'000;

/// Remembers every outpoint that a server's filter got by itself, until long after it is spent. A
/// filter for the next server that holds all of them is the one that an honest server would have
/// had by itself, had it served everything: complete for spends, and without a hint which of the
/// outpoints are the wallet's.
class MatchedOutpoints {
public:
    /// Takes what a server's filter got by itself. Returns whether it is new.
    bool add(const MatchedOutput& output);
    /// Takes a block of the best chain that the watcher is shown; those behind it may still be
    /// missing.
    /// shown_to   the height that it has been shown blocks up to, this one included
    void on_block(const chain::ProvenBlock& block, std::uint32_t shown_to);
    /// All that pays or spends is found up to here, and the watcher lists of what is spent only
    /// what lies within reach of it.
    void forget_settled_below(std::uint32_t height);
    /// Spends above this height are undone, or not known to have been shown.
    void undo_to(std::uint32_t height);

    bool is_full() const { return held_.size() >= kMaxRemembered; }
    /// Forgets all unsettled ones but these; for when it is full. Filters are then no longer what
    /// one server would have had, but as complete as before, where these are all whose spending
    /// matters.
    void keep_only(const std::unordered_set<chain::Outpoint>& relevant);
    bool has_too_many_settled() const { return settled_.size() >= kMaxRemembered; }
    /// Forgets all settled ones but these: no filter holds them, and one that is found again costs
    /// an outpoint too much.
    void keep_settled(const std::unordered_set<chain::Outpoint>& relevant);

    /// All that filters hold, in an order that means nothing.
    std::vector<chain::Outpoint> outpoints() const;
    std::size_t size() const { return held_.size(); }
    /// Those of them that no block is known to spend.
    std::vector<chain::Outpoint> unspent() const;
    bool contains(const chain::Outpoint& outpoint) const { return held_.contains(outpoint); }

    /// Whether it is spent beyond a reorganisation's reach, and the watcher has been shown that.
    /// Filters must not hold it, even if the watcher still lists it: strangers' are gone too.
    bool is_settled(const chain::Outpoint& outpoint) const { return settled_.contains(outpoint); }
    /// Whether a block of the best chain is known to spend it.
    bool is_spent(const chain::Outpoint& outpoint) const;
    /// What it pays, where that was remembered.
    std::optional<chain::TxOutput> find_output(const chain::Outpoint& outpoint) const;

    void write(chain::ByteWriter& writer) const;
    /// Replaces all by what write() wrote. On failure the reader says why.
    /// with_outputs   false for bytes of an older version, which had outpoints only
    static MatchedOutpoints read(chain::ByteReader& reader, bool with_outputs = true);

private:
    struct Match {
        std::uint32_t spent_at = 0;  // the height of the spend; 0 while unspent
        std::optional<chain::TxOutput> output;
    };
    using Matches = std::unordered_map<chain::Outpoint, Match>;

    static void write_matches(chain::ByteWriter& writer, const Matches& matches);
    static Matches read_matches(chain::ByteReader& reader, bool with_outputs);
    void settle_below(std::uint32_t height);

    Matches held_;  // by filters
    Matches settled_;
    std::uint32_t settled_below_ = 0;
    std::uint32_t forgotten_below_ = 0;
};

}  // namespace petal::net
