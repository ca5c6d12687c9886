#include "cli/sync/text/endpoint_text.h"

#include <algorithm>
#include <map>
#include <utility>

#include "cli/options/advice.h"
#include "cli/text/text.h"
#include "net/io/dial/known_port.h"

namespace petal::cli {
namespace {

// The maximum number of endpoints that are named. Further endpoints are counted.
constexpr std::size_t kMaxNamed = 8;

/// Why an endpoint was useless, as part of a sentence.
std::string failure_text(const net::EndpointReport& endpoint, std::string_view network) {
    const auto& failure = endpoint.last_failure;
    if (!failure) return endpoint.dials == 0 ? "was not tried" : "has not answered yet";
    switch (failure->reason) {
        case net::DisconnectReason::wrong_network:
            return "is a node of another network, not of " + std::string(network);
        default:
            return net::describe(*failure);
    }
}

/// The number of failures of each kind, the most frequent kind first.
std::string counts_text(const std::vector<net::EndpointReport>& endpoints) {
    std::map<std::string, std::size_t> counts;
    for (const net::EndpointReport& endpoint : endpoints) {
        if (endpoint.last_failure) ++counts[net::describe(*endpoint.last_failure)];
    }
    std::vector<std::pair<std::size_t, std::string>> ordered;
    ordered.reserve(counts.size());
    for (const auto& [failure, count] : counts) ordered.emplace_back(count, failure);
    std::sort(ordered.rbegin(), ordered.rend());
    std::string text = count_of(endpoints.size(), "node") + " were tried: ";
    for (std::size_t i = 0; i < ordered.size(); ++i) {
        text += (i == 0 ? "" : "; ") + format_count(ordered[i].first) + " × " + ordered[i].second;
    }
    return text;
}

/// The result of the DNS lookups if all lookups failed.
std::string lookups_text(const net::SeedLookups& lookups) {
    const std::size_t count = lookups.unknown + lookups.unanswered;
    return "DNS lookup failed for " +
           (count == 1 ? std::string("the DNS seed")
                       : "all " + format_count(count) + " DNS seeds") +
           (lookups.unanswered == 0 ? " (no such host)"
            : lookups.unknown == 0  ? " (no answer)"
                                    : " (no such host, or no answer)");
}

/// Whether the proxy failed for all endpoints, so that nothing is known about the nodes.
bool is_fault_of_proxy(const std::vector<net::EndpointReport>& endpoints) {
    return !endpoints.empty() && std::ranges::all_of(endpoints, [](const auto& endpoint) {
        return endpoint.last_failure && endpoint.last_failure->by_proxy;
    });
}

bool has_failed_by(const net::EndpointReport& endpoint, net::DisconnectReason reason) {
    return endpoint.last_failure && endpoint.last_failure->reason == reason;
}

bool is_of_other_chain(const net::EndpointReport& endpoint) {
    using enum net::DisconnectReason;
    return has_failed_by(endpoint, lighter_chain) || has_failed_by(endpoint, lesser_branch) ||
           has_failed_by(endpoint, excluded_branch) || has_failed_by(endpoint, other_chain);
}

/// Corrects a port that belongs to a different service or network. Empty if the port may be right.
std::string port_remedy(const net::EndpointReport& endpoint, const GlobalOptions& global) {
    const auto known = net::known_port(endpoint.endpoint.port);
    const chain::NetworkParams& wanted = *global.network;
    if (!known || endpoint.endpoint.port == wanted.default_port) return "";
    const std::string port = std::to_string(endpoint.endpoint.port);
    std::string text = "; " + port + " is " + std::string(net::describe(known->use));
    if (known->network != nullptr) text += " of " + known->network->name;
    if (known->use == net::PortUse::tor_socks) {
        return text + ": --proxy 127.0.0.1:" + port + " uses it";
    }
    text += ", and nodes of " + wanted.name + " listen on " + std::to_string(wanted.default_port);
    const bool is_other_network = known->use == net::PortUse::peers && known->network != nullptr;
    return is_other_network ? text + "; --network " + known->network->name + " uses that network"
                            : text;
}

/// The first port_remedy() among the endpoints that failed without a version message.
std::string port_remedy(const FailedEndpoints& failed) {
    if (failed.endpoints.size() > kMaxNamed) return "";
    for (const net::EndpointReport& endpoint : failed.endpoints) {
        const bool has_answered = failed.greeted.contains(to_string(endpoint.endpoint));
        if (!endpoint.last_failure || has_answered || is_of_other_chain(endpoint)) continue;
        if (std::string text = port_remedy(endpoint, failed.global); !text.empty()) return text;
    }
    return "";
}

/// The advice to sync by what the nodes serve.
std::string other_source(const FailedEndpoints& failed) {
    return failed.has_auto_source ? "" : ", or use --source auto, which takes what nodes serve";
}

/// Whether the default node of regtest, on this machine, does not run.
bool lacks_local_node(const FailedEndpoints& failed) {
    const chain::NetworkParams& network = *failed.global.network;
    return network.name == "regtest" && failed.endpoints.size() == 1 &&
           failed.endpoints.front().endpoint == net::Endpoint{"127.0.0.1", network.default_port} &&
           has_failed_by(failed.endpoints.front(), net::DisconnectReason::unreachable);
}

/// A silent endpoint may be Bitcoin Core's RPC port, which waits for the end of an HTTP request.
bool any_may_be_other_service(const FailedEndpoints& failed) {
    if (failed.endpoints.size() > kMaxNamed) return false;
    return std::ranges::any_of(failed.endpoints, [&failed](const net::EndpointReport& endpoint) {
        if (!endpoint.last_failure) return false;
        const bool is_silent = endpoint.last_failure->reason == net::DisconnectReason::timed_out &&
                               !failed.greeted.contains(to_string(endpoint.endpoint)) &&
                               endpoint.endpoint.port != failed.global.network->default_port;
        return is_silent || endpoint.last_failure->reason == net::DisconnectReason::not_bitcoin;
    });
}

}  // namespace

bool is_on_other_chain(const FailedEndpoints& failed) {
    const auto is_no_evidence = [](const net::EndpointReport& endpoint) {
        return !endpoint.last_failure ||
               has_failed_by(endpoint, net::DisconnectReason::unreachable);
    };
    return !failed.may_be_served && std::ranges::any_of(failed.endpoints, is_of_other_chain) &&
           std::ranges::all_of(failed.endpoints, [&](const net::EndpointReport& endpoint) {
               return is_of_other_chain(endpoint) || is_no_evidence(endpoint);
           });
}

std::string describe(const FailedEndpoints& failed) {
    if (failed.search.offline) {
        return (failed.search.seed_lookups.have_all_failed()
                    ? lookups_text(failed.search.seed_lookups) + "; "
                    : "") +
               "nothing could be reached: this machine seems to be offline";
    }
    if (is_fault_of_proxy(failed.endpoints)) return failed.endpoints.front().last_failure->detail;
    if (failed.endpoints.empty() && failed.search.has_no_known_address &&
        failed.search.seed_lookups.have_all_failed()) {
        return "no node is known, and " + lookups_text(failed.search.seed_lookups);
    }
    const net::SeedLookups& lookups = failed.search.seed_lookups;
    const bool any_lookup = lookups.answered + lookups.unknown + lookups.unanswered > 0;
    if (failed.endpoints.empty() && failed.search.has_no_known_address && !any_lookup) {
        return "no node is known that may be dialled, and no DNS seed is asked for nodes";
    }
    if (failed.endpoints.empty() && failed.search.has_no_known_address) {
        return "no node is known that may be dialled, and no DNS seed that was asked lists any";
    }
    if (failed.endpoints.empty() && failed.search.others_have_nodes) {
        return "each node that may be dialled has got the filter of another wallet, and gets no "
               "second one in this run";
    }
    if (failed.endpoints.empty()) {
        return "no node is known that may be dialled now (" + advised("peers", failed.global) +
               " tells why)";
    }
    if (failed.endpoints.size() > kMaxNamed) return printable(counts_text(failed.endpoints), 1'000);
    std::string text;
    for (const net::EndpointReport& endpoint : failed.endpoints) {
        const auto& failure = endpoint.last_failure;
        const std::string address = to_string(endpoint.endpoint);
        text += (text.empty() ? "" : "; ") + address + " ";
        text += failure_text(endpoint, failed.global.network->name);
        // A node silently disconnects a peer of a different network. So does a service that expects
        // the first message of a different protocol.
        if (!failure || failed.greeted.contains(address)) continue;
        const bool is_gone = failure->reason == net::DisconnectReason::gone;
        if (!is_gone && failure->reason != net::DisconnectReason::timed_out) continue;
        text += is_gone ? " without a word" : "";
        text += "; is it a node of " + failed.global.network->name + "?";
    }
    return printable(text, 1'000);
}

std::string remedy(const FailedEndpoints& failed) {
    if (failed.search.offline || is_fault_of_proxy(failed.endpoints)) return "";
    const auto any_failed_by = [&failed](net::DisconnectReason reason) {
        return std::ranges::any_of(failed.endpoints, [reason](const auto& endpoint) {
            return has_failed_by(endpoint, reason);
        });
    };
    if (any_failed_by(net::DisconnectReason::no_bloom)) {
        return "; if it is yours, start Bitcoin Core with -peerbloomfilters=1, or with "
               "-whitelist=bloomfilter@ and this machine's address" +
               other_source(failed);
    }
    if (any_failed_by(net::DisconnectReason::no_compact_filters)) {
        return "; if it is yours, start Bitcoin Core with -blockfilterindex=1 and "
               "-peerblockfilters=1" +
               other_source(failed);
    }
    if (any_failed_by(net::DisconnectReason::lacks_filters)) {
        return "; if it is yours, wait until `bitcoin-cli getindexinfo` says that its basic block "
               "filter index is synced" +
               other_source(failed);
    }
    if (any_failed_by(net::DisconnectReason::upload_limit)) {
        return "; if it is yours, start Bitcoin Core with -whitelist=bloomfilter,download,mempool@ "
               "and this machine's address, or without -maxuploadtarget";
    }
    if (any_failed_by(net::DisconnectReason::pruned)) {
        return "; if it is yours, start Bitcoin Core without -prune, or let a UTXO snapshot that "
               "it has loaded be validated; --connect HOST:PORT names a node that has all blocks";
    }
    if (any_failed_by(net::DisconnectReason::ahead_of_clock)) return "; is the clock right?";
    if (any_failed_by(net::DisconnectReason::low_work) ||
        any_failed_by(net::DisconnectReason::lighter_chain) ||
        any_failed_by(net::DisconnectReason::lesser_branch)) {
        return "; " + if_made_anew(failed.global) + "; else let it sync first";
    }
    if (std::string text = port_remedy(failed); !text.empty()) return text;
    if (lacks_local_node(failed)) {
        return "; `petal regtest-node` starts a node there, --connect HOST:PORT names another";
    }
    if (!any_may_be_other_service(failed)) return "";
    const chain::NetworkParams& network = *failed.global.network;
    return "; the port of nodes of " + network.name + ", not their RPC port, is " +
           std::to_string(network.default_port) + " unless -port or -bind says otherwise";
}

std::string advice(const FailedEndpoints& failed) {
    if (failed.search.offline || is_fault_of_proxy(failed.endpoints)) return "";
    if (std::string known = remedy(failed); !known.empty()) return known;
    return failed.endpoints.empty() ? "; --connect HOST:PORT names one"
                                    : "; --connect HOST:PORT names another node";
}

}  // namespace petal::cli
