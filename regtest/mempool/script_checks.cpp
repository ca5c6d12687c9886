#include "regtest/mempool/script_checks.h"

#include "chain/script/script_verification.h"

namespace petal::regtest {

std::optional<Rejection> find_wrong_script(const chain::Transaction& transaction,
                                           std::span<const chain::TxOutput> spent,
                                           chain::ScriptFlags flags) {
    const chain::SighashCache cache{transaction, spent};
    for (std::size_t i = 0; i < spent.size(); ++i) {
        const chain::SignatureChecker checker{cache, i, spent[i], chain::SignatureMode::verified};
        const auto verdict = chain::verify_script(checker, flags);
        if (!verdict) return Rejection{RejectReason::wrong_script, describe(verdict.error()), i};
    }
    return std::nullopt;
}

}  // namespace petal::regtest
