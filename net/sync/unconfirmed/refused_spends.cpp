#include "net/sync/unconfirmed/refused_spends.h"

#include "chain/bytes.h"

namespace petal::net {

namespace {

chain::Hash256 key_of(const chain::Transaction& transaction, const FindOutput& find_output) {
    chain::Bytes is_known;
    for (const chain::TxInput& input : transaction.inputs) {
        is_known.push_back(find_output(input.prevout) ? 1 : 0);
    }
    return chain::sha256d({transaction.wtxid().bytes, is_known});
}

}  // namespace

chain::Expected<bool, SpendFault> RefusedSpends::check(const chain::Transaction& transaction,
                                                       const FindOutput& find_output) {
    const chain::Hash256 key = key_of(transaction, find_output);
    if (const auto refused = faults_.find(key); refused != faults_.end()) {
        return chain::Unexpected(refused->second);
    }
    auto result = check_spends(transaction, find_output);
    if (!result) insert(key, result.error());
    return result;
}

void RefusedSpends::insert(const chain::Hash256& key, const SpendFault& fault) {
    if (order_.size() == kMaxRefused) {
        faults_.erase(order_.front());
        order_.pop_front();
    }
    faults_.emplace(key, fault);
    order_.push_back(key);
}

}  // namespace petal::net
