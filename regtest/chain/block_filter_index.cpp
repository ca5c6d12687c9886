#include "regtest/chain/block_filter_index.h"

#include <utility>

namespace petal::regtest {
namespace {

chain::Bytes make_filter(const Chainstate::Entry& entry) {
    RegtestBlock block = entry.block();
    std::vector<chain::Bytes> spent_scripts;
    spent_scripts.reserve(entry.spent.size());
    for (const Coin& coin : entry.spent) {
        const auto script = coin.script_pubkey();
        spent_scripts.emplace_back(script.begin(), script.end());
    }
    const chain::Block parsed{block.header, std::move(block.transactions)};
    return chain::make_basic_filter(parsed, spent_scripts).encode();
}

}  // namespace

const BlockFilterIndex::Record& BlockFilterIndex::record(const Chainstate::Entry& block) const {
    const auto blocks = missing(block);
    for (auto next = blocks.rbegin(); next != blocks.rend(); ++next) {
        const Chainstate::Entry* const entry = *next;
        const auto previous =
            entry->parent == nullptr ? chain::FilterHeader{} : records_.at(entry->parent).header;
        Record record{make_filter(*entry), {}};
        record.header = chain::next_filter_header(chain::hash_filter(record.filter), previous);
        records_.emplace(entry, std::move(record));
    }
    return records_.at(&block);
}

std::vector<const Chainstate::Entry*> BlockFilterIndex::missing(
    const Chainstate::Entry& block) const {
    std::vector<const Chainstate::Entry*> blocks;
    for (const auto* entry = &block; entry != nullptr && !records_.contains(entry);
         entry = entry->parent) {
        blocks.push_back(entry);
    }
    return blocks;
}

}  // namespace petal::regtest
