/// Untrusted message signatures, for an address of each type.
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "chain/bytes.h"
#include "chain/script/script.h"
#include "wallet/spending/message.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace petal;
    static const std::vector<chain::Bytes> scripts{
        chain::p2pkh_script({}),
        chain::p2sh_script({}),
        chain::p2wpkh_script({}),
        chain::witness_program_script(0, std::array<chain::Byte, 32>{}),
        chain::witness_program_script(1, std::array<chain::Byte, 32>{2}),
    };
    if (size == 0) return 0;
    const chain::Bytes& script = scripts.at(data[0] % scripts.size());
    const std::string text(reinterpret_cast<const char*>(data + 1), size - 1);
    static_cast<void>(wallet::verify_message("", script, text));
    // Gets past the base64 decoding, in each format.
    const std::string encoded = chain::to_base64({data + 1, size - 1});
    for (const char* const prefix : {"", "smp", "ful"}) {
        static_cast<void>(wallet::verify_message("", script, prefix + encoded));
    }
    return 0;
}
