/// The fees that a payment must add for its unconfirmed ancestors.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "chain/transaction.h"
#include "wallet/spending/fee_rate.h"

namespace petal::wallet {

/// An unconfirmed transaction's data for a block template.
struct UnconfirmedRelative {
    chain::Txid txid;
    std::vector<chain::Txid> parents;  ///< of the inputs, ignored if not relatives
    std::size_t virtual_size = 1;
    std::optional<chain::Satoshis> fee;  ///< counts as 0 if unknown

    friend bool operator==(const UnconfirmedRelative&, const UnconfirmedRelative&) = default;
};

/// A block template of a wallet's unconfirmed transactions at one fee rate (Bitcoin Core:
/// node::MiniMiner). The template contains the transactions that reach the rate, each with its
/// ancestors, by descending score. The score is the lower of the transaction's own fee rate and the
/// fee rate of the transaction with all its ancestors. A child may therefore pay for its parent,
/// but a parent does not pay for its child.
class MiniMiner {
public:
    /// relatives   the ancestors of all coins that a payment may spend, and descendants that may
    ///             pay for these ancestors, without duplicates
    MiniMiner(std::span<const UnconfirmedRelative> relatives, FeeRate rate);

    /// The fee that a payment from outputs of these transactions must add for its ancestors. It is
    /// the amount that the ancestors outside of the template lack to reach the rate. Each ancestor
    /// counts once. An ancestor's fee above the rate does not pay for the remaining ancestors,
    /// because miners would take that ancestor alone. Unknown txids are confirmed transactions and
    /// are ignored.
    chain::Satoshis bump_fee(std::span<const chain::Txid> spent) const;

private:
    struct Entry {
        chain::Satoshis fee = 0;
        std::size_t size = 0;
        std::vector<std::size_t> ancestors;  ///< including itself
    };
    /// A transaction with its ancestors that are left.
    struct Part {
        std::vector<std::size_t> entries;
        chain::Satoshis fee = 0;
        std::size_t size = 0;
        double score = 0;  ///< fee per virtual byte
        bool reaches_rate = false;
    };
    using Entries = std::vector<bool>;

    Part with_ancestors(std::size_t entry, const Entries& left) const;
    /// The part with the highest score. Empty if no entry is left.
    std::optional<Part> best_part(const Entries& left) const;
    /// The amount that these entries together lack to reach the rate. Negative if they pay more.
    chain::Satoshis shortfall(const Entries& left) const;

    FeeRate rate_;
    std::vector<Entry> entries_;
    std::unordered_map<chain::Txid, std::size_t> index_;
    Entries outside_;  ///< the entries that are not in the template
};

/// The unconfirmed ancestors of a payment that spends outputs of these transactions.
std::vector<UnconfirmedRelative> ancestors_among(std::span<const UnconfirmedRelative> relatives,
                                                 std::span<const chain::Txid> spent);

/// The fee rate at which miners take a payment together with its unconfirmed ancestors: the highest
/// rate at which the fee suffices for the payment's size and for the ancestors.
FeeRate package_rate(std::span<const UnconfirmedRelative> relatives,
                     std::span<const chain::Txid> spent, std::size_t virtual_size,
                     chain::Satoshis fee);

}  // namespace petal::wallet
