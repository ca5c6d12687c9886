/// PSBTs from arbitrary bytes: an accepted PSBT is written back byte for byte, and is refused
/// without its last byte. Signing only adds records, the result of every role can be read again,
/// and the extracted transaction is the unsigned one with scripts and witnesses.
///
/// Two PSBTs of one transaction are combined in both orders. The input either has both PSBTs, one
/// after the other, or one whose records are divided between the two.
#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "chain/bytes.h"
#include "chain/transaction_rules.h"
#include "wallet/psbt/analysis.h"
#include "wallet/psbt/combining.h"
#include "wallet/psbt/finalizing.h"
#include "wallet/psbt/psbt.h"
#include "wallet/psbt/psbt_signer.h"

using petal::chain::ByteView;
using petal::wallet::Psbt;
using petal::wallet::PsbtMap;

namespace {

void expect_readable(const Psbt& psbt) {
    const auto bytes = psbt.serialize();
    const auto again = Psbt::parse(bytes);
    assert(again && again->transaction() == psbt.transaction());
}

using Records = std::map<petal::chain::Bytes, petal::chain::Bytes>;

Records records_of(const PsbtMap& map) {
    Records records;
    for (const auto& record : map.records()) records.emplace(record.key, record.value);
    return records;
}

/// Whether each two maps of the PSBTs do.
bool all_maps(const Psbt& a, const Psbt& b, bool (*agree)(const PsbtMap&, const PsbtMap&)) {
    return agree(a.global(), b.global()) && std::ranges::equal(a.inputs(), b.inputs(), agree) &&
           std::ranges::equal(a.outputs(), b.outputs(), agree);
}

bool have_same_records(const PsbtMap& a, const PsbtMap& b) {
    return records_of(a) == records_of(b);
}

/// Whether the first PSBT has all records of the second. The order of the combined records may be
/// another one.
bool includes(const Psbt& psbt, const Psbt& other) {
    const auto combined = petal::wallet::combine(std::vector{psbt, other});
    return combined && all_maps(*combined, psbt, have_same_records);
}

/// Whether the finalizer must keep a record of an input: UTXOs, final scripts, what version 2
/// needs, and unknown records (BIP174, BIP370).
bool stays_after_finalizing(petal::chain::Byte type) {
    constexpr std::array<petal::chain::Byte, 9> kStaying{0x00, 0x01, 0x07, 0x08, 0x0e,
                                                         0x0f, 0x10, 0x11, 0x12};
    return type > 0x1c || std::ranges::find(kStaying, type) != kStaying.end();
}

/// All records of two maps; of two with one key, the first map's.
Records all_records(const PsbtMap& first, const PsbtMap& second) {
    Records all = records_of(first);
    all.merge(records_of(second));
    return all;
}

/// The same for inputs. A final one needs no records for signing any more.
Records all_input_records(const PsbtMap& first, const PsbtMap& second) {
    Records all = all_records(first, second);
    if (all.contains({0x07}) || all.contains({0x08})) {
        std::erase_if(
            all, [](const auto& record) { return !stays_after_finalizing(record.first.front()); });
    }
    return all;
}

/// Whether both maps have the same signatures and final scripts. A wrong one of two gives way.
bool are_signed_alike(const PsbtMap& first, const PsbtMap& second) {
    const auto signing_records = [](const PsbtMap& map) {
        Records records = records_of(map);
        std::erase_if(records, [](const auto& record) {
            const auto type = record.first.front();
            return type != 0x02 && type != 0x07 && type != 0x08 && type != 0x13;
        });
        return records;
    };
    return signing_records(first) == signing_records(second);
}

/// Whether combining succeeds; then the result has the records that it should have.
bool check_combined(const Psbt& first, const Psbt& second) {
    const auto combined = petal::wallet::combine(std::vector{first, second});
    if (!combined) {
        assert(combined.error().psbt == 1);
        return false;
    }
    assert(first.transaction() == second.transaction());
    assert(combined->transaction() == first.transaction());
    assert(records_of(combined->global()) == all_records(first.global(), second.global()));
    for (std::size_t i = 0; i < first.inputs().size(); ++i) {
        const auto expected = all_input_records(first.inputs()[i], second.inputs()[i]);
        const bool is_alike = are_signed_alike(first.inputs()[i], second.inputs()[i]);
        if (is_alike) assert(records_of(combined->inputs()[i]) == expected);
    }
    for (std::size_t i = 0; i < first.outputs().size(); ++i) {
        const auto expected = all_records(first.outputs()[i], second.outputs()[i]);
        assert(records_of(combined->outputs()[i]) == expected);
    }
    expect_readable(*combined);
    return true;
}

/// Whether the maps have no key with two values.
bool agree(const PsbtMap& a, const PsbtMap& b) {
    return all_records(a, b) == all_records(b, a);
}

/// Returns whether the PSBTs could be combined in the first order.
bool combine_both_ways(const Psbt& a, const Psbt& b) {
    const bool is_combined = check_combined(a, b);
    const bool is_combined_again = check_combined(b, a);
    if (all_maps(a, b, agree)) assert(is_combined == is_combined_again);
    return is_combined;
}

enum class MapPlace : std::uint8_t { global, input, output };

/// Whether a version of PSBT demands the record.
bool is_demanded(const petal::wallet::PsbtRecord& record, MapPlace place) {
    switch (place) {
        case MapPlace::global:
            return record.type() <= 0x06 || record.type() == 0xfb;
        case MapPlace::input:
            return record.type() == 0x0e || record.type() == 0x0f;
        case MapPlace::output:
            break;
    }
    return record.type() == 0x03 || record.type() == 0x04;
}

/// Removes a fourth of the records, chosen by their content; another fourth for the other share.
void keep_share(PsbtMap& map, MapPlace place, unsigned share) {
    map.keep_if([&](const petal::wallet::PsbtRecord& record) {
        unsigned sum = 0;
        for (const auto byte : record.key) sum += byte;
        for (const auto byte : record.value) sum += byte;
        return sum % 4 != share || is_demanded(record, place);
    });
}

auto share_of(const Psbt& psbt, unsigned share) {
    PsbtMap global = psbt.global();
    auto inputs = psbt.inputs();
    auto outputs = psbt.outputs();
    keep_share(global, MapPlace::global, share);
    for (PsbtMap& map : inputs) keep_share(map, MapPlace::input, share);
    for (PsbtMap& map : outputs) keep_share(map, MapPlace::output, share);
    return Psbt::assemble(std::move(global), std::move(inputs), std::move(outputs));
}

void combine_shares(const Psbt& psbt) {
    const auto a = share_of(psbt, 0);
    const auto b = share_of(psbt, 1);
    if (!a || !b) return;
    const bool is_combined = combine_both_ways(*a, *b);
    // In version 2, the lock times are records of the inputs: without one it is another
    // transaction.
    if (psbt.version() == 0) assert(is_combined);
}

/// Two PSBTs that follow each other.
void combine_pair(ByteView input) {
    constexpr std::array<petal::chain::Byte, 5> kMagic{'p', 's', 'b', 't', 0xff};
    if (input.size() < kMagic.size()) return;
    const auto rest = input.subspan(kMagic.size());
    const auto found = std::search(rest.begin(), rest.end(), kMagic.begin(), kMagic.end());
    if (found == rest.end()) return;
    const auto at = kMagic.size() + static_cast<std::size_t>(found - rest.begin());
    const auto a = Psbt::parse(input.first(at));
    const auto b = Psbt::parse(input.subspan(at));
    if (a && b) combine_both_ways(*a, *b);
}

/// Whether a transaction could be extracted; then it is the unsigned one but for what signs it.
bool check_extracted(const Psbt& psbt) {
    auto extracted = petal::wallet::extract(psbt);
    if (!extracted) return false;
    for (auto& input : extracted->inputs) {
        input.script_sig.clear();
        input.witness.clear();
    }
    assert(*extracted == psbt.transaction());
    return true;
}

void check_finalized(Psbt psbt) {
    // Scripts that are final in the input are not judged before they are extracted.
    const bool is_final = std::ranges::any_of(
        psbt.inputs(), [](const PsbtMap& map) { return map.has(0x07) || map.has(0x08); });
    const auto errors = petal::wallet::finalize(psbt);
    expect_readable(psbt);
    const bool is_extracted = check_extracted(psbt);
    if (!errors.empty()) assert(!is_extracted);
    const bool is_valid = petal::chain::check_transaction(psbt.transaction()).has_value();
    if (errors.empty() && !is_final && is_valid) assert(is_extracted);
}

void try_roles(const Psbt& psbt) {
    static_cast<void>(petal::wallet::analyze(psbt));
    check_extracted(psbt);
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
    expect_readable(changed);
    check_finalized(changed);
    combine_both_ways(psbt, changed);
    combine_shares(changed);
    const auto joined = petal::wallet::join(std::vector{psbt}, [] { return std::uint64_t{0}; });
    if (joined) expect_readable(*joined);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const ByteView input{data, size};
    const auto text = petal::chain::to_base64(input);
    const auto decoded = petal::chain::from_base64(text);
    assert(decoded && std::ranges::equal(*decoded, input));

    combine_pair(input);
    const auto psbt = Psbt::parse(input);
    if (!psbt) return 0;
    assert(std::ranges::equal(psbt->serialize(), input));
    if (size > 0) assert(!Psbt::parse(input.first(size - 1)));
    try_roles(*psbt);
    return 0;
}
