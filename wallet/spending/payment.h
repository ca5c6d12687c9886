/// Builds unsigned transactions from the wallet's coins.
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

/// The sequence number of inputs: replaceable (BIP125), without a relative lock time (Bitcoin Core:
/// MAX_BIP125_RBF_SEQUENCE).
inline constexpr std::uint32_t kReplaceableSequence = 0xffff'fffd;

/// A recipient's output.
struct Recipient {
    chain::Bytes script_pubkey;  ///< see parse_address()
    chain::Satoshis amount = 0;  ///< ignored with takes_rest
    /// Receives the value of all coins minus the fee and the amounts of all other recipients.
    bool takes_rest = false;
    /// With PaymentRequest::recipients_pay_fee: pays no part of the fee.
    bool is_exempt_from_fee = false;
};

/// Whether one of the recipients takes the rest.
bool has_rest(const std::vector<Recipient>& recipients);

/// The output for change.
struct ChangeOutput {
    chain::Bytes script_pubkey;
    SpendForm form = ScriptKind::wpkh;  ///< of script_pubkey
    bool is_new = false;  ///< an unused address, for Wallet::reserve_change() before signing
};

/// The fee rate that a replacement must pay for its own size in addition to the replaced fee
/// (Bitcoin Core: DEFAULT_INCREMENTAL_RELAY_FEE before 29.1. Later versions require a tenth).
inline constexpr FeeRate kIncrementalRelayRate{1'000};

/// The unconfirmed payment of the wallet that is replaced (BIP125).
struct ReplacedPayment {
    std::vector<InputCoin> coins;  ///< all spent coins
    chain::Satoshis fee = 0;
    std::size_t virtual_size = 1;  ///< of the signed transaction
    FeeRate package_rate{0};       ///< including unconfirmed ancestors, see package_rate()

    /// The rate of the payment alone, rounded up.
    FeeRate fee_rate() const;
    /// The lowest fee at which nodes accept a replacement of this size. Both conditions must hold:
    /// - at least the replaced fee plus kIncrementalRelayRate for the replacement's size (BIP125,
    ///   rules 3 and 4)
    /// - a higher fee rate than the replaced transaction (Bitcoin Core)
    chain::Satoshis least_fee(std::size_t replacement_size) const;
};

struct PaymentRequest {
    std::vector<Recipient> recipients;  ///< at most one with takes_rest
    /// The rate of the payment together with its unconfirmed ancestors of a lower rate (MiniMiner).
    FeeRate fee_rate{1'000};
    bool recipients_pay_fee = false;  ///< in equal parts, at least one is not exempt
    bool spends_all_given = false;    ///< spends exactly the given coins
    ChangeOutput change;
    /// The height of the tip, for the lock time. Empty if unknown or too old.
    std::optional<std::uint32_t> tip_height;
    /// If set, spends all coins of the replaced payment and, if they do not suffice, further
    /// confirmed coins. The recipients must be those of the replaced payment. The fee may be above
    /// the requested rate (ReplacedPayment::least_fee()).
    std::optional<ReplacedPayment> replaced;
    /// The relatives of all coins that the payment may spend (MiniMiner), without the replaced
    /// payment.
    std::vector<UnconfirmedRelative> relatives;
};

/// What determines a payment's fee.
enum class FeeReason : std::uint8_t {
    fee_rate,     ///< the requested rate
    replacement,  ///< the minimum for a replacement (ReplacedPayment::least_fee())
    no_change,    ///< the remainder is too small for a change output
};

/// The unconfirmed ancestors of a payment.
struct PaidAncestors {
    std::size_t count = 0;
    std::size_t unknown_fees = 0;  ///< ancestors with an unknown fee, which counts as 0
    chain::Satoshis bump_fee = 0;  ///< the part of the payment's fee for the ancestors
    FeeRate package_rate{0};       ///< see package_rate()
};

/// The txids of the coins, possibly with duplicates.
std::vector<chain::Txid> parents_of(std::span<const InputCoin> coins);

/// An unsigned payment.
struct Payment {
    chain::Transaction transaction;
    std::vector<InputCoin> coins;  ///< the spent coins, in the order of the inputs
    chain::Satoshis fee = 0;
    std::optional<std::size_t> change_index;
    std::size_t virtual_size = 0;  ///< the maximum after signing
    FeeReason fee_reason = FeeReason::fee_rate;
    chain::Satoshis fee_at_rate = 0;         ///< the fee at the requested rate, at most `fee`
    std::optional<PaidAncestors> ancestors;  ///< empty if all coins are confirmed
    /// The value of the outputs without the change.
    chain::Satoshis paid() const;
};

enum class PaymentError : std::uint8_t {
    no_recipient,
    several_rests,        ///< more than one recipient with takes_rest
    amount_out_of_range,  ///< an amount below 1 satoshi, or a sum above 21 million bitcoin
    dust,                 ///< below the minimum value of an output that nodes relay
    dust_after_fee,       ///< dust once the fee is subtracted
    insufficient_funds,
    too_heavy,  ///< above the maximum weight of a transaction that nodes relay
};

struct PaymentFailure {
    PaymentError error = PaymentError::no_recipient;
    std::size_t recipient = 0;    ///< index of the invalid recipient, if the error is of one
    chain::Satoshis missing = 0;  ///< with insufficient_funds: the minimum missing amount
};

std::string_view describe(PaymentError error);

/// Chooses coins and builds the transaction.
/// - Coins: unconfirmed coins are spent only if the confirmed coins do not suffice.
/// - Order: the inputs and the position of the change are random.
/// - Lock time: discourages fee sniping (Bitcoin Core: DiscourageFeeSniping).
/// - Fee: the requested rate, rounded up, plus the amount that unconfirmed ancestors lack to reach
///   the rate. Without change, the fee exceeds this sum by at most the cost of change.
/// - takes_rest: the recipient gets an amount that could also be requested explicitly.
///
/// coins   without duplicates, and with spends_all_given at least one
chain::Expected<Payment, PaymentFailure> build_payment(const PaymentRequest& request,
                                                       std::span<const InputCoin> coins,
                                                       const RandomBits& random);

}  // namespace petal::wallet
