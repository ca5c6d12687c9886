#include "cli/regtest/node_control.h"

#include <algorithm>

#include "chain/bytes.h"
#include "chain/script/dust.h"
#include "cli/amount.h"
#include "cli/command_error.h"
#include "cli/regtest/command_words.h"
#include "cli/text.h"
#include "cli/wallet/address_commands.h"
#include "regtest/rpc/json_text.h"
#include "regtest/rpc/rpc_method.h"

namespace petal::cli {
namespace {

constexpr std::uint32_t kMaxBlocksAtOnce = 10'000;

CommandError wrong(const std::string& message) {
    return usage_error(message);
}

std::uint32_t parse_count(const std::string& text) {
    const auto count = chain::parse_number<std::uint32_t>(text);
    if (!count || *count == 0 || *count > kMaxBlocksAtOnce) {
        throw wrong("not a number of blocks from 1 to 10,000: " + printable(text, 60));
    }
    return *count;
}

chain::Bytes regtest_script(const std::string& address) {
    return given_script(address, *chain::find_network("regtest"));
}

}  // namespace

Json NodeControl::answer(std::string_view line) {
    // An error names its command, since answers may be read long after the lines were written.
    std::string prefix;
    try {
        const Words words = split_words(line);
        if (!words.empty()) prefix = printable(words.front(), 60) + ": ";
        return run(words);
    } catch (const CommandError& error) {
        return error_json({error.status(), error.code(), prefix + error.what()});
    } catch (const regtest::rpc::RpcError& error) {
        Json json = error_json({ExitStatus::failed, "rpc-error", prefix + error.what()});
        json["error"]["rpc_code"] = static_cast<int>(error.code());
        return json;
    } catch (const std::exception& error) {  // the chain's own checks, and unexpected errors
        return error_json({ExitStatus::failed, "refused", prefix + error.what()});
    }
}

struct NodeControl::OwnCommand {
    /// How it is written.
    std::string usage() const {
        return std::string(name) + (parameters.empty() ? "" : " ") + std::string(parameters);
    }

    std::string_view name;
    std::string_view parameters;
    std::size_t fewest;  ///< arguments
    std::size_t most;
    Json (NodeControl::*answer)(const Words& words);
};

std::span<const NodeControl::OwnCommand> NodeControl::own_commands() {
    static constexpr OwnCommand kCommands[] = {
        {"mine", "[COUNT] [ADDRESS]", 0, 2, &NodeControl::mine},
        {"pay", "ADDRESS AMOUNT", 2, 2, &NodeControl::pay},
        {"submit", "HEX", 1, 1, &NodeControl::submit},
        {"reorg", "DEPTH", 1, 1, &NodeControl::reorganise},
        {"reorganise", "DEPTH", 1, 1, &NodeControl::reorganise},
        {"reorganize", "DEPTH", 1, 1, &NodeControl::reorganise},
        {"fault", "NAME[=N|TXID],... [PEER]", 0, 2, &NodeControl::fault},
        {"status", "", 0, 0, &NodeControl::show_status},
        {"help", "[COMMAND]", 0, 1, &NodeControl::help},
        {"quit", "", 0, 0, &NodeControl::quit},
    };
    return kCommands;
}

const NodeControl::OwnCommand* NodeControl::find_own(std::string_view name) {
    const auto commands = own_commands();
    const auto found = std::ranges::find(commands, name, &OwnCommand::name);
    return found == commands.end() ? nullptr : &*found;
}

std::string NodeControl::list_commands() {
    std::string list = "the commands are: ";
    for (const OwnCommand& command : own_commands()) list += command.usage() + ", ";
    return list + "and the methods of the RPC interface (help lists them)";
}

Json NodeControl::run(const Words& words) {
    if (words.empty()) throw wrong("no command; " + list_commands());
    if (const OwnCommand* const command = find_own(words.front())) {
        const std::size_t arguments = words.size() - 1;
        if (arguments < command->fewest || arguments > command->most) {
            throw wrong("wrong arguments; usage: " + command->usage());
        }
        return (this->*command->answer)(words);
    }
    if (regtest::rpc::find_method(words.front()) != nullptr) return call_rpc(words);
    throw wrong("no such command; " + list_commands());
}

Json NodeControl::help(const Words& words) {
    if (words.size() > 1) {
        const OwnCommand* const command = find_own(words[1]);
        return command != nullptr ? Json{{"result", command->usage()}} : call_rpc(words);
    }
    Json methods = Json::array();
    for (const regtest::rpc::Method& method : regtest::rpc::all_methods())
        methods.push_back(method.name);
    return {{"help", list_commands()}, {"methods", std::move(methods)}};
}

/// `fault` without arguments ends all faults.
Json NodeControl::fault(const Words& words) {
    Words method = words;
    method.front() = "setfault";
    if (method.size() == 1) method.emplace_back();
    call_rpc(method);
    return status();
}

/// Like bitcoin-cli: a word is JSON unless its parameter takes text.
Json NodeControl::call_rpc(const Words& words) {
    const regtest::rpc::Method& method = *regtest::rpc::find_method(words.front());
    Json arguments = Json::array();
    for (std::size_t i = 1; i < words.size(); ++i) {
        const bool is_text = i > method.parameters.size() ||
                             method.parameters[i - 1].kind == regtest::rpc::ArgumentKind::text;
        auto value = is_text ? std::nullopt : regtest::rpc::parse_bounded(words[i]);
        arguments.push_back(value ? *std::move(value) : Json(words[i]));
    }
    return with_node([&](regtest::rpc::RpcNode& node) -> Json {
        return {{"result", regtest::rpc::call_method(node, method.name, arguments)}};
    });
}

Json NodeControl::with_node(const std::function<Json(regtest::rpc::RpcNode&)>& task) {
    Json result;
    node_.run([&](regtest::RegtestChain& chain, regtest::NodePeers& peers) {
        regtest::rpc::RpcNode node{chain, peers, settings_};
        result = task(node);
    });
    return result;
}

Json NodeControl::quit(const Words& /*none*/) {
    wants_to_quit_ = true;
    return status();
}

Json NodeControl::show_status(const Words& /*none*/) {
    return status();
}

void NodeControl::mine_blocks(std::uint32_t count, const chain::Bytes& script) {
    with_node([&](regtest::rpc::RpcNode& node) {
        node.set_block_time();
        node.chain.mine(count, script);
        return Json();
    });
}

Json NodeControl::status() {
    const std::size_t connections = node_.connection_count();
    return node_.with_chain([connections](regtest::RegtestChain& chain) -> Json {
        return {{"height", chain.height()},
                {"tip", chain.tip().to_hex()},
                {"mempool", chain.mempool().transactions().size()},
                {"connections", connections}};
    });
}

Json NodeControl::mine(const Words& words) {
    const std::uint32_t count = words.size() > 1 ? parse_count(words[1]) : 1;
    const chain::Bytes script = words.size() > 2 ? regtest_script(words[2]) : chain::Bytes{};
    mine_blocks(count, script);
    return status();
}

Json NodeControl::pay(const Words& words) {
    const chain::Bytes script = regtest_script(words[1]);
    const auto amount = parse_amount(words[2]);
    if (!amount || *amount == 0) {
        throw wrong("not an amount: " + printable(words[2], 60));
    }
    if (*amount < chain::dust_threshold(script)) {
        throw CommandError(ExitStatus::failed, "refused",
                           std::string(describe(regtest::RejectReason::dust)));
    }
    Json json = with_node([&](regtest::rpc::RpcNode& node) -> Json {
        const auto txid = node.chain.offer_payment({{*amount, script}}, node.settings.policy);
        if (!txid) throw CommandError(ExitStatus::failed, "refused", describe(txid.error()));
        return {{"txid", txid->to_hex()}};
    });
    json.update(status());
    return json;
}

Json NodeControl::submit(const Words& words) {
    const auto bytes = chain::from_hex(words[1]);
    const auto transaction = bytes ? chain::decode_transaction(*bytes)
                                   : chain::Unexpected(chain::DecodeError::invalid_value);
    if (!transaction) {
        throw CommandError(ExitStatus::failed, "bad-transaction", "no transaction in hex");
    }
    Json json = with_node([&](regtest::rpc::RpcNode& node) -> Json {
        const auto txid = node.chain.offer(*transaction, node.settings.policy);
        if (!txid) throw CommandError(ExitStatus::failed, "refused", describe(txid.error()));
        return {{"txid", txid->to_hex()}};
    });
    json.update(status());
    return json;
}

Json NodeControl::reorganise(const Words& words) {
    const std::uint32_t depth = parse_count(words[1]);
    with_node([&](regtest::rpc::RpcNode& node) {
        const std::uint32_t height = node.chain.height();
        if (depth >= height) throw wrong("the chain is not that long");
        node.set_block_time();
        node.chain.reorganise(height - depth, depth + 1);
        return Json();
    });
    return status();
}

}  // namespace petal::cli
