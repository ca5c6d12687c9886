#include "chain/block_filters/filter_check.h"

#include <algorithm>
#include <unordered_set>
#include <vector>

#include "chain/block_filters/block_filter.h"
#include "chain/enum_table.h"

namespace petal::chain {
namespace {

/// The number of inputs that spend outputs of earlier blocks.
std::size_t count_unknown_inputs(const Block& block) {
    std::unordered_set<Txid> txids;
    std::size_t unknown = 0;
    for (const Transaction& transaction : block.transactions) {
        if (!transaction.is_coinbase()) {
            unknown += static_cast<std::size_t>(std::ranges::count_if(
                transaction.inputs,
                [&](const TxInput& input) { return !txids.contains(input.prevout.txid); }));
        }
        txids.insert(transaction.txid());
    }
    return unknown;
}

}  // namespace

std::string_view describe(FilterFault fault) {
    using enum FilterFault;
    static constexpr auto kTexts = enum_table<FilterFault, std::string_view>({
        {lacks_script, "lacks the script of an output"},
        {wrong_size, "has more or fewer elements than the block can have"},
    });
    return kTexts[fault];
}

std::optional<FilterFault> find_filter_fault(const Block& block, const GolombSet& filter) {
    std::vector<Bytes> scripts = output_elements(block);
    std::ranges::sort(scripts);
    scripts.erase(std::unique(scripts.begin(), scripts.end()), scripts.end());

    if (!filter.has_all_of(scripts)) return FilterFault::lacks_script;
    const std::size_t most = scripts.size() + count_unknown_inputs(block);
    const bool has_possible_size = filter.size() >= scripts.size() && filter.size() <= most;
    if (!has_possible_size) return FilterFault::wrong_size;
    return std::nullopt;
}

}  // namespace petal::chain
