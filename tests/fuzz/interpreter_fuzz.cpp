/// Any script of each version on any stack, and any transaction as a spend of any output, by any
/// set of flags. A flag only forbids: what is valid by a set of flags is valid by fewer flags. A
/// spend that fails with assumed signatures fails with verified signatures, too.
///
/// The input has the flags and a version. Versions 0 to 2 are followed by a script and the stack's
/// items. Version 3 is followed by an output (amount, script with its size) and a transaction. Each
/// of the transaction's inputs is taken to spend that output.
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "chain/script/interpreter.h"
#include "chain/script/script_verification.h"

using namespace petal::chain;

namespace {

constexpr std::uint8_t kSpend = 3;
constexpr unsigned kFlagCount = static_cast<unsigned>(ScriptFlag::discourage_key_type) + 1;

ScriptFlags flags_of(std::uint32_t bits) {
    ScriptFlags flags;
    for (unsigned i = 0; i < kFlagCount; ++i) {
        if ((bits >> i & 1U) != 0) flags = flags | ScriptFlags{static_cast<ScriptFlag>(i)};
    }
    // These flags need others.
    if (!flags.has(ScriptFlag::p2sh)) flags = flags.without({ScriptFlag::witness});
    if (!flags.has(ScriptFlag::witness)) flags = flags.without({ScriptFlag::clean_stack});
    return flags;
}

ScriptResult verify(const SighashCache& cache, std::size_t input, const TxOutput& spent,
                    ScriptFlags flags, SignatureMode mode) {
    return verify_script(SignatureChecker{cache, input, spent, mode}, flags);
}

void run_spend(ByteReader& reader, ScriptFlags flags, ScriptFlags fewer) {
    TxOutput spent;
    spent.value = reader.read_i64();
    spent.script_pubkey = reader.read_var_bytes(reader.remaining());
    if (!reader.ok()) return;
    const auto transaction = decode_transaction(reader.rest());
    if (!transaction) return;
    const std::vector<TxOutput> all(transaction->inputs.size(), spent);
    const SighashCache cache{*transaction, all};
    for (std::size_t i = 0; i < all.size(); ++i) {
        const auto result = verify(cache, i, spent, flags, SignatureMode::verified);
        if (result) {
            assert(verify(cache, i, spent, fewer, SignatureMode::verified));
        } else {
            assert(!describe(result.error()).empty());
        }
        const bool is_standard =
            verify(cache, i, spent, kStandardFlags, SignatureMode::verified).has_value();
        assert(!is_standard || verify(cache, i, spent, kConsensusFlags, SignatureMode::verified));
        assert(!is_standard || verify(cache, i, spent, kStandardFlags, SignatureMode::assumed));
    }
}

void run_alone(ByteReader& reader, ScriptVersion version, ScriptFlags flags) {
    const ByteView script = reader.read_var_view(reader.remaining());
    std::vector<ByteView> items;
    while (reader.ok() && reader.remaining() > 0 && items.size() <= kMaxStackItems) {
        items.push_back(reader.read_var_view(reader.remaining()));
    }
    Transaction transaction;
    transaction.inputs.resize(1);
    transaction.outputs.resize(1);
    const TxOutput spent;
    const SighashCache cache{transaction, {&spent, 1}};
    const SignatureChecker checker{cache, 0, spent, SignatureMode::verified};
    TaprootSpend taproot;
    taproot.leaf_hash.emplace();
    ScriptContext context{checker, flags, version, taproot, kAdditionalWeight};
    ScriptStack stack{items};
    const auto result = run_script(context, stack, script);
    assert(!result || script.empty() || stack.size() <= kMaxStackItems);
    assert(result || !describe(result.error()).empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    ByteReader reader{{data, size}};
    const std::uint32_t bits = reader.read_u32();
    const ScriptFlags flags = flags_of(bits);
    const ScriptFlags fewer = flags_of(bits & reader.read_u32());
    const std::uint8_t version = reader.read_u8() % (kSpend + 1);
    if (!reader.ok()) return 0;
    if (version == kSpend) {
        run_spend(reader, flags, fewer);
    } else {
        run_alone(reader, static_cast<ScriptVersion>(version), flags);
    }
    return 0;
}
