/// Raises the fee of unconfirmed transactions, by a replacement (RBF, BIP125) or a child that pays
/// for its parent (CPFP).
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
    unknown,  ///< the transaction is not in the wallet
    confirmed,
    undone,          ///< the transaction is undone (HistoryEntry::undone)
    conflicted,      ///< another transaction has spent its inputs
    foreign_inputs,  ///< the wallet lacks the private keys of some inputs
    not_announced,   ///< the user has not broadcast the transaction with this wallet
    has_descendant,  ///< a replacement would evict an unconfirmed descendant
    no_own_output,   ///< there is no unspent output with a private key, for a child
};

std::string_view describe(BumpError error);

struct BumpFailure {
    BumpError error = BumpError::unknown;
    std::optional<chain::Txid> other;  ///< the conflicting transaction, or the descendant
};

/// The request and the coins for a child that pays for its parent.
struct ChildRequest {
    PaymentRequest request;
    std::vector<InputCoin> coins;
    std::optional<chain::Satoshis> parent_fee;  ///< empty if the parent has foreign inputs
};

/// Makes replacements and children for a wallet with private keys. The wallet must outlive this
/// object.
class FeeBumper {
public:
    explicit FeeBumper(Wallet& wallet) : wallet_(wallet) {}

    /// A request for the same payment, to be built from Wallet::spendable_coins(). The caller sets
    /// the fee rate and the tip's height. The change pays the script of the old change or, without
    /// old change, a new change address. All further outputs are recipients' outputs, whose amounts
    /// stay.
    ///
    /// The change output is stored with the payment. If not, e.g. for a PSBT, the change is the
    /// only output to a change address that was never handed out or labelled, and never was a
    /// recipient's address.
    chain::Expected<PaymentRequest, BumpFailure> replacement_of(const chain::Txid& txid) const;
    /// A request that spends all unspent outputs of the wallet in a transaction, except frozen and
    /// coinbase outputs, to a new change address. The caller sets the fee rate and the tip's
    /// height.
    chain::Expected<ChildRequest, BumpFailure> child_of(const chain::Txid& txid) const;

    /// Like Wallet::keep_payment(), for a payment by child_of(), whose only output is change. The
    /// parent may be a claim that does not count because of a conflicting claim. With the child,
    /// the parent counts.
    bool keep_child(const Payment& child, const chain::Txid& parent, std::int64_t time);
    /// Like Wallet::keep_payment(), but also allows coins that `replaced` spends, and copies the
    /// label of `replaced`. Returns false, and stores nothing, if `replaced` can no longer be
    /// replaced.
    bool keep_replacement(const Payment& payment, const chain::Txid& replaced, std::int64_t time);

private:
    Wallet& wallet_;
};

}  // namespace petal::wallet
