#include "tests/wallet/ledger/ledger_scene.h"

#include <algorithm>
#include <cassert>

namespace petal::test {

namespace {

constexpr std::size_t kScriptSize = 4;  // a tag, the chain, the index

}  // namespace

chain::Bytes own_script(std::uint32_t index, wallet::KeyChain chain) {
    return {0x6a, static_cast<chain::Byte>(chain), static_cast<chain::Byte>(index >> 8),
            static_cast<chain::Byte>(index)};
}

std::optional<wallet::KeyPath> owner_of(chain::ByteView script) {
    if (script.size() != kScriptSize || script[0] != 0x6a) return std::nullopt;
    return wallet::KeyPath{static_cast<wallet::KeyChain>(script[1]),
                           static_cast<std::uint32_t>(script[2] << 8 | script[3])};
}

std::vector<wallet::Credit> credits_in(const chain::Transaction& transaction) {
    std::vector<wallet::Credit> credits;
    for (std::uint32_t i = 0; i < transaction.outputs.size(); ++i) {
        const auto& output = transaction.outputs[i];
        if (const auto path = owner_of(output.script_pubkey)) {
            credits.push_back({i, output.value, *path});
        }
    }
    return credits;
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
            ledger.confirm(*entry, {block.block, block.header.time}, proven.position);
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
