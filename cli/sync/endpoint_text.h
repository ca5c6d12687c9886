/// What became of endpoints none of which was of use.
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
    std::set<std::string> greeted;  ///< those that sent a version message, as HOST:PORT
    net::SearchReport search;
    const GlobalOptions& global;  ///< the network that was meant, and for advised()
};

/// Part of a sentence: each endpoint with its failure, or, where they are many, how many failed in
/// which way.
std::string describe(const FailedEndpoints& failed);

/// What may help with these very endpoints, to follow the description; empty where that is not
/// known.
std::string remedy(const FailedEndpoints& failed);
/// The same, or that another endpoint may; empty where none would.
std::string advice(const FailedEndpoints& failed);

}  // namespace petal::cli
