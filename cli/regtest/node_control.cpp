#include "cli/regtest/node_control.h"

#include <charconv>
#include <sstream>

#include "cli/amount.h"
#include "cli/command_error.h"
#include "cli/text.h"
#include "wallet/descriptors/address.h"

namespace petal::cli {
namespace {

constexpr std::uint32_t kMaxBlocksAtOnce = 10'000;

std::vector<std::string> split(std::string_view line) {
    std::istringstream stream{std::string(line)};
    std::vector<std::string> words;
    std::string word;
    while (stream >> word) words.push_back(word);
    return words;
}

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
    try {
        const std::vector<std::string> words = split(line);
        const std::string command = words.empty() ? "" : words.front();
        if (command == "status" && words.size() == 1) return status();
        if (command == "mine" && words.size() <= 3) return mine(words);
        if (command == "pay" && words.size() == 3) return pay(words);
        if (command == "reorganise" && words.size() == 2) return reorganise(words);
        throw wrong(
            "the commands are: mine [COUNT] [ADDRESS], pay ADDRESS AMOUNT, "
            "reorganise DEPTH, status");
    } catch (const CommandError& error) {
        return error_json(error);
    } catch (const std::invalid_argument& error) {  // the chain's own rules
        return error_json({ExitStatus::failed, "refused", error.what()});
    }
}

Json NodeControl::status() {
    const std::size_t connections = node_.connection_count();
    return node_.with_chain([connections](net::RegtestChain& chain) -> Json {
        return {{"height", chain.height()},
                {"tip", chain.tip().to_hex()},
                {"mempool", chain.mempool().size()},
                {"connections", connections}};
    });
}

Json NodeControl::mine(const std::vector<std::string>& words) {
    const std::uint32_t count = words.size() > 1 ? parse_count(words[1]) : 1;
    const chain::Bytes script = words.size() > 2 ? parse_script(words[2]) : chain::Bytes{};
    node_.with_chain([&](net::RegtestChain& chain) { chain.mine(count, script); });
    return status();
}

Json NodeControl::pay(const std::vector<std::string>& words) {
    const chain::Bytes script = parse_script(words[1]);
    const auto amount = parse_amount(words[2]);
    if (!amount || *amount == 0) {
        throw wrong("not an amount: " + printable(words[2], 60));
    }
    const chain::Txid txid =
        node_.with_chain([&](net::RegtestChain& chain) { return chain.pay(script, *amount); });
    Json json = {{"txid", txid.to_hex()}};
    json.update(status());
    return json;
}

Json NodeControl::reorganise(const std::vector<std::string>& words) {
    const std::uint32_t depth = parse_count(words[1]);
    node_.with_chain([depth](net::RegtestChain& chain) {
        if (depth >= chain.height()) throw wrong("the chain is not that long");
        chain.reorganise(chain.height() - depth, depth + 1);
    });
    return status();
}

}  // namespace petal::cli
