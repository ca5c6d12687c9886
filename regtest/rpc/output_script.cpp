#include "regtest/rpc/output_script.h"

#include <utility>

#include "chain/script/script.h"
#include "regtest/rpc/regtest_network.h"
#include "regtest/rpc/rpc_arguments.h"
#include "wallet/descriptors/address.h"
#include "wallet/descriptors/script_deriver.h"

namespace petal::regtest::rpc {

chain::Bytes script_of_address(const std::string& address, const std::string& message) {
    auto script = wallet::parse_address(address, regtest_network());
    if (!script) throw RpcError(RpcCode::not_found, message);
    return *std::move(script);
}

std::set<chain::Bytes> scripts_of(const Json& addresses) {
    std::set<chain::Bytes> scripts;
    for (const Json& given : addresses) {
        const std::string& address = Arguments::text_of(given);
        auto script = script_of_address(address, "Invalid Bitcoin address: " + address);
        if (scripts.insert(std::move(script)).second) continue;
        throw RpcError(RpcCode::invalid_parameter,
                       "Invalid parameter, duplicated address: " + address);
    }
    return scripts;
}

wallet::Descriptor parse_regtest_descriptor(const std::string& text, bool require_checksum) {
    wallet::DescriptorOptions options;
    options.require_checksum = require_checksum;
    auto descriptor = wallet::Descriptor::parse(text, regtest_network(), options);
    if (!descriptor) throw RpcError(RpcCode::not_found, describe(descriptor.error()));
    return *std::move(descriptor);
}

chain::Bytes script_of_descriptor(const std::string& text) {
    const auto descriptor = parse_regtest_descriptor(text, false);
    if (descriptor.path_count() > 1) {
        throw RpcError(RpcCode::invalid_parameter, "Multipath descriptor not accepted");
    }
    if (descriptor.is_range()) {
        throw RpcError(RpcCode::invalid_parameter,
                       "Ranged descriptor not accepted. Maybe pass through deriveaddresses first?");
    }
    const std::string underivable = "Cannot derive script without private keys";
    auto deriver = wallet::ScriptDeriver::create(descriptor);
    if (!deriver) throw RpcError(RpcCode::not_found, underivable);
    const auto scripts = deriver->script_pubkeys(0);
    if (!scripts) throw RpcError(RpcCode::not_found, underivable);
    // For combo(), chooses P2WPKH, or P2PKH if the key is uncompressed.
    if (scripts->size() == 1) return scripts->front();
    return scripts->at(scripts->size() == 4 ? 2 : 1);
}

IndexRange parse_range(const Json& given) {
    constexpr std::int64_t kMaxRange = 1'000'000;  // of Bitcoin Core's deriveaddresses
    const auto wrong = [](const std::string& message) {
        return RpcError(RpcCode::invalid_parameter, message);
    };
    IndexRange range;
    if (given.is_number()) {
        range.last = Arguments::whole_number(given);
    } else if (given.is_array() && given.size() == 2 && given[0].is_number() &&
               given[1].is_number()) {
        range = {Arguments::whole_number(given[0]), Arguments::whole_number(given[1])};
        if (range.first > range.last) {
            throw wrong("Range specified as [begin,end] must not have begin after end");
        }
    } else {
        throw wrong("Range must be specified as end or as [begin,end]");
    }
    if (range.first < 0) throw wrong("Range should be greater or equal than 0");
    if (range.last < 0 || range.last > 0x7fffffff) throw wrong("End of range is too high");
    if (range.last >= range.first + kMaxRange) throw wrong("Range is too large");
    if (range.last >= range.first + kMaxDerived) {
        throw wrong("Range is too large, at most 20000 at once");
    }
    return range;
}

}  // namespace petal::regtest::rpc
