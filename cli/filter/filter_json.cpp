#include "cli/filter/filter_json.h"

#include <limits>

#include "bloom/measures/count_privacy.h"
#include "bloom/measures/filter_relations.h"
#include "cli/filter/filter_options.h"

namespace petal::cli {
namespace {

Json count_json(const bloom::CountMeasures& count) {
    return {{"universe", count.universe.key},
            {"addresses", count.universe.addresses},
            {"false_addresses", count.false_addresses},
            {"guess_plug_in", probability_json(count.guess_plug_in)},
            {"guess", probability_json(count.guess)},
            {"guess_all", probability_json(count.guess_all)},
            {"anonymity_set", count.anonymity},
            {"bits_leaked", count.leaked_bits},
            {"bits_left", count.left_bits}};
}

Json pair_json(const bloom::PairMeasures& pair) {
    Json json = {{"pair", pair.pair.key},
                 {"candidates", pair.pair.candidates},
                 {"false_pairs", pair.false_pairs},
                 {"guess", probability_json(pair.guess)},
                 {"inserted", nullptr},
                 {"strangers", pair.strangers}};
    if (pair.inserted) json["inserted"] = *pair.inserted;
    json["client_inserts"] = pair.client_inserts;
    return json;
}

Json drift_json(const std::optional<bloom::Drift>& drift) {
    if (!drift) return nullptr;
    return {{"outpoints", drift->outpoints}, {"days", drift->days}, {"blocks", drift->blocks}};
}

/// What a peer does not know; null where petal does not either.
Json truth_json(const bloom::Inspection& seen) {
    if (!seen.context.truth) return nullptr;
    const bloom::FilterTruth& truth = *seen.context.truth;
    return {{"elements", truth.elements}, {"others", truth.decoys}};
}

Json clients_json(const bloom::Inspection& seen) {
    Json clients = Json::array();
    for (const bloom::ClientGuess& guess : seen.clients) {
        clients.push_back({{"client", guess.client->key},
                           {"fpr", guess.client->rate},
                           {"sized_for_at_least", guess.fewest},
                           {"sized_for_at_most", guess.most}});
    }
    return clients;
}

template <typename Value>
Json optional_json(const std::optional<Value>& value) {
    return value ? Json(*value) : Json(nullptr);
}

Json evidence_json(const bloom::Inspection& seen) {
    Json chains = Json::array();
    for (const bloom::ChainMeasures& chain : seen.chains) {
        chains.push_back({{"length", chain.length}, {"false_chains", chain.false_chains}});
    }
    Json pairs = Json::array();
    for (const bloom::PairMeasures& pair : seen.pairs) pairs.push_back(pair_json(pair));
    return {{"bits_per_match", seen.match_bits},
            {"bits_per_address_to_one_peer", seen.evidence},
            {"conclusive_cluster", optional_json(seen.conclusive_cluster)},
            {"pairs", pairs},
            {"chains", chains},
            {"conclusive_chain", optional_json(seen.conclusive_chain)}};
}

Json cost_json(const bloom::Inspection& seen) {
    return {{"false_transactions_per_block",
             seen.traffic.false_transactions / seen.context.world.blocks_per_day},
            {"payment_anonymity_set", seen.payment_anonymity},
            {"merkle_bytes_per_day", seen.traffic.merkle_bytes},
            {"transaction_bytes_per_day", seen.traffic.transaction_bytes},
            {"relay_bytes_per_day", seen.traffic.relay_bytes},
            {"bytes_per_day", seen.traffic.total_bytes()},
            {"bytes_per_year_of_history", seen.traffic.block_bytes() * 365},
            {"rate_doubles", drift_json(seen.doubles)},
            {"rate_tenfold", drift_json(seen.tenfold)}};
}

}  // namespace

Json probability_json(bloom::LogProbability probability) {
    if (probability.is_zero()) return 0;
    if (probability.value() >= std::numeric_limits<double>::min()) return probability.value();
    return probability.to_string();
}

Json inspection_json(const bloom::Inspection& seen) {
    Json counts = Json::array();
    for (const bloom::CountMeasures& count : seen.counts) counts.push_back(count_json(count));
    const auto mode = bloom::update_mode_of(seen.flags);
    return {{"bytes", seen.size.bytes},
            {"bits", seen.size.bytes * 8},
            {"hash_functions", seen.size.hash_functions},
            {"tweak", seen.tweak},
            {"flags", flags_name(mode)},
            {"bits_set", seen.bits_set},
            {"fill", seen.fill},
            {"elements_estimate", seen.elements.value},
            {"elements_sigma", seen.elements.deviation},
            {"fpr_actual", probability_json(seen.rate)},
            {"measures",
             {{"clients", clients_json(seen)},
              {"fpr_design", seen.design_rate},
              {"fpr_design_known", seen.design_known},
              {"fpr_relative_deviation", seen.rate_deviation},
              {"truth", truth_json(seen)},
              {"used", seen.context.used},
              {"shards", seen.context.shards},
              {"count", counts},
              {"deniability", seen.deniability},
              {"deniability_cover_3", seen.deniability_cover_3},
              {"evidence", evidence_json(seen)},
              {"cost", cost_json(seen)}}}};
}

Json match_all_json(const bloom::FilterOutline& filter) {
    const std::size_t bits = filter.size.bytes * 8;
    return {{"bytes", filter.size.bytes},
            {"bits", bits},
            {"hash_functions", filter.size.hash_functions},
            {"tweak", filter.tweak},
            {"flags", flags_name(bloom::update_mode_of(filter.flags))},
            {"bits_set", filter.bits_set},
            {"fill", bits == 0
                         ? Json(nullptr)
                         : Json(static_cast<double>(filter.bits_set) / static_cast<double>(bits))},
            {"elements_estimate", nullptr},
            {"elements_sigma", nullptr},
            {"fpr_actual", 1},
            {"measures", nullptr}};
}

Json verdict_json(const bloom::Verdict& verdict) {
    const auto finding_json = [](const bloom::Finding& finding) -> Json {
        return {{"grade", bloom::key_of(finding.grade)},
                {"attack", bloom::key_of(finding.attack)},
                {"number", finding.number},
                {"reason", finding.reason},
                {"fix", finding.fix}};
    };
    Json json = finding_json(verdict.worst());
    json["findings"] = Json::array();
    for (const auto& finding : verdict.findings) json["findings"].push_back(finding_json(finding));
    return json;
}

Json relation_json(const bloom::BloomFilter& earlier, const bloom::BloomFilter& later,
                   const bloom::InspectionContext& context) {
    const auto rate = bloom::common_rate(earlier, later);
    const double universe = context.world.addresses;
    const double false_addresses = bloom::expected_false_addresses(universe, context.used, rate);
    Json json = {{"relation", bloom::key_of(bloom::relate(earlier, later))},
                 {"shared_functions", bloom::shared_seeds(earlier, later)},
                 {"common_fpr", probability_json(rate)},
                 {"false_addresses", false_addresses},
                 {"guess", probability_json(
                               bloom::mean_guess_probability(context.used, false_addresses, 1))},
                 {"linking_deviations", bloom::linking_deviations(context.used, universe, rate)},
                 {"growth", nullptr},
                 {"overlap", nullptr}};
    if (!bloom::same_hashing(earlier, later)) return json;
    const bloom::Growth growth = bloom::growth(earlier, later);
    json["growth"] = {{"new_bits", growth.new_bits},
                      {"lost_bits", growth.lost_bits},
                      {"new_elements", growth.new_elements.value},
                      {"new_elements_sigma", growth.new_elements.deviation},
                      {"fpr", probability_json(growth.rate)},
                      {"false_addresses", universe * growth.rate.value()}};
    const bloom::Overlap overlap = bloom::overlap(earlier, later);
    json["overlap"] = {{"elements_in_either", overlap.in_either},
                       {"elements_in_both", overlap.in_both},
                       {"deviations", overlap.deviations}};
    return json;
}

}  // namespace petal::cli
