#include <algorithm>
#include <array>
#include <numeric>
#include <span>

#include "chain/byte_writer.h"
#include "chain/script/script.h"
#include "regtest/rpc/block_json.h"
#include "regtest/rpc/rpc_method.h"

namespace petal::regtest::rpc {
namespace {

constexpr std::int64_t kWitnessScale = 4;

/// Sum, least, greatest and median of a quantity of the transactions after the coinbase.
class Quantity {
public:
    void add(std::int64_t value) { values_.push_back(value); }

    std::int64_t sum() const { return std::accumulate(values_.begin(), values_.end(), 0LL); }
    std::int64_t average() const { return values_.empty() ? 0 : sum() / std::ssize(values_); }
    std::int64_t least() const { return values_.empty() ? 0 : *std::ranges::min_element(values_); }
    std::int64_t most() const { return values_.empty() ? 0 : *std::ranges::max_element(values_); }
    /// Of an even number, the rounded down average of the two in the middle.
    std::int64_t median() const {
        if (values_.empty()) return 0;
        auto sorted = values_;
        std::ranges::sort(sorted);
        const std::size_t half = sorted.size() / 2;
        return sorted.size() % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
    }

private:
    std::vector<std::int64_t> values_;
};

/// The fee rate of a transaction in satoshi per vB, and its weight.
struct WeightedRate {
    std::int64_t rate = 0;
    std::int64_t weight = 0;
};

/// The fee rates that 10, 25, 50, 75 and 90 percent of the weight do not exceed.
Json rate_percentiles(std::vector<WeightedRate> rates) {
    constexpr std::array kPercents = {10, 25, 50, 75, 90};
    std::ranges::sort(rates, {}, [](const auto& one) { return std::pair(one.rate, one.weight); });
    std::int64_t total = 0;
    for (const auto& one : rates) total += one.weight;
    std::vector<std::int64_t> percentiles;
    std::int64_t below = 0;
    for (const auto& [rate, weight] : rates) {
        below += weight;
        while (percentiles.size() < kPercents.size() &&
               100 * below >= kPercents[percentiles.size()] * total) {
            percentiles.push_back(rate);
        }
    }
    percentiles.resize(kPercents.size(), rates.empty() ? 0 : rates.back().rate);
    return percentiles;
}

/// The size of an output in Bitcoin Core's statistics, which is that in a database.
std::int64_t coin_size(const chain::TxOutput& output) {
    constexpr std::int64_t kOverhead = 32 + 4 + 4;
    const std::size_t script = output.script_pubkey.size();
    return static_cast<std::int64_t>(8 + chain::compact_size_bytes(script) + script) + kOverhead;
}

/// The numbers of getblockstats.
struct BlockStats {
    Quantity fees;
    Quantity rates;
    Quantity sizes;
    std::vector<WeightedRate> weighted_rates;
    std::int64_t inputs = 0;
    std::int64_t outputs = 0;
    std::int64_t total_out = 0;
    std::int64_t total_weight = 0;
    std::int64_t segwit_count = 0;
    std::int64_t segwit_size = 0;
    std::int64_t segwit_weight = 0;
    std::int64_t coins_added = 0;       ///< spendable outputs
    std::int64_t size_change = 0;       ///< of all outputs
    std::int64_t coin_size_change = 0;  ///< of the coins
};

void add_outputs(const chain::Transaction& transaction, bool is_genesis, BlockStats& stats) {
    stats.outputs += std::ssize(transaction.outputs);
    for (const auto& output : transaction.outputs) {
        stats.size_change += coin_size(output);
        // The output of the genesis block is no coin.
        if (is_genesis || chain::is_unspendable(output.script_pubkey)) continue;
        ++stats.coins_added;
        stats.coin_size_change += coin_size(output);
    }
}

/// spent   the coins that the transaction spends
void add_payment(const chain::Transaction& transaction, std::span<const Coin> spent,
                 BlockStats& stats) {
    stats.inputs += std::ssize(transaction.inputs);
    std::int64_t fee = 0;
    for (const Coin& coin : spent) {
        fee += coin.value();
        stats.size_change -= coin_size(coin.output());
        stats.coin_size_change -= coin_size(coin.output());
    }
    for (const auto& output : transaction.outputs) {
        fee -= output.value;
        stats.total_out += output.value;
    }
    const auto size = static_cast<std::int64_t>(transaction.serialize().size());
    const auto weight = static_cast<std::int64_t>(transaction.weight());
    const std::int64_t rate = fee * kWitnessScale / weight;
    stats.fees.add(fee);
    stats.sizes.add(size);
    stats.rates.add(rate);
    stats.weighted_rates.push_back({rate, weight});
    stats.total_weight += weight;
    if (!transaction.has_witness()) return;
    ++stats.segwit_count;
    stats.segwit_size += size;
    stats.segwit_weight += weight;
}

BlockStats stats_of(const Chainstate::Entry& entry) {
    BlockStats stats;
    std::span<const Coin> spent(entry.spent);
    for (const auto& transaction : entry.block().transactions) {
        add_outputs(transaction, entry.height == 0, stats);
        if (transaction.is_coinbase()) continue;
        add_payment(transaction, spent.first(transaction.inputs.size()), stats);
        spent = spent.subspan(transaction.inputs.size());
    }
    return stats;
}

Json stats_json(const Chainstate::Entry& entry, const BlockStats& stats) {
    const std::int64_t total_fee = stats.fees.sum();
    const std::int64_t average_rate =
        stats.total_weight == 0 ? 0 : total_fee * kWitnessScale / stats.total_weight;
    return {{"avgfee", stats.fees.average()},
            {"avgfeerate", average_rate},
            {"avgtxsize", stats.sizes.average()},
            {"blockhash", entry.hash.to_hex()},
            {"feerate_percentiles", rate_percentiles(stats.weighted_rates)},
            {"height", entry.height},
            {"ins", stats.inputs},
            {"maxfee", stats.fees.most()},
            {"maxfeerate", stats.rates.most()},
            {"maxtxsize", stats.sizes.most()},
            {"medianfee", stats.fees.median()},
            {"mediantime", Chainstate::median_time_past(entry)},
            {"mediantxsize", stats.sizes.median()},
            {"minfee", stats.fees.least()},
            {"minfeerate", stats.rates.least()},
            {"mintxsize", stats.sizes.least()},
            {"outs", stats.outputs},
            {"subsidy", block_subsidy(entry.height)},
            {"swtotal_size", stats.segwit_size},
            {"swtotal_weight", stats.segwit_weight},
            {"swtxs", stats.segwit_count},
            {"time", entry.header.time},
            {"total_out", stats.total_out},
            {"total_size", stats.sizes.sum()},
            {"total_weight", stats.total_weight},
            {"totalfee", total_fee},
            {"txs", entry.txids.size()},
            {"utxo_increase", stats.outputs - stats.inputs},
            {"utxo_size_inc", stats.size_change},
            {"utxo_increase_actual", stats.coins_added - stats.inputs},
            {"utxo_size_inc_actual", stats.coin_size_change}};
}

Json get_block_stats(RpcNode& node, const Arguments& arguments) {
    const auto& entry = find_block(node.chain, arguments.at(0));
    if (!entry.was_connected && entry.height > 0) {
        throw RpcError(RpcCode::misc, "Undo data not available");
    }
    Json all = stats_json(entry, stats_of(entry));
    if (!arguments.has(1) || arguments.at(1).empty()) return all;
    Json chosen = Json::object();
    for (const Json& given : arguments.at(1)) {
        const std::string& name = Arguments::text_of(given);
        if (!all.contains(name)) {
            throw RpcError(RpcCode::invalid_parameter, "Invalid selected statistic '" + name + "'");
        }
        chosen[name] = all[name];
    }
    return chosen;
}

}  // namespace

std::vector<Method> block_stats_methods() {
    using enum ArgumentKind;
    return {
        {"getblockstats",
         {{"hash_or_height", any}, {"stats", array, false}},
         get_block_stats,
         "fees, sizes and numbers of a block's transactions"},
    };
}

}  // namespace petal::regtest::rpc
