#include "tests/integration/random_spends.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "cli/text/amount.h"
#include "tests/integration/rpc.h"
#include "tests/support/signing.h"

namespace petal::test {
namespace {

using nlohmann::json;

constexpr const char* kHashTypes[] = {
    "ALL", "NONE", "SINGLE", "ALL|ANYONECANPAY", "NONE|ANYONECANPAY", "SINGLE|ANYONECANPAY"};
constexpr std::uint32_t kTimeLock = 1U << 22U;  // BIP68

chain::Transaction decoded(const json& hex) {
    return chain::decode_transaction(*chain::from_hex(hex.get<std::string>())).value();
}

chain::Bytes bytes_of(chain::ByteView view) {
    return {view.begin(), view.end()};
}

}  // namespace

std::optional<chain::Transaction> RandomSpends::make() {
    const auto made = draft();
    if (!made) return std::nullopt;
    auto transaction = decoded(core_("createrawtransaction", *made));
    change_before_signing(transaction);
    transaction = signed_by_core(transaction);
    spoil(transaction);
    return transaction;
}

std::vector<RandomSpends::Coin> RandomSpends::unspent_coins() {
    std::vector<Coin> coins;
    for (const auto& coin : core_("listunspent", {0, 9'999'999, json::array(), true})) {
        coins.push_back(
            {{{"txid", coin["txid"]}, {"vout", coin["vout"]}}, satoshis_of(coin["amount"])});
    }
    return coins;
}

std::vector<RandomSpends::Coin> RandomSpends::spent_coins() {
    std::vector<Coin> coins;
    for (const auto& entry : core_("listtransactions", {"*", 30})) {
        if (entry["category"] != "send" || entry["confirmations"] != 0) continue;
        const json known = core_("gettransaction", {entry["txid"], true, true});
        for (const auto& input : known["decoded"]["vin"]) {
            const json parent = core_("getrawtransaction", {input["txid"], 2});
            coins.push_back(
                {{{"txid", input["txid"]}, {"vout", input["vout"]}},
                 satoshis_of(parent["vout"].at(input["vout"].get<std::size_t>())["value"])});
        }
        if (!coins.empty()) break;
    }
    return coins;
}

/// The arguments of createrawtransaction.
std::optional<json> RandomSpends::draft() {
    auto coins = unspent_coins();
    if (pick_(4) == 0) {
        try {
            auto spent = spent_coins();
            if (!spent.empty()) coins = std::move(spent);
        } catch (const std::runtime_error&) {  // a parent is in neither the mempool nor the index
        }
    }
    if (coins.empty()) return std::nullopt;
    json inputs = json::array();
    std::int64_t value = 0;
    for (unsigned count = 1 + pick_(3); count > 0 && !coins.empty(); --count) {
        const auto at = place_in(coins.size());
        value += coins[at].value;
        json input = coins[at].input;
        if (pick_(6) == 0) input["sequence"] = pick_(5) + (pick_(2) == 0 ? kTimeLock : 0);
        inputs.push_back(input);
        coins.erase(coins.begin() + static_cast<std::ptrdiff_t>(at));
    }
    const std::int64_t left = value - (pick_(4) == 0 ? pick_(300) : 500 + pick_(20'000));
    if (left <= 1'000) return std::nullopt;
    const std::int64_t part = left * (1 + pick_(98)) / 100;
    const std::string first = new_address_();
    std::string second = new_address_();
    while (second == first) second = new_address_();
    const unsigned lock_time =
        pick_(8) == 0 ? core_("getblockcount", json::array()).get<unsigned>() + pick_(3) : 0;
    return json{
        inputs,
        json::array({{{first, cli::format_btc(part)}}, {{second, cli::format_btc(left - part)}}}),
        lock_time, true};
}

/// Changes parts that the signatures cover.
void RandomSpends::change_before_signing(chain::Transaction& transaction) {
    if (pick_(5) == 0) transaction.version = static_cast<std::int32_t>(1 + pick_(3));
    auto& output = transaction.outputs[place_in(transaction.outputs.size())];
    const std::array<chain::Bytes, 5> scripts = {
        *chain::from_hex(kBareMultisig),
        {0x6a, 0x03, 1, 2, 3},     // OP_RETURN
        {0x51},                    // anyone can spend
        {0x51, 0x02, 0x4e, 0x73},  // P2A
        {0x52, 0x02, 0x01, 0x02},  // a witness program of a later version
    };
    const auto chosen = pick_(20);
    if (chosen < scripts.size()) output.script_pubkey = scripts[chosen];
    // Around 100,000 vB, the largest size that is relayed.
    if (pick_(40) == 0)
        transaction.outputs.resize(2'200 + pick_(1'400), {400, output.script_pubkey});
}

chain::Transaction RandomSpends::signed_by_core(const chain::Transaction& transaction) {
    json arguments = json::array({chain::to_hex(transaction.serialize())});
    if (pick_(4) == 0) {
        arguments.push_back(json::array());
        arguments.push_back(kHashTypes[pick_(std::size(kHashTypes))]);
    }
    return decoded(core_("signrawtransactionwithwallet", arguments)["hex"]);
}

/// Makes a signed transaction invalid in one of many ways, or leaves it valid.
void RandomSpends::spoil(chain::Transaction& transaction) {
    auto& input = transaction.inputs[place_in(transaction.inputs.size())];
    switch (pick_(24)) {
        case 0:
        case 1:
        case 2:
            return spoil_amounts(transaction);
        case 3:
            transaction.inputs.push_back(input);
            return;
        case 4:
            transaction.outputs.clear();
            return;
        case 5:
            transaction.version = static_cast<std::int32_t>(pick_(2) * 7);
            return;
        case 6:
            transaction.outputs[place_in(transaction.outputs.size())].script_pubkey = {0x51};
            return;
        case 7:
            input.prevout.txid.bytes[3] ^= 1;
            return;
        case 8:
            input.witness.clear();
            return;
        case 9:
            input.script_sig.push_back(0x51);
            return;
        case 10:
            input.prevout = {};
            input.prevout.index = 0xffffffff;
            return;
        case 11:
            if (!input.script_sig.empty()) input.script_sig[input.script_sig.size() / 2] ^= 4;
            return;
        case 12:
        case 13:
        case 14:
            return spoil_witness(input);
        default:
            return;  // no change
    }
}

void RandomSpends::spoil_amounts(chain::Transaction& transaction) {
    auto& output = transaction.outputs[place_in(transaction.outputs.size())];
    constexpr std::array<std::int64_t, 4> kValues = {-1, 100, 100'000'000'000,
                                                     2'100'000'000'000'001};
    const auto chosen = pick_(kValues.size() + 1);
    output.value = chosen < kValues.size() ? kValues[chosen] : output.value + 1;
}

/// Changes one item: a bit, the S of the signature, one more byte, or the whole item.
void RandomSpends::spoil_witness(chain::TxInput& input) {
    if (input.witness.empty()) return;
    const auto place = place_in(input.witness.size());
    const unsigned way = pick_(5);
    chain::Witness changed;
    for (std::size_t i = 0; i < input.witness.size(); ++i) {
        chain::Bytes item = bytes_of(input.witness[i]);
        const bool is_der = item.size() > 66 && item[0] == 0x30;
        if (i != place) {
        } else if (way == 0 && is_der) {
            item = with_high_s(item);
        } else if (way == 1) {
            item.push_back(1);
        } else if (way == 2) {
            item.clear();
        } else if (!item.empty()) {
            item[place_in(item.size())] ^= 1;
        }
        changed.push_back(item);
    }
    if (way == 4) changed.push_back(chain::Bytes{0x50, 1});  // an annex, if the input is taproot
    input.witness = changed;
}

}  // namespace petal::test
