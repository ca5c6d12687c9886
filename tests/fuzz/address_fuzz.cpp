/// Untrusted addresses: an accepted address is written back as it was read.
#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "wallet/descriptors/address.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    std::string lower = text;
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    for (const auto& network : petal::chain::all_networks()) {
        const auto script = petal::wallet::parse_address(text, network);
        if (!script) continue;
        const std::string again = petal::wallet::address_of(*script, network);
        if (again != text && again != lower) std::abort();
    }
    // Any bytes as a script: either it has no address, or its address leads back to it.
    for (const auto& network : petal::chain::all_networks()) {
        const std::string address = petal::wallet::address_of({data, size}, network);
        if (address.empty()) continue;
        const auto script = petal::wallet::parse_address(address, network);
        if (!script || !std::equal(script->begin(), script->end(), data, data + size)) std::abort();
    }
    return 0;
}
