/// PSBTs from arbitrary bytes: an accepted PSBT is written back byte for byte, and is refused
/// without its last byte. Combining adds nothing to equal PSBTs, signing only adds records, and the
/// result of every role can be read again.
#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "chain/bytes.h"
#include "wallet/psbt/analysis.h"
#include "wallet/psbt/combining.h"
#include "wallet/psbt/finalizing.h"
#include "wallet/psbt/psbt.h"
#include "wallet/psbt/psbt_signer.h"

using petal::chain::ByteView;
using petal::wallet::Psbt;

namespace {

void expect_readable(const Psbt& psbt) {
    const auto bytes = psbt.serialize();
    const auto again = Psbt::parse(bytes);
    assert(again && again->transaction() == psbt.transaction());
}

/// Whether the first PSBT has all records of the second.
bool includes(const Psbt& psbt, const Psbt& other) {
    const auto combined = petal::wallet::combine(std::vector{psbt, other});
    return combined && combined->serialize() == psbt.serialize();
}

void try_roles(const Psbt& psbt) {
    static_cast<void>(petal::wallet::analyze(psbt));
    static_cast<void>(petal::wallet::extract(psbt));
    const auto combined = petal::wallet::combine(std::vector{psbt, psbt});
    assert(combined);
    assert(includes(*combined, psbt));
    const auto key = petal::wallet::PrivateKey::parse(petal::chain::Bytes(32, 1));
    Psbt changed = *combined;
    petal::wallet::PsbtSigner signer(changed, {}, {});
    for (std::size_t i = 0; i < changed.inputs().size(); ++i) {
        static_cast<void>(signer.sign(i, *key, {}));
    }
    assert(includes(changed, psbt));
    static_cast<void>(petal::wallet::finalize(changed));
    expect_readable(changed);
    const auto joined = petal::wallet::join(std::vector{psbt}, [] { return std::uint64_t{0}; });
    if (joined) expect_readable(*joined);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const ByteView input{data, size};
    const auto text = petal::chain::to_base64(input);
    const auto decoded = petal::chain::from_base64(text);
    assert(decoded && std::ranges::equal(*decoded, input));

    const auto psbt = Psbt::parse(input);
    if (!psbt) return 0;
    assert(std::ranges::equal(psbt->serialize(), input));
    if (size > 0) assert(!Psbt::parse(input.first(size - 1)));
    try_roles(*psbt);
    return 0;
}
