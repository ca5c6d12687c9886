#include "cli/regtest/node_control.h"

#include <algorithm>
#include <charconv>
#include <iterator>

#include "chain/script/dust.h"
#include "cli/amount.h"
#include "cli/command_error.h"
#include "cli/regtest/command_words.h"
#include "cli/rpc/json_text.h"
#include "cli/rpc/rpc_method.h"
#include "cli/text.h"
#include "wallet/descriptors/address.h"

namespace petal::cli {
namespace {

constexpr std::uint32_t kMaxBlocksAtOnce = 10'000;
constexpr std::string_view kOwnCommands[] = {"mine",       "pay",   "submit", "reorg", "reorganise",
                                             "reorganize", "fault", "status", "help",  "quit"};
constexpr const char* kCommands =
    "the commands are: mine [COUNT] [ADDRESS], pay ADDRESS AMOUNT, submit HEX, reorg DEPTH (or "
    "reorganise, reorganize), fault NAME[=N],... [PEER], status, help, quit, and the methods of "
    "the RPC interface (help lists them, help METHOD says what one takes)";

CommandError wrong(const std::string& message) {
    return usage_error(message);
}

std::uint32_t parse_count(const std::string& text) {
    std::uint32_t count = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
    const bool whole = error == std::errc{} && end == text.data() + text.size();
    if (!whole || count == 0 || count > kMaxBlocksAtOnce) {
        throw wrong("not a number of blocks from 1 to 10,000: " + printable(text, 60));
    }
    return count;
}

chain::Bytes parse_script(const std::string& address) {
    auto script = wallet::parse_address(address, *chain::find_network("regtest"));
    if (!script) {
        throw CommandError(
            ExitStatus::failed, "bad-address",
            printable(address, 120) + ": " + std::string(wallet::describe(script.error())));
    }
    return *std::move(script);
}

}  // namespace

Json NodeControl::answer(std::string_view line) {
    // An error names its command, since answers may be read long after the lines were written.
    std::string prefix;
    try {
        const std::vector<std::string> words = split_words(line);
        if (!words.empty()) prefix = printable(words.front(), 60) + ": ";
        return run(words);
    } catch (const CommandError& error) {
        return error_json({error.status(), error.code(), prefix + error.what()});
    } catch (const rpc::RpcError& error) {
        Json json = error_json({ExitStatus::failed, "rpc-error", prefix + error.what()});
        json["error"]["rpc_code"] = static_cast<int>(error.code());
        return json;
    } catch (const std::exception& error) {  // the chain's own rules, and what nothing foresaw
        return error_json({ExitStatus::failed, "refused", prefix + error.what()});
    }
}

Json NodeControl::run(const std::vector<std::string>& words) {
    if (words.empty()) throw wrong("no command; " + std::string(kCommands));
    const std::string& command = words.front();
    const std::size_t arguments = words.size() - 1;
    if (command == "status" && arguments == 0) return status();
    if (command == "help" && arguments == 0) return help();
    if (command == "quit" && arguments == 0) return quit();
    if (command == "mine" && arguments <= 2) return mine(words);
    if (command == "pay" && arguments == 2) return pay(words);
    if (command == "submit" && arguments == 1) return submit(words);
    const bool reorganises =
        command == "reorganise" || command == "reorganize" || command == "reorg";
    if (reorganises && arguments == 1) return reorganise(words);
    if (command == "fault" && arguments <= 2) return fault(words);
    if (rpc::find_method(command) != nullptr) return call_rpc(words);
    const bool is_known = std::ranges::find(kOwnCommands, command) != std::end(kOwnCommands);
    throw wrong((is_known ? "wrong arguments; " : "no such command; ") + std::string(kCommands));
}

Json NodeControl::help() {
    Json methods = Json::array();
    for (const rpc::Method& method : rpc::all_methods()) methods.push_back(method.name);
    return {{"help", kCommands}, {"methods", std::move(methods)}};
}

/// `fault` alone ends all faults.
Json NodeControl::fault(std::vector<std::string> words) {
    words.front() = "setfault";
    if (words.size() == 1) words.emplace_back();
    call_rpc(words);
    return status();
}

/// As bitcoin-cli: what is no text for its parameter is JSON.
Json NodeControl::call_rpc(const std::vector<std::string>& words) {
    const rpc::Method& method = *rpc::find_method(words.front());
    Json arguments = Json::array();
    for (std::size_t i = 1; i < words.size(); ++i) {
        const bool is_text = i > method.parameters.size() ||
                             method.parameters[i - 1].kind == rpc::ArgumentKind::text;
        auto value = is_text ? std::nullopt : rpc::parse_bounded(words[i]);
        arguments.push_back(value ? *std::move(value) : Json(words[i]));
    }
    return with_node([&](rpc::RpcNode& node) -> Json {
        return {{"result", rpc::call_method(node, method.name, arguments)}};
    });
}

Json NodeControl::with_node(const std::function<Json(rpc::RpcNode&)>& task) {
    Json result;
    node_.run([&](net::RegtestChain& chain, net::NodePeers& peers) {
        rpc::RpcNode node{chain, peers, settings_};
        result = task(node);
    });
    return result;
}

Json NodeControl::quit() {
    wants_to_quit_ = true;
    return status();
}

void NodeControl::mine_blocks(std::uint32_t count, const chain::Bytes& script) {
    with_node([&](rpc::RpcNode& node) {
        node.set_block_time();
        node.chain.mine(count, script);
        return Json();
    });
}

Json NodeControl::status() {
    const std::size_t connections = node_.connection_count();
    return node_.with_chain([connections](net::RegtestChain& chain) -> Json {
        return {{"height", chain.height()},
                {"tip", chain.tip().to_hex()},
                {"mempool", chain.mempool().transactions().size()},
                {"connections", connections}};
    });
}

Json NodeControl::mine(const std::vector<std::string>& words) {
    const std::uint32_t count = words.size() > 1 ? parse_count(words[1]) : 1;
    const chain::Bytes script = words.size() > 2 ? parse_script(words[2]) : chain::Bytes{};
    mine_blocks(count, script);
    return status();
}

Json NodeControl::pay(const std::vector<std::string>& words) {
    const chain::Bytes script = parse_script(words[1]);
    const auto amount = parse_amount(words[2]);
    if (!amount || *amount == 0) {
        throw wrong("not an amount: " + printable(words[2], 60));
    }
    if (*amount < chain::dust_threshold(script)) {
        throw CommandError(ExitStatus::failed, "refused",
                           std::string(describe(net::RejectReason::dust)));
    }
    Json json = with_node([&](rpc::RpcNode& node) -> Json {
        const auto txid = node.chain.offer_payment({{*amount, script}}, node.settings.policy);
        if (!txid) throw CommandError(ExitStatus::failed, "refused", describe(txid.error()));
        return {{"txid", txid->to_hex()}};
    });
    json.update(status());
    return json;
}

Json NodeControl::submit(const std::vector<std::string>& words) {
    const auto bytes = chain::from_hex(words[1]);
    const auto transaction = bytes ? chain::decode_transaction(*bytes)
                                   : chain::Unexpected(chain::DecodeError::invalid_value);
    if (!transaction) {
        throw CommandError(ExitStatus::failed, "bad-transaction", "no transaction in hex");
    }
    Json json = with_node([&](rpc::RpcNode& node) -> Json {
        const auto txid = node.chain.offer(*transaction, node.settings.policy);
        if (!txid) throw CommandError(ExitStatus::failed, "refused", describe(txid.error()));
        return {{"txid", txid->to_hex()}};
    });
    json.update(status());
    return json;
}

Json NodeControl::reorganise(const std::vector<std::string>& words) {
    const std::uint32_t depth = parse_count(words[1]);
    with_node([&](rpc::RpcNode& node) {
        const std::uint32_t height = node.chain.height();
        if (depth >= height) throw wrong("the chain is not that long");
        node.set_block_time();
        node.chain.reorganise(height - depth, depth + 1);
        return Json();
    });
    return status();
}

}  // namespace petal::cli
