/// The fees that a payment owes for its unconfirmed ancestors.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "chain/transaction.h"
#include "wallet/spending/fee_rate.h"

namespace petal::wallet {

/// An unconfirmed transaction, as far as it matters to a block template.
struct UnconfirmedRelative {
    chain::Txid txid;
    std::vector<chain::Txid> parents;  ///< of its inputs; those that are no relatives do not matter
    std::size_t virtual_size = 1;
    std::optional<chain::Satoshis> fee;  ///< counts as 0 if it is not known

    friend bool operator==(const UnconfirmedRelative&, const UnconfirmedRelative&) = default;
};

/// A block template of a wallet's unconfirmed transactions at one fee rate (Bitcoin Core:
/// node::MiniMiner). The template takes the transactions that reach the rate without a payment,
/// each with its ancestors, by descending score. The score is the transaction's own fee rate or, if
/// that is lower, the fee rate of the transaction together with all its ancestors. So a child may
/// pay for its parent, but a rich parent does not pay for its child.
class MiniMiner {
public:
    /// relatives   the ancestors of all coins that a payment may spend, and descendants of these
    ///             that may pay for them; without duplicates
    MiniMiner(std::span<const UnconfirmedRelative> relatives, FeeRate rate);

    /// The fee, besides that of its own size at the rate, of a payment that spends outputs of these
    /// transactions: what the ancestors outside of the template lack to reach the rate. Each counts
    /// once. What some of them pay above the rate is not used for the others, as miners would take
    /// the former alone. Other txids are those of confirmed transactions, and add nothing.
    chain::Satoshis bump_fee(std::span<const chain::Txid> spent) const;

private:
    struct Entry {
        chain::Satoshis fee = 0;
        std::size_t size = 0;
        std::vector<std::size_t> ancestors;  ///< and itself
    };
    /// A transaction with its ancestors, or any other set.
    struct Part {
        std::vector<std::size_t> entries;
        chain::Satoshis fee = 0;
        std::size_t size = 0;
        double score = 0;  ///< fee per virtual byte
        bool reaches_rate = false;
    };
    using Entries = std::vector<bool>;

    Part with_ancestors(std::size_t entry, const Entries& left) const;
    /// The part with the highest score; empty if no entry is left.
    std::optional<Part> best_part(const Entries& left) const;
    /// What these entries together lack to reach the rate; negative if they pay more.
    chain::Satoshis shortfall(const Entries& left) const;

    FeeRate rate_;
    std::vector<Entry> entries_;
    std::unordered_map<chain::Txid, std::size_t> index_;
    Entries outside_;  ///< the entries that the template does not take
};

/// The unconfirmed ancestors of a payment that spends outputs of these transactions.
std::vector<UnconfirmedRelative> ancestors_among(std::span<const UnconfirmedRelative> relatives,
                                                 std::span<const chain::Txid> spent);

/// The highest rate at which a payment of this size owes no more than this fee, for itself and for
/// its unconfirmed ancestors: the rate of the package with which miners take it.
FeeRate package_rate(std::span<const UnconfirmedRelative> relatives,
                     std::span<const chain::Txid> spent, std::size_t virtual_size,
                     chain::Satoshis fee);

}  // namespace petal::wallet
