#include "cli/filter/measures/filter_json.h"

#include <limits>

#include "bloom/measures/filter_relations.h"
#include "cli/filter/measures/finding_text.h"

namespace petal::cli {

Json probability_json(bloom::LogProbability probability) {
    if (probability.is_zero()) return 0;
    if (probability.value() >= std::numeric_limits<double>::min()) return probability.value();
    return probability.to_string();
}

Json records_json(const FigureTable& table) {
    Json records = Json::array();
    for (const auto& row : table.rows) {
        Json record;
        for (std::size_t i = 0; i < row.size(); ++i) {
            if (!table.columns[i].key.empty()) record[table.columns[i].key] = row[i].data;
        }
        records.push_back(std::move(record));
    }
    return records;
}

Json figures_json(const std::vector<FigureSection>& sections) {
    Json json;
    // The keys of the whole filter come before the keys of the measures.
    for (const bool is_whole : {true, false}) {
        for (const FigureSection& section : sections) {
            const auto add = [&](const std::string& key, const Json& data,
                                 const std::string& place) {
                if (!key.empty() && place.empty() == is_whole) {
                    json[Json::json_pointer(place)][key] = data;
                }
            };
            if (section.table) {
                add(section.table->key, records_json(*section.table), section.place);
            }
            for (const Figure& figure : section.figures) {
                add(figure.key, figure.data, figure.place.value_or(section.place));
            }
        }
    }
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
