#include "wallet/psbt/psbt_error.h"

#include "chain/enum_table.h"

namespace petal::wallet {

std::string describe(const PsbtError& error) {
    using enum PsbtFault;
    static constexpr auto kTexts = chain::enum_table<PsbtFault, std::string_view>({
        {no_magic, "it does not begin as a PSBT"},
        {too_large, "it is larger than any that is read"},
        {truncated, "it ends too early"},
        {bad_size, "a length is above its limit, or written longer than it needs to be"},
        {trailing_bytes, "data are left over behind its end"},
        {repeated_key, "a key is there twice"},
        {unsupported_version, "its version is neither 0 nor 2"},
        {wrong_version, "a record belongs to another version of PSBT"},
        {missing_record, "a record is missing that its version demands"},
        {bad_key, "a key is not of the form that its type demands"},
        {bad_value, "a value is not of the form that its type demands"},
        {bad_transaction, "a transaction can't be decoded"},
        {signed_transaction, "the transaction to be signed has a script already"},
        {amount_out_of_range, "an amount is not from 0 to 21 million BTC"},
        {wrong_utxo, "its full transaction is not the one that it spends"},
        {contradicting_utxo, "its witness UTXO contradicts its full transaction"},
        {contradicting_locks, "no lock time suits all inputs"},
    });
    const std::string text(kTexts[error.fault]);
    return error.place.empty() ? text : error.place + ": " + text;
}

}  // namespace petal::wallet
