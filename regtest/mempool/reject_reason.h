/// Why a transaction is refused, in Bitcoin Core's words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "chain/transaction.h"
#include "chain/transaction_rules.h"

namespace petal::regtest {

/// Bitcoin Core's reject reasons (MemPoolAccept in validation.cpp, consensus/tx_check.cpp), in the
/// order of the checks.
enum class RejectReason : std::uint8_t {
    no_inputs,
    no_outputs,
    oversize,
    negative_output,
    output_too_large,
    total_too_large,
    repeated_input,
    coinbase_length,
    null_input,
    coinbase,
    version,
    weight,
    script_sig_size,
    script_sig_not_pushes,
    nonstandard_output,
    dust,
    too_small,
    non_final,
    same_txid,      ///< in the mempool, with a different witness
    already_known,  ///< confirmed
    missing_input,  ///< spends an unknown or spent output
    sequence_lock,  ///< BIP68
    premature_coinbase,
    outputs_above_inputs,
    nonstandard_input,
    nonstandard_witness,
    too_many_sigops,
    fee_too_low,
    truc_violation,  ///< BIP431
    too_many_replaced,
    insufficient_fee,  ///< replacement pays too little (BIP125, rules 3 and 4)
    cluster_too_large,
    worse_diagram,    ///< replacement does not improve the mempool (feerate_diagram.h)
    spends_conflict,  ///< spends an output of a transaction that it replaces
    unspent_dust,     ///< dust of an unconfirmed parent is not spent
    wrong_script,
    mempool_full,
};

/// The string that Bitcoin Core's testmempoolaccept returns as "reject-reason".
std::string_view describe(RejectReason reason);

struct Rejection {
    RejectReason reason = RejectReason::no_inputs;
    /// For wrong_script, Bitcoin Core's text for the error (script_error.cpp). Otherwise Bitcoin
    /// Core's text in brackets.
    std::string_view detail = {};
    std::size_t input = 0;  ///< for wrong_script: index of the input

    friend bool operator==(const Rejection&, const Rejection&) = default;
};

/// The reason, with the detail in brackets.
std::string describe(const Rejection& rejection);

/// Bitcoin Core's reason for a fault found by chain::check_transaction().
RejectReason reason_of(chain::TransactionFlaw flaw, const chain::Transaction& transaction);

}  // namespace petal::regtest
