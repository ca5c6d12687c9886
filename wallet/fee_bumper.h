/// Raises the fee of unconfirmed transactions: by a replacement (BIP125), or by a child that pays
/// for its parent.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "chain/expected.h"
#include "chain/transaction.h"
#include "wallet/spending/payment.h"
#include "wallet/wallet.h"

namespace petal::wallet {

/// Why the fee of a transaction can't be raised.
enum class BumpError : std::uint8_t {
    unknown,  ///< no such transaction is in the wallet
    confirmed,
    undone,          ///< only blocks that left the chain had it (HistoryEntry::undone)
    conflicted,      ///< another transaction has spent its inputs
    foreign_inputs,  ///< the wallet does not have the private keys of all inputs
    not_announced,   ///< the user has not sent it with this wallet
    has_descendant,  ///< which would vanish with it
    no_own_output,   ///< that is unspent and has a private key, for a child
};

std::string_view describe(BumpError error);

struct BumpFailure {
    BumpError error = BumpError::unknown;
    std::optional<chain::Txid> other;  ///< the conflicting transaction, or the descendant
};

/// A child that pays for its parent: the request, and the coins for it.
struct ChildRequest {
    PaymentRequest request;
    std::vector<InputCoin> coins;
    std::optional<chain::Satoshis> parent_fee;  ///< empty if not all its inputs are the wallet's
};

/// The replacements and children of a wallet with private keys, which must outlive this.
class FeeBumper {
public:
    explicit FeeBumper(Wallet& wallet) : wallet_(wallet) {}

    /// A request for the same payment, without a fee rate and the tip's height. Its change pays the
    /// script of the old change; without old change, a new change address. All other outputs are
    /// recipients', whose amounts stay. For Wallet::spendable_coins().
    ///
    /// Which output is the change was stored with the payment. If it was not, as of a PSBT that was
    /// broadcast, it is the only output to a change address that was never handed out or labelled,
    /// and that is not known as a recipient's.
    chain::Expected<PaymentRequest, BumpFailure> replacement_of(const chain::Txid& txid) const;
    /// All unspent outputs of the wallet's in a transaction, except frozen and coinbase outputs, to
    /// a new change address; without a fee rate and the tip's height.
    chain::Expected<ChildRequest, BumpFailure> child_of(const chain::Txid& txid) const;

    /// Like Wallet::keep_payment(), for a payment by child_of(), whose only output is change. Its
    /// coins are outputs of the parent, which may be one that peers show less than another that it
    /// conflicts with: with the child, it counts.
    bool keep_child(const Payment& child, const chain::Txid& parent, std::int64_t time);
    /// Like Wallet::keep_payment(), but its coins may be spent by the replaced transaction. The
    /// replacement gets that transaction's label. Returns false, and stores nothing, if `replaced`
    /// can no longer be replaced.
    bool keep_replacement(const Payment& payment, const chain::Txid& replaced, std::int64_t time);

private:
    Wallet& wallet_;
};

}  // namespace petal::wallet
