#include "net/sync/filters/matched_output.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <numeric>
#include <string_view>
#include <vector>

#include "chain/script/input_verification.h"
#include "chain/script/script.h"
#include "chain/transaction_rules.h"

namespace petal::net {

using chain::Unexpected;

namespace {

// The templates by the byte that names them in a checkpoint; older checkpoints have the first ones.
constexpr std::array kTemplates{chain::ScriptType::p2wpkh, chain::ScriptType::p2pkh,
                                chain::ScriptType::p2sh,   chain::ScriptType::p2tr,
                                chain::ScriptType::p2wsh,  chain::ScriptType::bare_multisig};

// Those of more keys are not standard (Bitcoin Core: IsStandard), and take long to verify.
constexpr std::size_t kMaxBareKeys = 3;
constexpr std::size_t kMaxBareScriptBytes = 3 + kMaxBareKeys * 66;

bool is_small_multisig(chain::ByteView script) {
    const auto multisig = chain::parse_multisig(script);
    return multisig && multisig->keys.size() <= kMaxBareKeys;
}

chain::Bytes read_bare_multisig(chain::ByteReader& reader) {
    const std::uint8_t size = reader.read_u8();
    if (size > kMaxBareScriptBytes) reader.fail(chain::DecodeError::invalid_value);
    chain::Bytes script = reader.read_bytes(size);
    if (!is_small_multisig(script)) reader.fail(chain::DecodeError::invalid_value);
    return script;
}

chain::Bytes script_with(chain::ScriptType type, chain::ByteReader& reader) {
    using enum chain::ScriptType;
    if (type == bare_multisig) return read_bare_multisig(reader);
    if (type == p2tr) return chain::witness_program_script(1, reader.read_array<32>());
    if (type == p2wsh) return chain::witness_program_script(0, reader.read_array<32>());
    const chain::Hash160 hash = reader.read_array<20>();
    if (type == p2pkh) return chain::p2pkh_script(hash);
    if (type == p2sh) return chain::p2sh_script(hash);
    return chain::p2wpkh_script(hash);
}

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

std::optional<chain::TxOutput> remembered_output(const chain::TxOutput& output) {
    const chain::ScriptType type = chain::classify(output.script_pubkey);
    if (!chain::can_be_verified(type)) return std::nullopt;
    if (type == chain::ScriptType::bare_multisig && !is_small_multisig(output.script_pubkey)) {
        return std::nullopt;
    }
    return output;
}

void write_output(chain::ByteWriter& writer, const std::optional<chain::TxOutput>& output) {
    if (!output) {
        writer.u8(0);
        return;
    }
    const auto named = std::ranges::find(kTemplates, chain::classify(output->script_pubkey));
    assert(named != kTemplates.end());
    writer.u8(static_cast<std::uint8_t>(named - kTemplates.begin() + 1));
    writer.u64(static_cast<std::uint64_t>(output->value));
    if (*named == chain::ScriptType::bare_multisig) {
        writer.u8(static_cast<std::uint8_t>(output->script_pubkey.size()));
        writer.bytes(output->script_pubkey);
    } else {
        writer.bytes(chain::watch_element(output->script_pubkey));
    }
}

std::optional<chain::TxOutput> read_output(chain::ByteReader& reader) {
    const std::uint8_t name = reader.read_u8();
    if (name > kTemplates.size()) reader.fail(chain::DecodeError::invalid_value);
    if (name == 0 || !reader.ok()) return std::nullopt;
    const std::uint64_t value = reader.read_u64();
    if (value > static_cast<std::uint64_t>(chain::kMaxMoney)) {
        reader.fail(chain::DecodeError::invalid_value);
    }
    return chain::TxOutput{static_cast<chain::Satoshis>(value),
                           script_with(kTemplates.at(name - 1U), reader)};
}

namespace {

FaultBlame blame_for(chain::InputError error) {
    using enum chain::InputError;
    if (error == missing_witness) return FaultBlame::peers_with_witnesses;
    return chain::is_inconclusive(error) ? FaultBlame::no_peer : FaultBlame::every_peer;
}

}  // namespace

chain::Expected<bool, SpendFault> check_spends(const chain::Transaction& transaction,
                                               const FindOutput& find_output) {
    const auto fault = [](std::string_view what) {
        return Unexpected(SpendFault{FaultBlame::every_peer, std::string(what)});
    };
    if (const auto sound = chain::check_transaction(transaction); !sound) {
        return fault(describe(sound.error()));
    }
    if (transaction.is_coinbase()) return fault("it is a coinbase");

    std::vector<std::optional<chain::TxOutput>> spent;
    for (const chain::TxInput& input : transaction.inputs) {
        spent.push_back(find_output(input.prevout));
    }
    const bool is_judged =
        std::ranges::all_of(spent, [](const auto& output) { return output.has_value(); });
    const auto add_value = [](chain::Satoshis sum, const auto& output) {
        return sum + output->value;
    };
    if (is_judged && std::accumulate(spent.begin(), spent.end(), chain::Satoshis{0}, add_value) <
                         total_of(transaction)) {
        return fault("it pays more than it spends");
    }
    // Last, as it alone takes long.
    if (const auto invalid = chain::find_invalid_input(transaction, spent)) {
        return Unexpected(SpendFault{blame_for(invalid->error),
                                     fault_of(invalid->index, describe(invalid->error))});
    }
    return is_judged;
}

}  // namespace petal::net
