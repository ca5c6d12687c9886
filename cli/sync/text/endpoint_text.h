/// Why all endpoints failed.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options/options.h"
#include "net/io/search/search_report.h"
#include "net/io/spv_result.h"

namespace petal::cli {

struct FailedEndpoints {
    const std::vector<net::EndpointReport>& endpoints;
    std::set<std::string> greeted;  ///< sent a version message, as HOST:PORT
    net::SearchReport search;
    const GlobalOptions& global;  ///< the selected network, and for advised()
    /// Whether a connected peer has the stored chain, or has not shown a chain yet.
    bool may_be_served = false;
    bool has_auto_source = false;  ///< of matches
};

/// Whether at least one endpoint answered, and no endpoint that answered is on the stored chain.
/// False if a connected peer may serve.
bool is_on_other_chain(const FailedEndpoints& failed);

/// Part of a sentence: each endpoint with the endpoint's failure. For many endpoints, the number of
/// failures of each kind.
std::string describe(const FailedEndpoints& failed);

/// A remedy for these endpoints, to be appended to the description. Empty if none is known.
std::string remedy(const FailedEndpoints& failed);
/// remedy(), or the advice to name a different endpoint. Empty if neither would help.
std::string advice(const FailedEndpoints& failed);

}  // namespace petal::cli
