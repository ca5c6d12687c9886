#include "tests/wallet/ledger/ledger_scene.h"

#include <algorithm>

namespace petal::test {

chain::Transaction receipt(chain::Satoshis value, std::uint32_t coin) {
    return spend({foreign_coin(coin)}, {{value, own_script(0)}});
}

void LedgerScene::mine(const std::vector<chain::Transaction>& transactions) {
    take(chain.mine(transactions));
}

void LedgerScene::mine_empty(std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) mine();
}

void LedgerScene::repeat(std::uint32_t height) {
    take(chain.at(height));
}

void LedgerScene::take(const chain::ProvenBlock& block) {
    for (const chain::ProvenTransaction& proven : block.transactions) {
        if (auto entry = recognise(proven.transaction)) {
            const auto confirmed =
                ledger.confirm(*entry, {block.block, block.header.time}, proven.position);
            invalid_blocks.insert(invalid_blocks.end(), confirmed.invalid_blocks.begin(),
                                  confirmed.invalid_blocks.end());
            for (const chain::Txid& displaced : confirmed.displaced) {
                if (ledger.find(displaced)->is_undone()) ledger.forget(displaced);
            }
        }
    }
    if (!ledger.synced() || ledger.synced()->height < block.block.height) {
        ledger.set_synced(block.block);
    }
}

void LedgerScene::reorganise_to(std::uint32_t height) {
    ledger.undo_to(height);
    ledger.set_synced(chain.cut(height));
}

void LedgerScene::search_again_above(std::uint32_t height) {
    ledger.search_again_above(height);
    ledger.set_synced(height == 0 ? chain.root() : chain.at(height).block);
}

bool LedgerScene::see(const chain::Transaction& transaction, std::int64_t time) {
    auto entry = recognise(transaction);
    if (!entry) return false;
    entry->seen_time = time;
    return ledger.see(*entry) != nullptr;
}

std::optional<wallet::LedgerTransaction> LedgerScene::recognise(
    const chain::Transaction& transaction) const {
    auto credits = credits_in(transaction);
    if (credits.empty() && !ledger.touches(transaction)) return std::nullopt;
    return wallet::summarize(transaction, transaction.txid(), std::move(credits));
}

wallet::HistoryEntry LedgerScene::entry(const chain::Transaction& transaction) const {
    return view().entry(transaction.txid()).value();
}

bool LedgerScene::is_conflicted(const chain::Transaction& transaction) const {
    return entry(transaction).replaced_by.has_value();
}

std::vector<chain::Txid> LedgerScene::order(std::size_t limit) const {
    std::vector<chain::Txid> txids;
    for (const auto& entry : view().history(limit)) txids.push_back(entry.txid);
    return txids;
}

bool LedgerScene::watches(const chain::Outpoint& outpoint) const {
    const chain::WatchedOutpoints watched = view().watched_outpoints();
    return std::ranges::binary_search(watched.confirmed, outpoint) ||
           std::ranges::binary_search(watched.unconfirmed, outpoint);
}

}  // namespace petal::test
