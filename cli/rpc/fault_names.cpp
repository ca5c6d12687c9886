#include "cli/rpc/fault_names.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <iterator>
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

/// What stands behind a fault's name.
enum class FaultNumber : std::uint8_t { none, optional, milliseconds };

/// A fault of the whole node, not of the blocks that it serves.
struct NodeFault {
    std::string_view name;
    FaultNumber number;
    void (*add)(net::NodeBehaviour& behaviour, std::uint32_t number);
    std::string_view text;
};

constexpr NodeFault kNodeFaults[] = {
    {"silent", FaultNumber::optional,
     [](net::NodeBehaviour& behaviour, std::uint32_t number) { behaviour.silent_after = number; },
     "says nothing after N messages of the peer"},
    {"disconnect", FaultNumber::optional,
     [](net::NodeBehaviour& behaviour, std::uint32_t number) { behaviour.hangs_up_after = number; },
     "hangs up after N messages of the peer"},
    {"slow", FaultNumber::milliseconds,
     [](net::NodeBehaviour& behaviour, std::uint32_t number) {
         behaviour.block_time = std::chrono::milliseconds{number};
     },
     "takes this long for each block"},
    {"no-bloom", FaultNumber::none,
     [](net::NodeBehaviour& behaviour, std::uint32_t) { behaviour.services &= ~net::kNodeBloom; },
     "offers no Bloom filters"},
    {"pruned", FaultNumber::none,
     [](net::NodeBehaviour& behaviour, std::uint32_t) { behaviour.services &= ~net::kNodeNetwork; },
     "says that it has only the last blocks"},
    {"blocks-only", FaultNumber::none,
     [](net::NodeBehaviour& behaviour, std::uint32_t) { behaviour.takes_transactions = false; },
     "takes and relays no transactions"},
};

bool parse_number(std::string_view digits, std::uint32_t& number) {
    const char* const last = digits.data() + digits.size();
    const auto [end, error] = std::from_chars(digits.data(), last, number);
    return error == std::errc{} && end == last;
}

/// Returns what is wrong; empty if nothing is.
std::string add_fault(net::NodeBehaviour& behaviour, std::string_view text) {
    const auto sign = text.find('=');
    const std::string name(text.substr(0, sign));
    const auto kind = kind_named(name);
    const auto* const of_node = std::ranges::find(kNodeFaults, name, &NodeFault::name);
    if (!kind && of_node == std::end(kNodeFaults)) return "no such fault: " + name;
    const FaultNumber wanted = kind ? FaultNumber::optional : of_node->number;
    const bool is_given = sign != text.npos;
    std::uint32_t number = 0;
    const bool is_number = is_given && parse_number(text.substr(sign + 1), number);
    if (wanted == FaultNumber::none && is_given) return name + " takes no number";
    if (wanted == FaultNumber::milliseconds && (!is_number || number > kMaxSlowness)) {
        return name + " needs milliseconds from 0 to 60,000, as in " + name + "=200";
    }
    if (is_given && !is_number) return name + "=N needs a whole number";
    if (!kind) {
        of_node->add(behaviour, number);
        return "";
    }
    net::Fault planned;
    planned.kind = *kind;
    planned.after_blocks = number;
    behaviour.faults.push_back(planned);
    return "";
}

}  // namespace

std::string add_faults(net::NodeBehaviour& behaviour, std::string_view list) {
    if (list.empty()) return "";
    for (;;) {
        const auto comma = list.find(',');
        if (auto wrong = add_fault(behaviour, list.substr(0, comma)); !wrong.empty()) return wrong;
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

}  // namespace petal::cli::rpc
