/// The services of nodes, in words and as JSON.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/terminal/table.h"
#include "cli/text/json.h"
#include "net/discovery/node_services.h"
#include "net/io/census.h"

namespace petal::cli {

/// How many known nodes have each service.
Table service_table(const std::vector<net::ServiceCount>& counts);
Json services_json(const std::vector<net::ServiceCount>& counts);

/// The share of each service in the nodes that answered a census. At least one answered.
Table census_table(const net::CensusResult& census);
Json census_json(const net::CensusResult& census);

}  // namespace petal::cli
