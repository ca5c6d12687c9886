#include "cli/sync/text/service_text.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "chain/enum_table.h"
#include "cli/text/text.h"

namespace petal::cli {
namespace {

struct ServiceWords {
    std::string_view text;
    std::string_view code;
};

const ServiceWords& words_of(net::NodeService service) {
    using enum net::NodeService;
    static constexpr auto kWords = chain::enum_table<net::NodeService, ServiceWords>({
        {full_chain, {"all blocks", "full-chain"}},
        {recent_blocks, {"only the last 288 blocks", "recent-blocks"}},
        {bloom, {"Bloom filters (BIP37)", "bloom"}},
        {compact_filters, {"compact filters (BIP157)", "compact-filters"}},
        {v2_transport, {"encrypted transport (BIP324)", "v2-transport"}},
    });
    return kWords[service];
}

std::size_t nodes_with(net::NodeService service, const net::CensusResult& census) {
    return static_cast<std::size_t>(std::ranges::count_if(
        census.services, [service](auto bits) { return net::has_service(bits, service); }));
}

double share_of(std::size_t nodes, const net::CensusResult& census) {
    return census.services.empty()
               ? 0
               : static_cast<double>(nodes) / static_cast<double>(census.services.size());
}

}  // namespace

Table service_table(const std::vector<net::ServiceCount>& counts) {
    Table table({{"service"},
                 {"known nodes", Table::Align::right},
                 {"checked within a week", Table::Align::right},
                 {"last checked"}});
    for (const net::ServiceCount& count : counts) {
        table.add_row({std::string(words_of(count.service).text), format_count(count.known),
                       format_count(count.stated),
                       count.stated == 0 ? "never" : format_time(count.last_statement)});
    }
    return table;
}

Json services_json(const std::vector<net::ServiceCount>& counts) {
    Json services = Json::array();
    for (const net::ServiceCount& count : counts) {
        services.push_back({{"service", words_of(count.service).code},
                            {"known", count.known},
                            {"checked", count.stated},
                            {"last_checked_time",
                             count.stated == 0 ? Json(nullptr) : Json(count.last_statement)}});
    }
    return services;
}

Table census_table(const net::CensusResult& census) {
    Table table({{"service"}, {"nodes", Table::Align::right}, {"share", Table::Align::right}});
    for (const net::NodeService service : net::kNodeServices) {
        const std::size_t nodes = nodes_with(service, census);
        const auto percent = std::lround(100 * share_of(nodes, census));
        table.add_row({std::string(words_of(service).text), format_count(nodes),
                       std::to_string(percent) + " %"});
    }
    return table;
}

Json census_json(const net::CensusResult& census) {
    Json services = Json::array();
    for (const net::NodeService service : net::kNodeServices) {
        const std::size_t nodes = nodes_with(service, census);
        services.push_back({{"service", words_of(service).code},
                            {"nodes", nodes},
                            {"share", share_of(nodes, census)}});
    }
    return {{"known", census.known},
            {"greeted", census.greeted},
            {"answered", census.services.size()},
            {"complete", census.is_complete},
            {"seconds", std::chrono::duration<double>(census.duration).count()},
            {"services", services}};
}

}  // namespace petal::cli
