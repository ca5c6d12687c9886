/// Which transactions an embedded node's mempool accepts, and why it refuses others.
#include "regtest/mempool/acceptance.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <initializer_list>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "chain/byte_writer.h"
#include "chain/script/script.h"
#include "chain/script/signature_hash.h"
#include "regtest/chain/regtest_chain.h"
#include "tests/regtest/mempool/mempool_scene.h"
#include "tests/support/script_path.h"
#include "tests/support/signing.h"
#include "tests/support/unsigned_spend.h"

namespace petal::regtest {
namespace {

using chain::ScriptType;

/// A 1-of-2 multisig script of the owner's key and another key.
Bytes one_of_two() {
    chain::ByteWriter script;
    script.u8(0x51);
    script.bytes(chain::push_data(test::public_key_of(owner())));
    script.bytes(chain::push_data(test::public_key_of(test::private_key(3))));
    return script.u8(0x52).u8(0xae).take();
}

Bytes multisig_signature(const Transaction& transaction, bool in_p2wsh) {
    const chain::SighashCache cache{transaction};
    const auto hash = in_p2wsh ? cache.segwit_hash(0, one_of_two(), kCoin, chain::kSighashAll)
                               : cache.legacy_hash(0, one_of_two(), chain::kSighashAll);
    Bytes signature = test::sign_hash(hash, owner());
    signature.push_back(chain::kSighashAll);
    return signature;
}

/// An output that the owner can spend, and a function that signs the spend.
struct OwnedOutput {
    Bytes script;
    std::function<void(Transaction&)> sign;
};

std::vector<OwnedOutput> owned_outputs() {
    std::vector<OwnedOutput> outputs;
    for (const auto type : {ScriptType::p2wpkh, ScriptType::p2sh, ScriptType::p2tr}) {
        const Bytes script = test::script_of(type, owner());
        outputs.push_back({script, [script](Transaction& transaction) {
                               test::sign_input(transaction, 0, owner(), {kCoin, script});
                           }});
    }
    const Bytes key = test::public_key_of(owner());
    // An inner script, and the pushes before and after the signature.
    struct Inside {
        Bytes script;
        std::vector<Bytes> before;
        std::vector<Bytes> behind;
    };
    for (const Inside& inside : {Inside{chain::p2pk_script(key), {}, {}},
                                 Inside{chain::p2pkh_script(chain::hash160(key)), {}, {key}},
                                 Inside{one_of_two(), {Bytes{}}, {}}}) {
        for (const auto place : test::kScriptPlaces) {
            const auto sign = [inside, place](Transaction& transaction) {
                std::vector<Bytes> items = inside.before;
                items.push_back(
                    test::sign_script(transaction, 0, place, inside.script, kCoin, owner()));
                items.insert(items.end(), inside.behind.begin(), inside.behind.end());
                test::put_script_items(transaction.inputs[0], place, inside.script, items);
            };
            outputs.push_back({test::output_script_of(place, inside.script), sign});
        }
    }
    return outputs;
}

TEST(MempoolScripts, AreCheckedForEachStandardType) {
    const std::vector<OwnedOutput> outputs = owned_outputs();
    std::vector<Bytes> scripts;
    for (const OwnedOutput& output : outputs) scripts.push_back(output.script);
    MempoolScene scene(scripts);
    for (std::uint32_t i = 0; i < scripts.size(); ++i) {
        Transaction good = scene.spend(i, 1'000);
        outputs[i].sign(good);
        Transaction wrong = good;
        --wrong.outputs[0].value;
        EXPECT_EQ(scene.refusal(wrong),
                  chain::classify(scripts[i]) == ScriptType::p2tr
                      ? "mempool-script-verify-flag-failed (Invalid Schnorr signature)"
                      : "mempool-script-verify-flag-failed (Signature must be zero for failed "
                        "CHECK(MULTI)SIG operation)")
            << chain::to_hex(scripts[i]);
        EXPECT_EQ(scene.refusal(good), "") << chain::to_hex(scripts[i]);
    }
    EXPECT_EQ(scene.chain().mempool().transactions().size(), scripts.size());
    scene.chain().mine();
    EXPECT_TRUE(scene.chain().mempool().transactions().empty());
}

// Bitcoin Core: VerifyWitnessProgram, IsWitnessStandard.
TEST(MempoolScripts, OfP2aInputsMustBeEmpty) {
    MempoolScene scene({Bytes{0x51, 0x02, 0x4e, 0x73}});
    const Transaction good = scene.spend(0, 1'000);
    Transaction wrong = good;
    wrong.inputs[0].script_sig = {0x51};
    EXPECT_EQ(scene.refusal(wrong),
              "mempool-script-verify-flag-failed (Witness requires empty scriptSig)");
    wrong = good;
    wrong.inputs[0].witness = {Bytes{0x51}};
    EXPECT_EQ(scene.refusal(wrong), "bad-witness-nonstandard");
    EXPECT_EQ(scene.refusal(good), "");
}

/// A scriptSig of the pushes and then the bytes `behind`, and the reason why it is refused.
struct ScriptSigRow {
    std::vector<Bytes> pushes;
    Bytes behind;
    std::string_view expected;
};

// Bitcoin Core 31 gives the same reasons.
TEST(MempoolScripts, OfP2pkhFailInCoresOrder) {
    const Bytes script = test::script_of(ScriptType::p2pkh, owner());
    const Bytes key = test::public_key_of(owner());
    MempoolScene scene({script});
    const Transaction good = scene.signed_spend(0, script);
    const Bytes pushed = good.inputs[0].script_sig;
    const Bytes signature(pushed.begin() + 1, pushed.begin() + 1 + pushed[0]);
    constexpr std::string_view kTooFew = "Operation not valid with the current stack size";
    constexpr std::string_view kOtherKey = "Script failed an OP_EQUALVERIFY operation";
    const std::initializer_list<ScriptSigRow> rows = {
        {{}, {}, kTooFew},
        {{key}, {}, kTooFew},
        {{signature}, {}, kOtherKey},
        {{signature, key}, {0x51}, kOtherKey},
        {{key, key}, {}, "Non-canonical DER signature"},
        {{{1}, signature, key}, {}, "Stack size must be exactly one after execution"},
        {{signature, key}, {0x4c, 0x01, 0x20}, "Data push larger than necessary"},
        {{signature, key}, {0x50}, "Opcode missing or not understood"},
        {{{}, key},
         {},
         "Script evaluated without error but finished with a false/empty top stack element"},
    };
    for (const auto& [pushes, behind, expected] : rows) {
        Transaction wrong = good;
        chain::ByteWriter script_sig;
        for (const Bytes& push : pushes) script_sig.bytes(chain::push_data(push));
        wrong.inputs[0].script_sig = script_sig.bytes(behind).take();
        EXPECT_EQ(scene.refusal(wrong),
                  "mempool-script-verify-flag-failed (" + std::string(expected) + ")");
    }
    EXPECT_EQ(scene.refusal(good), "");
}

TEST(MempoolScripts, AreOfTheShortestPushes) {
    const Bytes nested = test::script_of(ScriptType::p2sh, owner());
    MempoolScene scene({one_of_two(), nested});
    Transaction bare = scene.spend(0, 1'000);
    const Bytes signature = multisig_signature(bare, false);
    bare.inputs[0].script_sig =
        chain::ByteWriter().u8(0).u8(0x4c).bytes(chain::push_data(signature)).take();
    Transaction in_p2sh = scene.spend(1, 1'000);
    test::sign_input(in_p2sh, 0, owner(), {kCoin, nested});
    Bytes& script_sig = in_p2sh.inputs[0].script_sig;
    script_sig.insert(script_sig.begin(), 0x4c);
    for (const Transaction& wrong : {bare, in_p2sh}) {
        EXPECT_EQ(scene.refusal(wrong),
                  "mempool-script-verify-flag-failed (Data push larger than necessary)");
    }
}

TEST(MempoolScripts, AreRunInP2wshAndInScriptPaths) {
    // The preimage of a hash, in both versions.
    const Bytes preimage = {7, 7};
    const Bytes script = chain::ByteWriter()
                             .u8(chain::kOpSha256)
                             .var_bytes(chain::sha256(preimage))
                             .u8(chain::kOpEqual)
                             .take();
    const test::ScriptPath path(script);
    MempoolScene scene({chain::witness_program_script(0, chain::sha256(script)), path.script_pubkey,
                        test::script_of(ScriptType::p2wpkh, owner())});
    Transaction p2wsh = scene.spend(0, 1'000);
    Transaction script_path = scene.spend(1, 1'000);
    const auto refusals = [&](const Bytes& item) {
        p2wsh.inputs[0].witness = {item, script};
        script_path.inputs[0].witness = {item, script, path.control_block};
        return std::pair{scene.refusal(p2wsh), scene.refusal(script_path)};
    };
    const std::string is_false =
        "mempool-script-verify-flag-failed (Script evaluated without error but finished with a "
        "false/empty top stack element)";
    EXPECT_EQ(refusals({7}), std::pair(is_false, is_false));
    EXPECT_EQ(refusals(preimage), std::pair(std::string(), std::string()));
    Transaction wrong = scene.signed_spend(2, test::script_of(ScriptType::p2wpkh, owner()));
    wrong.outputs[0].value -= 1;
    EXPECT_NE(scene.refusal(wrong), "");
    EXPECT_EQ(scene.refusal(wrong, TransactionChecks::amounts), "");
}

struct RefusalRow {
    const char* name;
    const char* expected;
    /// Changes a signed spend of the first coin; the returned transaction is offered.
    std::function<Transaction(MempoolScene&, Transaction)> change;
};
void PrintTo(const RefusalRow& row, std::ostream* out) {
    *out << row.name;
}

class MempoolRefusal : public testing::TestWithParam<RefusalRow> {};

TEST_P(MempoolRefusal, HasBitcoinCoresReason) {
    MempoolScene scene({own_script(), own_script()});
    const Transaction offered =
        GetParam().change(scene, scene.signed_spend(0, own_script(), 1'000));
    const auto before = scene.chain().mempool().transactions();
    EXPECT_EQ(scene.refusal(offered), GetParam().expected);
    if (*GetParam().expected != '\0') {
        EXPECT_EQ(scene.chain().mempool().transactions(), before);
    }
}

// clang-format off
INSTANTIATE_TEST_SUITE_P(Rows, MempoolRefusal, testing::ValuesIn<RefusalRow>({
    {"Nothing", "", [](MempoolScene&, Transaction it) { return it; }},
    {"NoInputs", "bad-txns-vin-empty", [](MempoolScene&, Transaction it) { it.inputs.clear(); return it; }},
    {"NoOutputs", "bad-txns-vout-empty", [](MempoolScene&, Transaction it) { it.outputs.clear(); return it; }},
    {"NegativeOutput", "bad-txns-vout-negative", [](MempoolScene&, Transaction it) { it.outputs[0].value = -1; return it; }},
    {"HugeOutput", "bad-txns-vout-toolarge", [](MempoolScene&, Transaction it) { it.outputs[0].value = chain::kMaxMoney + 1; return it; }},
    {"HugeTotal", "bad-txns-txouttotal-toolarge", [](MempoolScene&, Transaction it) { it.outputs[0].value = chain::kMaxMoney; it.outputs.push_back(it.outputs[0]); return it; }},
    {"TheSameInputTwice", "bad-txns-inputs-duplicate", [](MempoolScene&, Transaction it) { it.inputs.push_back(it.inputs[0]); return it; }},
    {"NullInput", "bad-txns-prevout-null", [](MempoolScene&, Transaction it) { it.inputs.push_back({{{}, 0xffffffff}, {}, 0, {}}); return it; }},
    {"ACoinbase", "coinbase", [](MempoolScene&, Transaction it) { it.inputs[0] = {{{}, 0xffffffff}, {1, 1}, 0, {}}; return it; }},
    {"Version4", "version", [](MempoolScene&, Transaction it) { it.version = 4; return it; }},
    {"NonFinal", "non-final", [](MempoolScene& scene, Transaction it) { it.lock_time = scene.chain().height() + 1; return resigned(it); }},
    {"Final", "", [](MempoolScene& scene, Transaction it) { it.lock_time = scene.chain().height(); return resigned(it); }},
    {"AnotherWitness", "txn-same-nonwitness-data-in-mempool", [](MempoolScene& scene, Transaction it) { scene.chain().submit(it); it.inputs[0].witness = {Bytes(71)}; return it; }},
    {"Confirmed", "txn-already-known", [](MempoolScene& scene, Transaction it) { scene.chain().mine_block({it}); return it; }},
    {"SpentAlready", "bad-txns-inputs-missingorspent", [](MempoolScene& scene, Transaction it) { scene.chain().mine_block({it}); --it.outputs[0].value; return resigned(it); }},
    {"SequenceLock", "non-BIP68-final", [](MempoolScene&, Transaction it) { it.inputs[0].sequence = 2; return resigned(it); }},
    {"SequenceLockReached", "", [](MempoolScene&, Transaction it) { it.inputs[0].sequence = 1; return resigned(it); }},
    {"SequenceLockOfVersion1", "", [](MempoolScene&, Transaction it) { it.version = 1; it.inputs[0].sequence = 2; return resigned(it); }},
    {"AYoungCoinbase", "bad-txns-premature-spend-of-coinbase", [](MempoolScene& scene, Transaction it) { scene.chain().mine(1, own_script()); scene.chain().mine(98); it.inputs[0].prevout = {scene.chain().block_at(scene.chain().height() - 98).txids[0], 0}; return it; }},
    {"MoreThanItSpends", "bad-txns-in-belowout", [](MempoolScene&, Transaction it) { it.outputs[0].value = kCoin + 1; return resigned(it); }},
    {"AWitnessTooMany", "mempool-script-verify-flag-failed (Witness program hash mismatch)", [](MempoolScene&, Transaction it) { it.inputs[0].witness.push_back(Bytes{1}); return it; }},
    {"NoWitness", "mempool-script-verify-flag-failed (Witness program hash mismatch)", [](MempoolScene&, Transaction it) { it.inputs[0].witness.clear(); return it; }},
    {"AScriptSig", "mempool-script-verify-flag-failed (Witness requires empty scriptSig)", [](MempoolScene&, Transaction it) { it.inputs[0].script_sig = {0x51}; return it; }},
    {"AForeignKey", "mempool-script-verify-flag-failed (Script failed an OP_EQUALVERIFY operation)", [](MempoolScene&, Transaction it) { it.inputs[0].witness = {Bytes{1}, test::public_key_of(test::private_key(9))}; return it; }},
    {"Dust", "dust", [](MempoolScene&, Transaction it) { it.outputs[0].value = 293; return resigned(it); }},
    {"TooManySigops", "bad-txns-too-many-sigops", [](MempoolScene&, Transaction it) { it.outputs[0].value = 1'000; it.outputs.resize(1 + 200, {1'000, one_of_two()}); return resigned(it); }},
    {"AFeeBelowTheLeast", "min relay fee not met", [](MempoolScene&, Transaction it) { it.outputs[0].value = kCoin - 10; return resigned(it); }},
    {"TheLeastFee", "", [](MempoolScene&, Transaction it) { it.outputs[0].value = kCoin - 11; return resigned(it); }},
    {"AReplacementThatPaysTheSame", "insufficient fee", [](MempoolScene& scene, Transaction it) { scene.chain().submit(it); it.lock_time = 1; return resigned(it); }},
    {"AReplacementThatPaysMore", "", [](MempoolScene& scene, Transaction it) { scene.chain().submit(it); it.outputs[0].value -= 11; return resigned(it); }},
    {"AReplacementThatDoesNotPayForDescendants", "insufficient fee", [](MempoolScene& scene, Transaction it) {
        const std::array parent{chain::Outpoint{scene.chain().submit(it), 0}};
        scene.chain().submit(test::make_spend(scene.chain(), parent, {{kCoin - 3'000, receiver_script()}}));
        it.outputs[0].value -= 1'000;
        return resigned(it); }},
    {"ALargerReplacementOfAWorseFeeRate", "replacement-failed", [](MempoolScene& scene, Transaction it) { scene.chain().submit(it); it.outputs[0].value = 1'000; it.outputs.resize(20, {(kCoin - 2'000) / 20, own_script()}); it.outputs[0].value = kCoin - 1'500 - 19 * ((kCoin - 2'000) / 20); return resigned(it); }},
    {"AReplacementOfItsParent", "bad-txns-spends-conflicting-tx", [](MempoolScene& scene, Transaction it) {
        const chain::Txid parent = scene.chain().submit(it);
        it.inputs.push_back({{parent, 0}, {}, 0xfffffffd, {}});
        it.outputs[0].value = kCoin;
        return it; }},
}), [](const auto& row) { return row.param.name; });
// clang-format on

TEST(MempoolClusters, HoldAsManyTransactionsAsBitcoinCores) {
    MempoolScene scene({own_script()});
    Transaction transaction = scene.signed_spend(0, own_script());
    transaction.outputs[0].script_pubkey = own_script();
    transaction = resigned(transaction);
    for (int i = 0; i < 64; ++i) {
        ASSERT_EQ(scene.refusal(transaction), "") << i;
        const chain::TxOutput spent = transaction.outputs[0];
        transaction.inputs[0].prevout = {transaction.txid(), 0};
        transaction.outputs[0].value -= 1'000;
        test::sign_input(transaction, 0, owner(), spent);
    }
    EXPECT_EQ(scene.refusal(transaction), "too-large-cluster");
    scene.chain().mine();
    EXPECT_EQ(scene.refusal(transaction), "");
}

TEST(MempoolClusters, WeighAsMuchAsBitcoinCores) {
    MempoolScene scene({own_script()});
    Transaction parent = scene.spend(0, 0);
    parent.outputs.assign(3'000, {300, own_script()});
    parent.outputs.push_back({90'000, own_script()});
    parent = resigned(parent);
    ASSERT_EQ(scene.refusal(parent), "");
    const auto child = [&](std::size_t outputs) {
        std::vector<chain::TxOutput> paid(outputs, {300, own_script()});
        return signed_child({{{parent.txid(), 3'000}, 90'000}}, std::move(paid));
    };
    ASSERT_LE(parent.weight() + child(251).weight(), 404'000U);
    ASSERT_GT(parent.weight() + child(252).weight(), 404'000U);
    EXPECT_EQ(scene.refusal(child(252)), "too-large-cluster");
    EXPECT_EQ(scene.refusal(child(251)), "");
}

// A block may hold a parent with dust. After a reorganisation, the parent is back in the mempool if
// it pays no fee.
TEST(MempoolAfterAReorganisation, HoldsDustThatAChildMustSpend) {
    MempoolScene scene({own_script()});
    constexpr chain::Satoshis kDust = 200;
    Transaction parent = scene.spend(0, 0);
    parent.outputs = {{kCoin - kDust, own_script()}, {kDust, own_script()}};
    parent = resigned(parent);
    scene.chain().mine_block({parent});
    scene.chain().invalidate(scene.chain().tip());
    const std::pair<chain::Outpoint, chain::Satoshis> rest{{parent.txid(), 0}, kCoin - kDust};
    const std::pair<chain::Outpoint, chain::Satoshis> dust{{parent.txid(), 1}, kDust};
    const std::vector<chain::TxOutput> paid = {{kCoin / 2, receiver_script()}};
    EXPECT_EQ(scene.refusal(signed_child({rest}, paid)), "missing-ephemeral-spends");
    EXPECT_EQ(scene.refusal(signed_child({rest, dust}, paid)), "");
    scene.chain().mine();
    scene.chain().invalidate(scene.chain().tip());
    EXPECT_EQ(scene.chain().mempool().transactions().size(), 2U);
}

TEST(MempoolAfterAReorganisation, DropsWhatItsLocksNoLongerAllow) {
    MempoolScene scene({own_script()});
    const std::uint32_t fork = scene.chain().height() - 1;
    Transaction locked = scene.signed_spend(0, own_script());
    locked.inputs[0].sequence = 3;
    locked = resigned(locked);
    EXPECT_EQ(scene.refusal(locked), "non-BIP68-final");
    scene.chain().mine(2);
    ASSERT_EQ(scene.refusal(locked), "");
    // The coin is unconfirmed again, so its relative lock counts from the next block.
    scene.chain().reorganise(fork, 4);
    EXPECT_EQ(scene.chain().mempool().transactions().size(), 1U);
}

TEST(MempoolAcceptance, EndsWhenTheMempoolIsFull) {
    MempoolScene scene({own_script(), own_script()});
    const Transaction first = scene.signed_spend(0, own_script());
    const Transaction second = scene.signed_spend(1, own_script());
    MempoolPolicy policy;
    policy.max_bytes = first.serialize().size() + second.serialize().size() - 1;
    ASSERT_TRUE(scene.chain().offer(first, policy));
    EXPECT_EQ(describe(scene.chain().offer(second, policy).error()), "mempool full");
    ++policy.max_bytes;
    EXPECT_TRUE(scene.chain().offer(second, policy));
}

TEST(MempoolAcceptance, TakesAReplacementWhenTheMempoolIsFull) {
    MempoolScene scene({own_script()});
    const Transaction first = scene.signed_spend(0, own_script());
    const Transaction second = scene.signed_spend(0, own_script(), 3'000);
    MempoolPolicy policy;
    policy.max_bytes = std::max(first.serialize().size(), second.serialize().size());
    ASSERT_TRUE(scene.chain().offer(first, policy));
    EXPECT_TRUE(scene.chain().offer(second, policy));
    EXPECT_EQ(scene.chain().mempool().totals().bytes, second.serialize().size());
}

}  // namespace
}  // namespace petal::regtest
