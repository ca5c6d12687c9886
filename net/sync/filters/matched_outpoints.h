/// The outpoints that servers inserted into their filters while serving blocks, for true and false
/// positives alike.
#pragma once

#include <cstdint>
#include <map>
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

/// More than any filter has room for. An attacker can pay to addresses that are false positives;
/// the bound limits the memory that this costs.
inline constexpr std::size_t kMaxRemembered = 50'000;

/// Remembers every outpoint that a server inserted into its filter, until long after the outpoint
/// is spent. The next server's filter holds all of these outpoints, as the filter of an honest
/// server of all blocks would. So the filter misses no spend, and does not reveal which outpoints
/// are the wallet's.
class MatchedOutpoints {
public:
    /// Adds an outpoint that a server inserted. Returns whether it is new.
    bool add(const MatchedOutput& output);
    /// Notes the outputs and the spends in a block that is applied. Higher blocks may have been
    /// applied before. The lowest block with an output or a spend counts: a higher one is invalid,
    /// and may be undone.
    /// applied_height   the highest block applied, including this one
    void on_block(const chain::ProvenBlock& block, std::uint32_t applied_height);
    /// An outpoint was found in the block at this height. The watcher may have seen the spend in a
    /// higher block before it knew the outpoint, and could not recognise the spend as its own. The
    /// outpoint then counts as unspent again. Returns the height of the spend.
    std::optional<std::uint32_t> forget_unexplained_spend(const chain::Outpoint& outpoint,
                                                          std::uint32_t height);
    /// Whether an applied block below `height` has one of the transaction's outputs, or spends one
    /// of its inputs, as far as they are remembered: then a block at that height repeats it.
    bool is_repeated(const chain::ProvenTransaction& proven, std::uint32_t height) const;
    /// Every block up to `height` has been searched. Forgets settled outpoints that were spent more
    /// than kReorganisationReach blocks below it.
    void forget_settled_below(std::uint32_t height);
    /// Blocks above this height count as not applied: their outputs are unknown to the watcher, and
    /// what they spend is unspent.
    void undo_to(std::uint32_t height);

    bool is_full() const { return held_.size() >= limit_; }
    /// Call this if is_full(). Forgets every outpoint held by filters (unspent, or spent too
    /// recently to be settled) that is not in `relevant`. Filters still miss no spend if `relevant`
    /// holds every outpoint whose spend must be seen. If nearly all are relevant, there is room for
    /// half as many again: searching them at each call would take quadratic time.
    void keep_only(const std::unordered_set<chain::Outpoint>& relevant);
    bool has_too_many_settled() const { return settled_.size() >= kMaxRemembered; }
    /// Forgets the settled outpoints that are not in `relevant`: no filter holds them. If a
    /// forgotten outpoint matches again, filters hold one outpoint more than necessary.
    void keep_settled(const std::unordered_set<chain::Outpoint>& relevant);

    /// All outpoints held by filters, in no particular order.
    std::vector<chain::Outpoint> outpoints() const;
    std::size_t size() const { return held_.size(); }
    /// The outpoints held by filters that no block is known to spend.
    std::vector<chain::Outpoint> unspent() const;
    bool contains(const chain::Outpoint& outpoint) const { return held_.contains(outpoint); }

    /// Whether the outpoint is settled: spent in an applied block, deeper than a reorganisation
    /// reaches. Filters must not hold it, even if the watcher still lists it, since they no longer
    /// hold those of false positives either.
    bool is_settled(const chain::Outpoint& outpoint) const { return settled_.contains(outpoint); }
    /// Whether a block of the best chain is known to spend it.
    bool is_spent(const chain::Outpoint& outpoint) const;
    /// Its amount and script, if they were remembered.
    std::optional<chain::TxOutput> find_output(const chain::Outpoint& outpoint) const;

    void write(chain::ByteWriter& writer) const;
    /// What a version of the format has of each outpoint, besides the height of its spend.
    enum class Content : std::uint8_t { nothing, output, output_and_height };
    /// Reads the format of write(). On failure the reader holds the error.
    /// content   of the version of these bytes
    static MatchedOutpoints read(chain::ByteReader& reader,
                                 Content content = Content::output_and_height);

private:
    struct Match {
        std::uint32_t spent_at = 0;    // the height of the spend; 0 while unspent
        std::uint32_t created_at = 0;  // the height of the applied block with it; 0 for none
        std::optional<chain::TxOutput> output;
    };
    using Matches = std::unordered_map<chain::Outpoint, Match>;

    static void write_matches(chain::ByteWriter& writer, const Matches& matches);
    static Matches read_matches(chain::ByteReader& reader, Content content);
    Match* find(const chain::Outpoint& outpoint);
    void record_spend(const chain::Outpoint& outpoint, std::uint32_t height, bool is_deep);
    void settle_below(std::uint32_t height);
    void index_spends();

    Matches held_;  // by filters
    std::size_t limit_ = kMaxRemembered;
    Matches settled_;
    // The spent ones of both, by the heights of the spends: sweeping takes time proportional to
    // these.
    std::map<std::uint32_t, std::vector<chain::Outpoint>> spends_;
    std::uint32_t settled_below_ = 0;
    std::uint32_t forgotten_below_ = 0;
};

}  // namespace petal::net
