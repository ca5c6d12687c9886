/// A taproot output that a script can spend.
#pragma once

#include <cstdint>

#include "chain/bytes.h"
#include "chain/script/taproot.h"

namespace petal::test {

/// The output whose only leaf is a script. The internal key is the generator of the curve, the
/// public key of the private key 1.
struct ScriptPath {
    explicit ScriptPath(chain::ByteView script,
                        std::uint8_t leaf_version = chain::kTapscriptVersion);

    chain::Bytes script_pubkey;
    chain::Bytes control_block;  ///< the last item of the witness, after the script
};

}  // namespace petal::test
