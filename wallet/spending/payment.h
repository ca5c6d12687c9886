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

    /// Rounded up.
    FeeRate fee_rate() const;
    /// The lowest fee at which nodes accept a replacement of this size: the replaced transaction's
    /// fee, and kIncrementalRelayRate for its own size (BIP125, rules 3 and 4), at a higher rate
    /// (Bitcoin Core).
    chain::Satoshis least_fee(std::size_t replacement_size) const;
};

/// An unconfirmed transaction that a payment spends from, to pay for both (CPFP).
struct PaidParent {
    std::size_t virtual_size = 0;
    chain::Satoshis fee = 0;  ///< 0 if it is not known
};

struct PaymentRequest {
    std::vector<Recipient> recipients;  ///< at most one of them takes the rest
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
    /// Pays the fee that gives both transactions together the rate, but at least the fee of this
    /// one alone.
    std::optional<PaidParent> parent;
};

/// A complete transaction without signatures.
struct Payment {
    chain::Transaction transaction;
    std::vector<InputCoin> coins;  ///< spent by its inputs, in their order
    chain::Satoshis fee = 0;
    std::optional<std::size_t> change_index;
    std::size_t virtual_size = 0;  ///< once signed, at most
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
/// fee is that of the rate, rounded up; without change, it exceeds it by at most the cost of
/// change.
/// coins   without duplicates; with spends_all_given at least one
chain::Expected<Payment, PaymentFailure> build_payment(const PaymentRequest& request,
                                                       std::span<const InputCoin> coins,
                                                       const RandomBits& random);

/// Whether the fee is more than a tenth of the payment, or above 10,000 sat/vB.
bool has_absurd_fee(const Payment& payment);

}  // namespace petal::wallet
