#include "chain/script/dust.h"

#include "chain/byte_writer.h"
#include "chain/script/script.h"
#include "chain/transaction_rules.h"

namespace petal::chain {

Satoshis dust_threshold(ByteView script_pubkey) {
    constexpr Satoshis kDustFeeRate = 3'000;
    if (is_unspendable(script_pubkey)) return 0;
    // The size of the spending input: an outpoint, a sequence number, a signature and a key. In
    // segwit, signature and key count a quarter.
    constexpr std::size_t kSignatureAndKey = 107;
    const bool has_program = !witness_program(script_pubkey).empty();
    const std::size_t output_bytes =
        8 + compact_size_bytes(script_pubkey.size()) + script_pubkey.size();
    const std::size_t input_bytes =
        32 + 4 + 1 + (has_program ? kSignatureAndKey / 4 : kSignatureAndKey) + 4;
    return fee_at_rate(kDustFeeRate, output_bytes + input_bytes);
}

}  // namespace petal::chain
