// bitcoin.conf and the arguments of petal-bitcoind: for any text, the settings are read or refused
// with an explanation.
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "regtest/front/config_text.h"
#include "regtest/front/node_options.h"
#include "regtest/front/option_table.h"
#include "regtest/front/settings.h"

namespace {

using namespace petal::regtest::front;

/// The first lines up to an empty line are arguments, and the others are the file.
std::vector<std::string> take_arguments(std::string_view& text) {
    std::vector<std::string> arguments;
    while (!text.empty()) {
        const auto end = text.find('\n');
        const std::string_view line = text.substr(0, end);
        text = end == text.npos ? std::string_view{} : text.substr(end + 1);
        if (line.empty()) break;
        arguments.emplace_back(line);
    }
    return arguments;
}

/// Each line that counts is in the text, and the values of an option agree with each other.
void check_settings(const Settings& settings) {
    for (const std::string& name : settings.names()) {
        assert(find_option(name) != nullptr);
        const auto text = settings.text(name);
        assert(settings.is_set(name) || !text);
        assert(!(settings.is_negated(name) && text));
        const auto list = settings.list(name);
        assert(!text || !list.empty());
        assert(settings.boolean(name, false) <= settings.is_set(name));
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string_view text(reinterpret_cast<const char*>(data), size);
    auto settings = Settings::parse(take_arguments(text));
    if (!settings) {
        assert(!settings.error().empty());
        return 0;
    }
    const auto config = parse_config(text);
    if (!config) {
        assert(!config.error().empty());
        return 0;
    }
    for (const auto& line : config->lines) assert(text.find(line.value) != text.npos);
    if (!settings->add(*config)) return 0;
    check_settings(*settings);
    const auto chain = settings->chain();
    assert(chain || !chain.error().empty());
    const auto options = read_node_options(*settings, "/data/regtest");
    if (!options) {
        assert(!options.error().empty());
        return 0;
    }
    // The RPC interface is never beyond loopback without addresses that may use it.
    assert(options->rpc.binds.empty() || settings->is_set("rpcallowip"));
    assert(options->user_agent.size() <= 256);
    return 0;
}
