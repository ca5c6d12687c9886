#include "tests/support/script_path.h"

#include <secp256k1_extrakeys.h>

#include <array>
#include <stdexcept>

#include "chain/byte_writer.h"
#include "chain/hash.h"
#include "chain/script/script.h"
#include "chain/script/signature_encoding.h"
#include "tests/support/hex.h"

namespace petal::test {

ScriptPath::ScriptPath(chain::ByteView script, std::uint8_t leaf_version) {
    const auto* const context = chain::verification_context();
    const chain::Bytes generator =
        bytes_from_hex("79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798");
    const auto leaf = chain::tapleaf_hash(leaf_version, script);
    const auto tweak =
        chain::tagged_hash("TapTweak", chain::ByteWriter{}.bytes(generator).bytes(leaf).view());
    secp256k1_xonly_pubkey internal;
    secp256k1_pubkey tweaked;
    secp256k1_xonly_pubkey output;
    int parity = 0;
    std::array<chain::Byte, 32> key{};
    const bool made =
        secp256k1_xonly_pubkey_parse(context, &internal, generator.data()) == 1 &&
        secp256k1_xonly_pubkey_tweak_add(context, &tweaked, &internal, tweak.data()) == 1 &&
        secp256k1_xonly_pubkey_from_pubkey(context, &output, &parity, &tweaked) == 1 &&
        secp256k1_xonly_pubkey_serialize(context, key.data(), &output) == 1;
    if (!made) throw std::logic_error("the tweak is out of range");
    script_pubkey = chain::witness_program_script(1, key);
    control_block = chain::ByteWriter{}
                        .u8(static_cast<std::uint8_t>(leaf_version + parity))
                        .bytes(generator)
                        .take();
}

}  // namespace petal::test
