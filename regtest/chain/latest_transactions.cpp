#include "regtest/chain/latest_transactions.h"

#include <cstddef>

namespace petal::regtest {
namespace {

template <typename Id>
std::optional<chain::Transaction> find_in(const std::unordered_map<Id, chain::ByteView>& index,
                                          const Id& id) {
    const auto found = index.find(id);
    if (found == index.end()) return std::nullopt;
    return *chain::decode_transaction(found->second);
}

}  // namespace

bool LatestTransactions::contains(const chain::Txid& txid) {
    update();
    return by_txid_.contains(txid);
}

bool LatestTransactions::contains(const chain::Wtxid& wtxid) {
    update();
    return by_wtxid_.contains(wtxid);
}

std::optional<chain::Transaction> LatestTransactions::find(const chain::Txid& txid) {
    update();
    return find_in(by_txid_, txid);
}

std::optional<chain::Transaction> LatestTransactions::find(const chain::Wtxid& wtxid) {
    update();
    return find_in(by_wtxid_, wtxid);
}

void LatestTransactions::update() {
    if (tip_ == chain_.tip()) return;
    tip_ = chain_.tip();
    by_txid_.clear();
    by_wtxid_.clear();
    const auto& block = chain_.blocks().tip();
    const auto transactions = block.transaction_views();
    for (std::size_t i = 0; i < transactions.size(); ++i) {
        const chain::ByteView bytes = transactions[i].bytes;
        by_txid_.emplace(block.txids[i], bytes);
        by_wtxid_.emplace(chain::Wtxid{chain::sha256d(bytes).bytes}, bytes);
    }
}

}  // namespace petal::regtest
