#include "net/peer/tx_server.h"

#include <algorithm>
#include <utility>

#include "chain/transaction_rules.h"

namespace petal::net {

namespace {

bool may_pay(const chain::OwnTransaction& own, chain::Satoshis least_fee_rate) {
    if (!own.fee) return true;
    return *own.fee >= chain::fee_at_rate(least_fee_rate, own.transaction.virtual_size());
}

}  // namespace

void TxServer::start(std::vector<chain::OwnTransaction> transactions) {
    order_.clear();
    own_.clear();
    for (chain::OwnTransaction& transaction : transactions) {
        const chain::Txid txid = transaction.transaction.txid();
        order_.push_back(txid);
        own_.try_emplace(txid, Own{std::move(transaction), {}});
    }
}

std::size_t TxServer::largest_bytes() const {
    std::size_t largest = 0;
    for (const auto& [txid, own] : own_) {
        largest = std::max(largest, own.what.transaction.total_size());
    }
    return largest;
}

bool TxServer::has_for(chain::Satoshis least_fee_rate, const RecentTxids& known) const {
    return std::any_of(own_.begin(), own_.end(), [&](const auto& entry) {
        return may_pay(entry.second.what, least_fee_rate) && !known.contains(entry.first);
    });
}

Inv TxServer::announce(PeerId peer, chain::Satoshis least_fee_rate, const RecentTxids& known) {
    Inv inv;
    for (const chain::Txid& txid : order_) {
        if (!may_pay(own_.at(txid).what, least_fee_rate) || known.contains(txid)) continue;
        allow_with_ancestors(peer, txid);
        inv.entries.push_back({InventoryType::tx, {txid.bytes}});
    }
    return inv;
}

void TxServer::allow_with_ancestors(PeerId peer, const chain::Txid& txid) {
    std::vector<chain::Txid> next{txid};
    while (!next.empty()) {
        const auto own = own_.find(next.back());
        next.pop_back();
        if (own == own_.end() || !own->second.served.try_emplace(peer, 0).second) continue;
        for (const chain::TxInput& input : own->second.what.transaction.inputs) {
            next.push_back(input.prevout.txid);
        }
    }
}

std::vector<chain::Txid> TxServer::answer(PeerId peer, const GetData& request, Outbox& outbox) {
    std::vector<chain::Txid> sent;
    NotFound missing;
    for (const Inventory& entry : request.entries) {
        if (const auto* transaction = serve(peer, entry)) {
            outbox.send(peer, Tx{*transaction});
            sent.push_back({entry.hash.bytes});
        } else {
            missing.entries.push_back(entry);
        }
    }
    if (!missing.entries.empty()) outbox.send(peer, std::move(missing));
    return sent;
}

const chain::Transaction* TxServer::serve(PeerId peer, const Inventory& entry) {
    if (entry.type != InventoryType::tx && entry.type != InventoryType::witness_tx) return nullptr;
    const auto own = own_.find(chain::Txid{entry.hash.bytes});
    if (own == own_.end()) return nullptr;
    const auto times = own->second.served.find(peer);
    if (times == own->second.served.end() || times->second >= kMaxServed) return nullptr;
    ++times->second;
    return &own->second.what.transaction;
}

}  // namespace petal::net
