/// Payments: transactions from the wallet's coins, before they are signed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "chain/bytes.h"
#include "chain/expected.h"
#include "chain/transaction.h"
#include "wallet/keys/key_path.h"
#include "wallet/spending/fee_rate.h"
#include "wallet/spending/input_coin.h"
#include "wallet/spending/mini_miner.h"

namespace petal::wallet {

/// The sequence number of inputs: the transaction may be replaced (BIP125), and has no relative
/// lock time (Bitcoin Core: MAX_BIP125_RBF_SEQUENCE).
inline constexpr std::uint32_t kReplaceableSequence = 0xffff'fffd;

/// An output that a payment makes.
struct Recipient {
    chain::Bytes script_pubkey;  ///< as parse_address() gives it
    chain::Satoshis amount = 0;  ///< ignored with takes_rest
    /// Gets the value of all coins minus the other recipients' amounts and the fee.
    bool takes_rest = false;
};

/// The output for change.
struct ChangeOutput {
    chain::Bytes script_pubkey;
    SpendForm form = ScriptKind::wpkh;  ///< of script_pubkey
    bool is_new = false;  ///< of an unused address: Wallet::reserve_change() before it is signed
};

/// The rate by which a replacement pays more for its own size than the replaced transaction
/// (Bitcoin Core: DEFAULT_INCREMENTAL_RELAY_FEE before 29.1; later nodes require a tenth of it).
inline constexpr FeeRate kIncrementalRelayRate{1'000};

/// An unconfirmed payment of the wallet's that another one replaces (BIP125).
struct ReplacedPayment {
    std::vector<InputCoin> coins;  ///< all that it spends
    chain::Satoshis fee = 0;
    std::size_t virtual_size = 1;  ///< of the signed transaction
    FeeRate package_rate{0};       ///< with its unconfirmed ancestors, see package_rate()

    /// Its own rate, rounded up.
    FeeRate fee_rate() const;
    /// The lowest fee at which nodes accept a replacement of this size: the replaced transaction's
    /// fee, and kIncrementalRelayRate for its own size (BIP125, rules 3 and 4), at a higher rate
    /// (Bitcoin Core).
    chain::Satoshis least_fee(std::size_t replacement_size) const;
};

struct PaymentRequest {
    std::vector<Recipient> recipients;  ///< at most one of them takes the rest
    /// Of the package of the payment and those unconfirmed ancestors that have a lower rate
    /// (MiniMiner).
    FeeRate fee_rate{1'000};
    bool recipients_pay_fee = false;  ///< in equal parts
    bool spends_all_given = false;    ///< exactly the given coins, which the user has chosen
    ChangeOutput change;
    /// The height of the chain's tip, for the lock time; empty if it is not known or too old.
    std::optional<std::uint32_t> tip_height;
    /// Spends all coins of the replaced payment and, if these do not suffice, further confirmed
    /// ones. The recipients are not changed; the fee may be above the asked rate
    /// (ReplacedPayment::least_fee).
    std::optional<ReplacedPayment> replaced;
    /// See MiniMiner; of all coins that the payment may spend, without a replaced payment.
    std::vector<UnconfirmedRelative> relatives;
};

/// Why a payment's fee is what it is.
enum class FeeReason : std::uint8_t {
    fee_rate,     ///< it has the requested rate
    replacement,  ///< nodes accept no lower one (ReplacedPayment::least_fee)
    no_change,    ///< the remainder is too small for a change output
};

/// The unconfirmed ancestors of a payment.
struct PaidAncestors {
    std::size_t count = 0;
    std::size_t unknown_fees = 0;  ///< ancestors whose fee is not known, and counts as 0
    chain::Satoshis bump_fee = 0;  ///< the part of the payment's fee that is for them
    FeeRate package_rate{0};       ///< see package_rate()
};

/// The transactions of the coins, of which each may be there several times.
std::vector<chain::Txid> parents_of(std::span<const InputCoin> coins);

/// A complete transaction without signatures.
struct Payment {
    chain::Transaction transaction;
    std::vector<InputCoin> coins;  ///< spent by its inputs, in their order
    chain::Satoshis fee = 0;
    std::optional<std::size_t> change_index;
    std::size_t virtual_size = 0;  ///< once signed, at most
    FeeReason fee_reason = FeeReason::fee_rate;
    chain::Satoshis fee_at_rate = 0;         ///< of the requested rate; `fee` may be higher
    std::optional<PaidAncestors> ancestors;  ///< empty if it spends only confirmed coins
    /// The value of the outputs without the change.
    chain::Satoshis paid() const;
};

enum class PaymentError : std::uint8_t {
    no_recipient,
    several_rests,        ///< more than one recipient takes the rest
    amount_out_of_range,  ///< below 1 satoshi, or more than 21 million bitcoin in all
    dust,                 ///< nodes do not relay outputs of so little
    dust_after_fee,       ///< once the fee is subtracted
    insufficient_funds,
    too_heavy,  ///< nodes do not relay a transaction of this weight
};

struct PaymentFailure {
    PaymentError error = PaymentError::no_recipient;
    std::size_t recipient = 0;    ///< index of the recipient at fault, if there is one
    chain::Satoshis missing = 0;  ///< with insufficient_funds: at least this much more is needed
};

std::string_view describe(PaymentError error);

/// Chooses coins and builds the transaction. Unconfirmed coins are spent only if the confirmed ones
/// do not suffice. Change, if any, is at a random position; inputs are in random order. The lock
/// time removes the incentive to replace the last block (Bitcoin Core: DiscourageFeeSniping). The
/// fee is that of the rate, rounded up, and what unconfirmed ancestors lack to reach the rate;
/// without change, it exceeds it by at most the cost of change. What a recipient with takes_rest
/// gets is possible as an amount, too.
/// coins   without duplicates; with spends_all_given at least one
chain::Expected<Payment, PaymentFailure> build_payment(const PaymentRequest& request,
                                                       std::span<const InputCoin> coins,
                                                       const RandomBits& random);

}  // namespace petal::wallet
