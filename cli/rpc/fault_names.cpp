#include "cli/rpc/fault_names.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>

#include "chain/enum_table.h"

namespace petal::cli::rpc {
namespace {

constexpr std::uint32_t kMaxSlowness = 60'000;

/// The kinds of faults by which blocks are served; a pause has no name, as `slow` is one.
std::string_view name_of(net::FaultKind kind) {
    using enum net::FaultKind;
    static constexpr auto kFaultNames = chain::enum_table<net::FaultKind, std::string_view>({
        {withhold_transaction, "withhold-transaction"},
        {omit_match, "omit-transaction"},
        {add_match, "add-transaction"},
        {swap_transactions, "wrong-order"},
        {send_unmatched, "unproven-transaction"},
        {corrupt_proof, "wrong-root"},
        {foreign_proof, "foreign-header"},
        {garbage, "garbage"},
        {pause, ""},
        {stall, "stall"},
        {hang_up, "disconnect-at-block"},
    });
    return kFaultNames[kind];
}

constexpr auto kLastKind = net::FaultKind::hang_up;

std::optional<net::FaultKind> kind_named(std::string_view name) {
    for (std::uint8_t i = 0; i <= static_cast<std::uint8_t>(kLastKind); ++i) {
        const auto kind = static_cast<net::FaultKind>(i);
        if (!name.empty() && name_of(kind) == name) return kind;
    }
    return std::nullopt;
}

struct NamedFault {
    std::string_view name;
    std::optional<std::uint32_t> number;
};

/// Empty for a number that is none.
std::optional<NamedFault> split_fault(std::string_view text) {
    const auto sign = text.find('=');
    NamedFault fault{text.substr(0, sign), std::nullopt};
    if (sign == std::string_view::npos) return fault;
    const std::string_view digits = text.substr(sign + 1);
    std::uint32_t number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
    fault.number = number;
    return fault;
}

/// Faults of the whole node. False for none of this name, or with a number that it does not have.
bool add_node_fault(net::NodeBehaviour& behaviour, const NamedFault& fault) {
    if (fault.name == "slow") {
        if (!fault.number || *fault.number > kMaxSlowness) return false;
        behaviour.block_time = std::chrono::milliseconds{*fault.number};
        return true;
    }
    if (fault.name == "silent") {
        behaviour.silent_after = fault.number.value_or(0);
        return true;
    }
    if (fault.name == "disconnect") {
        behaviour.hangs_up_after = fault.number.value_or(0);
        return true;
    }
    if (fault.number) return false;
    if (fault.name == "no-bloom") {
        behaviour.services &= ~net::kNodeBloom;
    } else if (fault.name == "pruned") {
        behaviour.services &= ~net::kNodeNetwork;
    } else if (fault.name == "blocks-only") {
        behaviour.takes_transactions = false;
    } else {
        return false;
    }
    return true;
}

bool add_fault(net::NodeBehaviour& behaviour, std::string_view text) {
    const auto fault = split_fault(text);
    if (!fault) return false;
    const auto kind = kind_named(fault->name);
    if (!kind) return add_node_fault(behaviour, *fault);
    net::Fault planned;
    planned.kind = *kind;
    planned.after_blocks = fault->number.value_or(0);
    behaviour.faults.push_back(planned);
    return true;
}

}  // namespace

std::string add_faults(net::NodeBehaviour& behaviour, std::string_view list) {
    if (list.empty()) return "";
    for (;;) {
        const auto comma = list.find(',');
        const std::string_view text = list.substr(0, comma);
        if (!add_fault(behaviour, text)) return "no such fault: " + std::string(text);
        if (comma == std::string_view::npos) return "";
        list.remove_prefix(comma + 1);
    }
}

bool changes_handshake(const net::NodeBehaviour& behaviour, const net::NodeBehaviour& honest) {
    return behaviour.services != honest.services ||
           behaviour.takes_transactions != honest.takes_transactions;
}

std::string fault_help() {
    std::string help;
    const auto add_line = [&help](std::string_view name, std::string_view what) {
        const std::string padding(name.size() < 24 ? 24 - name.size() : 1, ' ');
        help += "  " + std::string(name) + padding + std::string(what) + "\n";
    };
    for (std::uint8_t i = 0; i <= static_cast<std::uint8_t>(kLastKind); ++i) {
        const auto kind = static_cast<net::FaultKind>(i);
        if (name_of(kind).empty()) continue;
        add_line(std::string(name_of(kind)) + "[=N]", describe(kind));
    }
    add_line("silent[=N]", "says nothing after N messages of the peer");
    add_line("disconnect[=N]", "hangs up after N messages of the peer");
    add_line("slow=MS", "takes this long for each block");
    add_line("no-bloom", "offers no Bloom filters");
    add_line("pruned", "says that it has only the last blocks");
    add_line("blocks-only", "takes and relays no transactions");
    return help;
}

}  // namespace petal::cli::rpc
