#include "cli/filter/filter_json.h"

#include <limits>

#include "bloom/measures/filter_relations.h"
#include "cli/filter/filter_options.h"
#include "cli/filter/verdict_text.h"

namespace petal::cli {
namespace {

Json count_json(const bloom::CountMeasures& count) {
    return {{"universe", bloom::key_of(count.universe.set)},
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
    Json json = {{"pair", bloom::key_of(pair.pair.pair)},
                 {"candidates", pair.pair.candidates},
                 {"false_pairs", pair.false_pairs()},
                 {"guess", probability_json(pair.guess)},
                 {"inserted", nullptr},
                 {"own", nullptr},
                 {"strangers", pair.strangers}};
    if (pair.inserted) json["inserted"] = *pair.inserted;
    if (pair.inserted) json["own"] = *pair.inserted ? pair.own : 0;
    json["client_inserts"] = !pair.inserted_by.empty();
    return json;
}

Json drift_json(const std::optional<bloom::Drift>& drift) {
    if (!drift) return nullptr;
    return {{"outpoints", drift->outpoints}, {"days", drift->days}, {"blocks", drift->blocks}};
}

/// Facts that a peer does not know; null if petal does not know them either.
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

/// The keys that filters have which match everything, too.
Json structure_json(const bloom::FilterSize& size, std::uint32_t tweak, std::uint8_t flags,
                    std::size_t bits_set) {
    const std::size_t bits = size.bytes * 8;
    Json json = {{"bytes", size.bytes},
                 {"bits", bits},
                 {"hash_functions", size.hash_functions},
                 {"tweak", tweak},
                 {"flags", flags_name(bloom::update_mode_of(flags))},
                 {"bits_set", bits_set},
                 {"fill", nullptr}};
    if (bits > 0) json["fill"] = static_cast<double>(bits_set) / static_cast<double>(bits);
    return json;
}

/// If the design rate is one number, `fpr_design` is set; all are null if it is unknown.
void add_design(Json& measures, const std::optional<bloom::RateRange>& design) {
    for (const char* key : {"fpr_design", "fpr_design_at_least", "fpr_design_at_most"}) {
        measures[key] = nullptr;
    }
    if (!design) return;
    measures["fpr_design_at_least"] = design->lowest;
    measures["fpr_design_at_most"] = design->highest;
    if (design->lowest == design->highest) measures["fpr_design"] = design->lowest;
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
    Json json = structure_json(seen.size, seen.tweak, seen.flags, seen.bits_set);
    json["elements_estimate"] = seen.elements.value;
    json["elements_sigma"] = seen.elements.deviation;
    json["fpr_actual"] = probability_json(seen.rate);
    json["measures"] = {
        {"clients", clients_json(seen)},   {"fpr_relative_deviation", seen.rate_deviation},
        {"truth", truth_json(seen)},       {"used", seen.context.used},
        {"shards", seen.context.shards},   {"count", counts},
        {"deniability", seen.deniability}, {"deniability_cover_3", seen.deniability_cover_3},
        {"evidence", evidence_json(seen)}, {"cost", cost_json(seen)}};
    add_design(json["measures"], seen.design);
    return json;
}

Json match_all_json(const bloom::FilterOutline& filter) {
    Json json = structure_json(filter.size, filter.tweak, filter.flags, filter.bits_set);
    json["elements_estimate"] = nullptr;
    json["elements_sigma"] = nullptr;
    json["fpr_actual"] = 1;
    json["measures"] = nullptr;
    return json;
}

Json verdict_json(const bloom::Verdict& verdict) {
    const auto finding_json = [](const bloom::Finding& finding) -> Json {
        const FindingText text = text_of(finding);
        Json told = {{"grade", bloom::key_of(finding.grade)},
                     {"attack", bloom::key_of(finding.attack())},
                     {"number", text.number},
                     {"reason", text.reason},
                     {"fix", text.fix},
                     {"if_made_by", nullptr}};
        if (!text.if_made_by.empty()) told["if_made_by"] = text.if_made_by;
        return told;
    };
    Json json = finding_json(verdict.worst());
    json["findings"] = Json::array();
    for (const auto& finding : verdict.findings) json["findings"].push_back(finding_json(finding));
    return json;
}

Json names_json(const std::vector<NamedFilter>& filters) {
    Json names = Json::array();
    for (const NamedFilter& named : filters) names.push_back(named.name);
    return names;
}

Json comparison_json(const bloom::FilterComparison& compared) {
    Json json = {{"relation", bloom::key_of(compared.relation)},
                 {"shared_functions", compared.shared_functions},
                 {"common_fpr", probability_json(compared.common.rate)},
                 {"false_addresses", compared.common.false_addresses},
                 {"guess", probability_json(compared.common.guess)},
                 {"linking_deviations", compared.linking_deviations},
                 {"growth", nullptr},
                 {"overlap", nullptr}};
    if (compared.growth) {
        const bloom::Growth& growth = *compared.growth;
        json["growth"] = {{"new_bits", growth.new_bits},
                          {"lost_bits", growth.lost_bits},
                          {"new_elements", growth.new_elements.value},
                          {"new_elements_sigma", growth.new_elements.deviation},
                          {"fpr", probability_json(growth.rate)},
                          {"false_addresses", compared.growth_cover}};
    }
    if (compared.overlap) {
        json["overlap"] = {{"elements_in_either", compared.overlap->in_either},
                           {"elements_in_both", compared.overlap->in_both},
                           {"deviations", compared.overlap->deviations}};
    }
    return json;
}

}  // namespace petal::cli
