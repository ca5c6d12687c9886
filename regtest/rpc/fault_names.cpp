#include "regtest/rpc/fault_names.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <iterator>
#include <optional>

#include "chain/bytes.h"
#include "chain/enum_table.h"

namespace petal::regtest::rpc {
namespace {

constexpr std::uint32_t kMaxSlowness = 60'000;

/// A fault that occurs when a block is served.
struct FaultRow {
    std::string_view name;              ///< empty for `pause`, which only tests use
    bool can_name_transaction = false;  ///< may be limited to one transaction
};

constexpr auto kBlockFaults = chain::enum_table<FaultKind, FaultRow>({
    {FaultKind::withhold_transaction, {"withhold-transaction", true}},
    {FaultKind::omit_match, {"omit-transaction", true}},
    {FaultKind::add_match, {"add-transaction", true}},
    {FaultKind::swap_transactions, {"wrong-order"}},
    {FaultKind::send_unmatched, {"unproven-transaction"}},
    {FaultKind::corrupt_proof, {"wrong-root"}},
    {FaultKind::foreign_proof, {"foreign-header"}},
    {FaultKind::garbage, {"garbage"}},
    {FaultKind::pause, {""}},
    {FaultKind::stall, {"stall"}},
    {FaultKind::hang_up, {"disconnect-at-block"}},
    {FaultKind::wrong_filter, {"wrong-filter"}},
    {FaultKind::wrong_filter_header, {"wrong-filter-header"}},
    {FaultKind::withhold_filter, {"withhold-filter"}},
    {FaultKind::wrong_filter_checkpoint, {"wrong-filter-checkpoint"}},
});

std::optional<FaultKind> kind_named(std::string_view name) {
    if (name.empty()) return std::nullopt;
    return kBlockFaults.find(&FaultRow::name, name);
}

/// The kind of value after a fault's name.
enum class FaultNumber : std::uint8_t { none, optional, milliseconds };

/// A fault that does not depend on served blocks.
struct NodeFault {
    std::string_view name;
    FaultNumber number;
    void (*add)(NodeBehaviour& behaviour, std::uint32_t number);
    std::string_view text;
};

constexpr NodeFault kNodeFaults[] = {
    {"silent", FaultNumber::optional,
     [](NodeBehaviour& behaviour, std::uint32_t number) { behaviour.silent_after = number; },
     "sends nothing after N messages of the peer"},
    {"disconnect", FaultNumber::optional,
     [](NodeBehaviour& behaviour, std::uint32_t number) { behaviour.hangs_up_after = number; },
     "disconnects after N messages of the peer"},
    {"slow", FaultNumber::milliseconds,
     [](NodeBehaviour& behaviour, std::uint32_t number) {
         behaviour.block_time = std::chrono::milliseconds{number};
     },
     "takes this long for each block"},
    {"other-chain", FaultNumber::optional,
     [](NodeBehaviour& behaviour, std::uint32_t number) {
         behaviour.forks_after = number;
         behaviour.services |= net::kNodeOtherHeaders;
     },
     "after block N, has headers of 164 bytes, as a fork has"},
    {"no-bloom", FaultNumber::none,
     [](NodeBehaviour& behaviour, std::uint32_t) { behaviour.services &= ~net::kNodeBloom; },
     "offers no Bloom filters"},
    {"no-compact-filters", FaultNumber::none,
     [](NodeBehaviour& behaviour, std::uint32_t) {
         behaviour.services &= ~net::kNodeCompactFilters;
     },
     "offers no compact block filters"},
    {"pruned", FaultNumber::none,
     [](NodeBehaviour& behaviour, std::uint32_t) { behaviour.services &= ~net::kNodeNetwork; },
     "has only the last 288 blocks"},
    {"blocks-only", FaultNumber::none,
     [](NodeBehaviour& behaviour, std::uint32_t) { behaviour.takes_transactions = false; },
     "accepts and relays no transactions"},
};

/// Adds a fault that occurs when a block is served. `value`, if given, is N or TXID.
std::string add_block_fault(NodeBehaviour& behaviour, FaultKind kind,
                            std::optional<std::string_view> value) {
    const auto& [name, can_name_transaction] = kBlockFaults[kind];
    Fault fault;
    fault.kind = kind;
    if (value && can_name_transaction) fault.transaction = chain::Txid::from_hex(*value);
    if (value && !fault.transaction) {
        const auto number = chain::parse_number<std::uint32_t>(*value);
        if (!number) {
            return std::string(name) + (can_name_transaction ? " needs a whole number or a txid"
                                                             : "=N needs a whole number");
        }
        fault.after_blocks = *number;
    }
    behaviour.faults.push_back(fault);
    return "";
}

std::string add_node_fault(NodeBehaviour& behaviour, const NodeFault& fault,
                           std::optional<std::string_view> value) {
    const std::string name(fault.name);
    const auto number = chain::parse_number<std::uint32_t>(value.value_or(""));
    if (fault.number == FaultNumber::none && value) return name + " takes no number";
    if (fault.number == FaultNumber::milliseconds && (!number || *number > kMaxSlowness)) {
        return name + " needs milliseconds from 0 to 60,000, as in " + name + "=200";
    }
    if (value && !number) return name + "=N needs a whole number";
    fault.add(behaviour, number.value_or(0));
    return "";
}

/// All fault names, separated by commas.
std::string fault_names() {
    std::string names;
    const auto add = [&names](std::string_view name) {
        if (!name.empty()) names.append(names.empty() ? "" : ", ").append(name);
    };
    for (std::size_t i = 0; i < kBlockFaults.size(); ++i) {
        add(kBlockFaults[static_cast<FaultKind>(i)].name);
    }
    for (const NodeFault& fault : kNodeFaults) add(fault.name);
    return names;
}

/// Returns the error. Empty if there is none.
std::string add_fault(NodeBehaviour& behaviour, std::string_view text) {
    const auto sign = text.find('=');
    const std::string_view name = text.substr(0, sign);
    std::optional<std::string_view> value;
    if (sign != text.npos) value = text.substr(sign + 1);
    if (const auto kind = kind_named(name)) return add_block_fault(behaviour, *kind, value);
    const auto* const of_node = std::ranges::find(kNodeFaults, name, &NodeFault::name);
    if (of_node == std::end(kNodeFaults)) {
        return "no such fault: " + std::string(name) + "; the faults are " + fault_names();
    }
    return add_node_fault(behaviour, *of_node, value);
}

}  // namespace

std::string add_faults(NodeBehaviour& behaviour, std::string_view list) {
    if (list.empty()) return "";
    for (;;) {
        const auto comma = list.find(',');
        if (auto wrong = add_fault(behaviour, list.substr(0, comma)); !wrong.empty()) return wrong;
        if (comma == std::string_view::npos) return "";
        list.remove_prefix(comma + 1);
    }
}

bool changes_handshake(const NodeBehaviour& behaviour, const NodeBehaviour& honest) {
    return behaviour.services != honest.services ||
           behaviour.takes_transactions != honest.takes_transactions;
}

std::string fault_help() {
    std::string help;
    const auto add_line = [&help](std::string_view name, std::string_view what) {
        const std::string padding(name.size() < 30 ? 30 - name.size() : 2, ' ');
        help += "  " + std::string(name) + padding + std::string(what) + "\n";
    };
    for (std::size_t i = 0; i < kBlockFaults.size(); ++i) {
        const auto kind = static_cast<FaultKind>(i);
        const auto& [name, can_name_transaction] = kBlockFaults[kind];
        if (name.empty()) continue;
        add_line(std::string(name) + (can_name_transaction ? "[=N|TXID]" : "[=N]"), describe(kind));
    }
    static constexpr auto kSuffixes = chain::enum_table<FaultNumber, std::string_view>({
        {FaultNumber::none, ""},
        {FaultNumber::optional, "[=N]"},
        {FaultNumber::milliseconds, "=MS"},
    });
    for (const NodeFault& fault : kNodeFaults) {
        add_line(std::string(fault.name) + std::string(kSuffixes[fault.number]), fault.text);
    }
    return help;
}

}  // namespace petal::regtest::rpc
