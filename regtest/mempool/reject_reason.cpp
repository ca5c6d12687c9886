#include "regtest/mempool/reject_reason.h"

#include <algorithm>

#include "chain/enum_table.h"

namespace petal::regtest {

std::string_view describe(RejectReason reason) {
    using enum RejectReason;
    static constexpr auto kTexts = chain::enum_table<RejectReason, std::string_view>({
        {no_inputs, "bad-txns-vin-empty"},
        {no_outputs, "bad-txns-vout-empty"},
        {oversize, "bad-txns-oversize"},
        {negative_output, "bad-txns-vout-negative"},
        {output_too_large, "bad-txns-vout-toolarge"},
        {total_too_large, "bad-txns-txouttotal-toolarge"},
        {repeated_input, "bad-txns-inputs-duplicate"},
        {coinbase_length, "bad-cb-length"},
        {null_input, "bad-txns-prevout-null"},
        {coinbase, "coinbase"},
        {version, "version"},
        {weight, "tx-size"},
        {script_sig_size, "scriptsig-size"},
        {script_sig_not_pushes, "scriptsig-not-pushonly"},
        {nonstandard_output, "scriptpubkey"},
        {dust, "dust"},
        {too_small, "tx-size-small"},
        {non_final, "non-final"},
        {same_txid, "txn-same-nonwitness-data-in-mempool"},
        {already_known, "txn-already-known"},
        {missing_input, "bad-txns-inputs-missingorspent"},
        {sequence_lock, "non-BIP68-final"},
        {premature_coinbase, "bad-txns-premature-spend-of-coinbase"},
        {outputs_above_inputs, "bad-txns-in-belowout"},
        {nonstandard_input, "bad-txns-nonstandard-inputs"},
        {nonstandard_witness, "bad-witness-nonstandard"},
        {too_many_sigops, "bad-txns-too-many-sigops"},
        {fee_too_low, "min relay fee not met"},
        {truc_violation, "TRUC-violation"},
        {too_many_replaced, "too many potential replacements"},
        {insufficient_fee, "insufficient fee"},
        {cluster_too_large, "too-large-cluster"},
        {worse_diagram, "replacement-failed"},
        {spends_conflict, "bad-txns-spends-conflicting-tx"},
        {unspent_dust, "missing-ephemeral-spends"},
        {wrong_script, "mempool-script-verify-flag-failed"},
        {mempool_full, "mempool full"},
    });
    return kTexts[reason];
}

std::string describe(const Rejection& rejection) {
    std::string text{describe(rejection.reason)};
    if (!rejection.detail.empty()) text += " (" + std::string(rejection.detail) + ")";
    return text;
}

RejectReason reason_of(chain::TransactionFlaw flaw, const chain::Transaction& transaction) {
    if (flaw == chain::TransactionFlaw::value_out_of_range) {
        const auto is_bad = [](const chain::TxOutput& output) {
            return output.value < 0 || output.value > chain::kMaxMoney;
        };
        const auto found = std::ranges::find_if(transaction.outputs, is_bad);
        return found->value < 0 ? RejectReason::negative_output : RejectReason::output_too_large;
    }
    using Flaw = chain::TransactionFlaw;
    struct CoreReason {
        RejectReason reason;
    };
    static constexpr auto kReasons = chain::enum_table<Flaw, CoreReason>({
        {Flaw::no_inputs, {RejectReason::no_inputs}},
        {Flaw::no_outputs, {RejectReason::no_outputs}},
        {Flaw::too_large, {RejectReason::oversize}},
        {Flaw::value_out_of_range, {RejectReason::output_too_large}},
        {Flaw::total_out_of_range, {RejectReason::total_too_large}},
        {Flaw::repeated_input, {RejectReason::repeated_input}},
        {Flaw::null_input, {RejectReason::null_input}},
        {Flaw::coinbase_script, {RejectReason::coinbase_length}},
    });
    return kReasons[flaw].reason;
}

}  // namespace petal::regtest
