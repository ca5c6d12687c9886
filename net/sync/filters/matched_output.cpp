#include "net/sync/filters/matched_output.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string_view>

#include "chain/script/input_verification.h"
#include "chain/script/script.h"
#include "chain/transaction_rules.h"

namespace petal::net {

using chain::Unexpected;

namespace {

constexpr std::size_t kKeyHashOffset = 2;  // behind OP_0 and the push's length

std::string fault_of(std::size_t input, std::string_view what) {
    return "input " + std::to_string(input) + ": " + std::string(what);
}

/// What all outputs get, where the transaction has passed check_transaction().
chain::Satoshis total_of(const chain::Transaction& transaction) {
    const auto& outputs = transaction.outputs;
    return std::accumulate(
        outputs.begin(), outputs.end(), chain::Satoshis{0},
        [](chain::Satoshis sum, const auto& output) { return sum + output.value; });
}

}  // namespace

std::optional<P2wpkhOutput> P2wpkhOutput::from(const chain::TxOutput& output) {
    if (chain::classify(output.script_pubkey) != chain::ScriptType::p2wpkh) return std::nullopt;
    P2wpkhOutput result;
    result.value = output.value;
    std::copy_n(output.script_pubkey.begin() + kKeyHashOffset, result.key_hash.size(),
                result.key_hash.begin());
    return result;
}

chain::TxOutput P2wpkhOutput::to_output() const {
    return {value, chain::p2wpkh_script(key_hash)};
}

void write_p2wpkh_output(chain::ByteWriter& writer, const std::optional<P2wpkhOutput>& output) {
    writer.u8(output ? 1 : 0);
    if (output) writer.u64(static_cast<std::uint64_t>(output->value)).bytes(output->key_hash);
}

std::optional<P2wpkhOutput> read_p2wpkh_output(chain::ByteReader& reader) {
    const std::uint8_t present = reader.read_u8();
    if (present > 1) reader.fail(chain::DecodeError::invalid_value);
    if (present != 1) return std::nullopt;
    const std::uint64_t value = reader.read_u64();
    P2wpkhOutput output;
    output.value = static_cast<chain::Satoshis>(value);
    output.key_hash = reader.read_array<20>();
    if (value > static_cast<std::uint64_t>(chain::kMaxMoney)) {
        reader.fail(chain::DecodeError::invalid_value);
    }
    return output;
}

chain::Expected<bool, SpendFault> check_spends(const chain::Transaction& transaction,
                                               const FindOutput& find_output) {
    if (const auto sound = chain::check_transaction(transaction); !sound) {
        return Unexpected(SpendFault{true, std::string(describe(sound.error()))});
    }
    if (transaction.is_coinbase()) return Unexpected(SpendFault{true, "it is a coinbase"});

    std::optional<chain::SighashCache> hashes;  // made for the first input that needs it
    std::size_t known = 0;
    chain::Satoshis spent = 0;
    for (std::size_t i = 0; i < transaction.inputs.size(); ++i) {
        const auto output = find_output(transaction.inputs[i].prevout);
        if (!output) continue;
        if (!hashes) hashes.emplace(transaction);
        if (const auto valid = chain::verify_input(*hashes, i, output->to_output()); !valid) {
            return Unexpected(SpendFault{!chain::is_inconclusive(valid.error()),
                                         fault_of(i, describe(valid.error()))});
        }
        ++known;
        spent += output->value;
    }
    const bool is_judged = known == transaction.inputs.size();
    if (is_judged && spent < total_of(transaction)) {
        return Unexpected(SpendFault{true, "it pays more than it spends"});
    }
    return is_judged;
}

}  // namespace petal::net
