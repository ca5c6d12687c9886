#include "wallet/psbt/psbt.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "chain/byte_reader.h"
#include "chain/byte_writer.h"
#include "chain/script/signature_hash.h"
#include "wallet/psbt/record_rules.h"
#include "wallet/psbt/record_types.h"

namespace petal::wallet {

namespace {

using chain::ByteReader;
using chain::ByteView;
using chain::ByteWriter;

constexpr chain::Byte kPsbtMagic[] = {'p', 's', 'b', 't', 0xff};

std::string place_of_map(PsbtMapKind kind, std::size_t index) {
    if (kind == PsbtMapKind::global) return "the global map";
    return (kind == PsbtMapKind::input ? "input " : "output ") + std::to_string(index);
}

PsbtError error_at(PsbtFault fault, PsbtMapKind kind, std::size_t index = 0) {
    return {fault, place_of_map(kind, index)};
}

bool is_amount(chain::Satoshis value) {
    return value >= 0 && value <= chain::kMaxMoney;
}

std::uint32_t u32_in(const PsbtMap& map, chain::Byte type, std::uint32_t otherwise) {
    const chain::Bytes* value = map.find(type);
    return value == nullptr ? otherwise : ByteReader(*value).read_u32();
}

/// Reads the transaction to sign, which never has the witness form: a transaction without inputs
/// would look like that form (BIP174).
chain::Expected<chain::Transaction, PsbtFault> read_unsigned(ByteView bytes) {
    constexpr std::size_t kInputBytes = 41;
    constexpr std::size_t kOutputBytes = 9;
    if (bytes.size() > chain::kMaxStrippedBytes) return chain::Unexpected{PsbtFault::too_large};
    ByteReader reader(bytes);
    chain::Transaction transaction;
    bool has_script = false;
    transaction.version = reader.read_i32();
    transaction.inputs.resize(reader.read_count(bytes.size(), kInputBytes));
    for (chain::TxInput& input : transaction.inputs) {
        input.prevout.txid = {reader.read_array<32>()};
        input.prevout.index = reader.read_u32();
        has_script = !reader.read_var_view(chain::kMaxCompactSize).empty() || has_script;
        input.sequence = reader.read_u32();
    }
    transaction.outputs.resize(reader.read_count(bytes.size(), kOutputBytes));
    for (chain::TxOutput& output : transaction.outputs) {
        output.value = reader.read_i64();
        output.script_pubkey = reader.read_var_bytes(chain::kMaxCompactSize);
    }
    transaction.lock_time = reader.read_u32();
    reader.expect_end();
    if (!reader.ok()) return chain::Unexpected{PsbtFault::bad_transaction};
    if (has_script) return chain::Unexpected{PsbtFault::signed_transaction};
    return transaction;
}

chain::TxOutput read_output(ByteView bytes) {
    ByteReader reader(bytes);
    chain::TxOutput output;
    output.value = reader.read_i64();
    output.script_pubkey = reader.read_var_bytes(chain::kMaxCompactSize);
    return output;
}

chain::Bytes written_output(const chain::TxOutput& output) {
    return ByteWriter{}.i64(output.value).var_bytes(output.script_pubkey).take();
}

/// BIP370: a height if all inputs with a required lock time allow a height, otherwise a time if all
/// allow a time.
chain::Expected<std::uint32_t, PsbtFault> lock_time_of(const PsbtMap& global,
                                                       const std::vector<PsbtMap>& inputs) {
    bool heights_suit = true;
    bool times_suit = true;
    std::uint32_t height = 0;
    std::uint32_t time = 0;
    for (const PsbtMap& input : inputs) {
        const bool has_height = input.find(psbt_input::kHeightLock) != nullptr;
        const bool has_time = input.find(psbt_input::kTimeLock) != nullptr;
        if (!has_height && !has_time) continue;
        heights_suit = heights_suit && has_height;
        times_suit = times_suit && has_time;
        height = std::max(height, u32_in(input, psbt_input::kHeightLock, 0));
        time = std::max(time, u32_in(input, psbt_input::kTimeLock, 0));
    }
    if (height == 0 && time == 0) return u32_in(global, psbt_global::kFallbackLockTime, 0);
    if (heights_suit) return height;
    if (times_suit) return time;
    return chain::Unexpected{PsbtFault::contradicting_locks};
}

std::optional<PsbtError> find_missing(const PsbtMap& map, std::initializer_list<chain::Byte> types,
                                      PsbtMapKind kind, std::size_t index) {
    for (const chain::Byte type : types) {
        if (map.find(type) == nullptr) return error_at(PsbtFault::missing_record, kind, index);
    }
    return std::nullopt;
}

std::optional<PsbtError> check_map(const PsbtMap& map, PsbtMapKind kind, std::size_t index,
                                   std::uint32_t version) {
    for (const PsbtRecord& record : map.records()) {
        const auto fault = find_fault(record, kind, version);
        if (fault) return error_at(*fault, kind, index);
    }
    if (version == 0 || kind == PsbtMapKind::global) return std::nullopt;
    if (kind == PsbtMapKind::output) {
        return find_missing(map, {psbt_output::kAmount, psbt_output::kScript}, kind, index);
    }
    return find_missing(map, {psbt_input::kPreviousTxid, psbt_input::kOutputIndex}, kind, index);
}

/// The output that an input spends, from the full previous transaction.
chain::Expected<chain::TxOutput, PsbtFault> output_of(const chain::Bytes& full,
                                                      const chain::Outpoint& outpoint) {
    auto decoded = chain::decode_transaction(full);
    if (!decoded) return chain::Unexpected{PsbtFault::bad_transaction};
    if (decoded->txid() != outpoint.txid || outpoint.index >= decoded->outputs.size()) {
        return chain::Unexpected{PsbtFault::wrong_utxo};
    }
    return std::move(decoded->outputs[outpoint.index]);
}

chain::Expected<std::optional<chain::TxOutput>, PsbtFault> utxo_in(
    const PsbtMap& map, const chain::Outpoint& outpoint) {
    std::optional<chain::TxOutput> result;
    const chain::Bytes* full = map.find(psbt_input::kFullTransaction);
    const chain::Bytes* witness_utxo = map.find(psbt_input::kWitnessUtxo);
    if (full != nullptr) {
        auto output = output_of(*full, outpoint);
        if (!output) return chain::Unexpected{output.error()};
        result = *std::move(output);
    }
    if (witness_utxo != nullptr) {
        chain::TxOutput output = read_output(*witness_utxo);
        if (result && *result != output) return chain::Unexpected{PsbtFault::contradicting_utxo};
        result = std::move(output);
    }
    if (result && !is_amount(result->value))
        return chain::Unexpected{PsbtFault::amount_out_of_range};
    return result;
}

chain::Expected<std::vector<PsbtMap>, PsbtError> read_maps(ByteReader& reader, std::size_t count,
                                                           PsbtMapKind kind,
                                                           std::size_t& records_left) {
    std::vector<PsbtMap> maps;
    for (std::size_t i = 0; i < count; ++i) {
        auto map = read_psbt_map(reader, records_left);
        if (!map) return chain::Unexpected{error_at(map.error(), kind, i)};
        maps.push_back(*std::move(map));
    }
    return maps;
}

}  // namespace

bool is_psbt(ByteView bytes) {
    return bytes.size() >= std::size(kPsbtMagic) &&
           std::ranges::equal(bytes.first(std::size(kPsbtMagic)), kPsbtMagic);
}

chain::Expected<Psbt, PsbtError> Psbt::parse(ByteView bytes) {
    if (!is_psbt(bytes)) return chain::Unexpected{PsbtError{PsbtFault::no_magic}};
    if (bytes.size() > kMaxPsbtBytes) return chain::Unexpected{PsbtError{PsbtFault::too_large}};
    ByteReader reader(bytes.subspan(std::size(kPsbtMagic)));
    std::size_t records_left = kMaxPsbtRecords;
    auto global = read_psbt_map(reader, records_left);
    if (!global) return chain::Unexpected{error_at(global.error(), PsbtMapKind::global)};
    Psbt counts;
    counts.global_ = *global;
    if (const auto error = counts.read_global()) return chain::Unexpected{*error};
    auto inputs = read_maps(reader, counts.input_count_, PsbtMapKind::input, records_left);
    if (!inputs) return chain::Unexpected{inputs.error()};
    auto outputs = read_maps(reader, counts.output_count_, PsbtMapKind::output, records_left);
    if (!outputs) return chain::Unexpected{outputs.error()};
    if (reader.remaining() > 0) return chain::Unexpected{PsbtError{PsbtFault::trailing_bytes}};
    return assemble(*std::move(global), *std::move(inputs), *std::move(outputs));
}

chain::Expected<Psbt, PsbtError> Psbt::assemble(PsbtMap global, std::vector<PsbtMap> inputs,
                                                std::vector<PsbtMap> outputs) {
    Psbt psbt;
    psbt.global_ = std::move(global);
    psbt.inputs_ = std::move(inputs);
    psbt.outputs_ = std::move(outputs);
    auto error = psbt.read_global();
    if (!error) error = psbt.check_maps();
    if (!error) error = psbt.build_transaction();
    if (!error) error = psbt.read_utxos();
    if (error) return chain::Unexpected{*std::move(error)};
    return psbt;
}

Psbt Psbt::of_transaction(chain::Transaction transaction) {
    for (chain::TxInput& input : transaction.inputs) {
        input.script_sig.clear();
        input.witness.clear();
    }
    PsbtMap global;
    global.set(psbt_global::kUnsignedTransaction, transaction.serialize_without_witness());
    auto psbt = assemble(std::move(global), std::vector<PsbtMap>(transaction.inputs.size()),
                         std::vector<PsbtMap>(transaction.outputs.size()));
    assert(psbt);
    return *std::move(psbt);
}

chain::Bytes Psbt::serialize() const {
    ByteWriter writer;
    writer.bytes(kPsbtMagic);
    global_.write(writer);
    for (const PsbtMap& map : inputs_) map.write(writer);
    for (const PsbtMap& map : outputs_) map.write(writer);
    return writer.take();
}

bool Psbt::fits() const {
    std::size_t records = global_.records().size();
    for (const PsbtMap& map : inputs_) records += map.records().size();
    for (const PsbtMap& map : outputs_) records += map.records().size();
    return records <= kMaxPsbtRecords && serialize().size() <= kMaxPsbtBytes;
}

std::vector<chain::TxOutput> Psbt::known_utxos() const {
    std::vector<chain::TxOutput> result;
    for (const auto& utxo : utxos_) {
        if (!utxo) return {};
        result.push_back(*utxo);
    }
    return result;
}

bool Psbt::has_full_transaction(std::size_t input) const {
    return inputs_[input].find(psbt_input::kFullTransaction) != nullptr;
}

void Psbt::set_utxo(std::size_t input, const chain::TxOutput& spent, bool in_witness_utxo,
                    const std::optional<chain::Transaction>& full) {
    PsbtMap& map = inputs_[input];
    if (in_witness_utxo) map.set(psbt_input::kWitnessUtxo, written_output(spent));
    if (full) map.set(psbt_input::kFullTransaction, full->serialize_without_witness());
    utxos_[input] = spent;
}

void Psbt::restrict_changes(std::uint32_t hash_type) {
    constexpr chain::Byte kInputsModifiable = 1;
    constexpr chain::Byte kOutputsModifiable = 2;
    constexpr chain::Byte kHasSighashSingle = 4;
    const chain::Bytes* value = global_.find(psbt_global::kModifiable);
    if (version_ != 2 || value == nullptr) return;
    unsigned flags = value->front();
    const std::uint32_t outputs = hash_type & chain::kSighashOutputMask;
    if ((hash_type & chain::kSighashAnyoneCanPay) == 0) flags &= ~unsigned{kInputsModifiable};
    if (outputs != chain::kSighashNone) flags &= ~unsigned{kOutputsModifiable};
    if (outputs == chain::kSighashSingle) flags |= kHasSighashSingle;
    global_.set(psbt_global::kModifiable, {static_cast<chain::Byte>(flags)});
}

/// Reads the version and the numbers of inputs and outputs.
std::optional<PsbtError> Psbt::read_global() {
    const auto fail = [](PsbtFault fault) { return error_at(fault, PsbtMapKind::global); };
    const chain::Bytes* version = global_.find(psbt_global::kVersion);
    if (version != nullptr && version->size() != 4) return fail(PsbtFault::bad_value);
    version_ = u32_in(global_, psbt_global::kVersion, 0);
    if (version_ != 0 && version_ != 2) return fail(PsbtFault::unsupported_version);
    if (auto error = check_map(global_, PsbtMapKind::global, 0, version_)) return error;
    if (version_ == 2) {
        auto missing = find_missing(
            global_,
            {psbt_global::kTransactionVersion, psbt_global::kInputCount, psbt_global::kOutputCount},
            PsbtMapKind::global, 0);
        if (missing) return missing;
        const auto inputs = ByteReader(*global_.find(psbt_global::kInputCount)).read_compact_size();
        const auto outputs =
            ByteReader(*global_.find(psbt_global::kOutputCount)).read_compact_size();
        // Each input and output has at least two records.
        if (inputs + outputs < inputs || inputs + outputs > kMaxPsbtRecords / 2) {
            return fail(PsbtFault::too_large);
        }
        input_count_ = static_cast<std::size_t>(inputs);
        output_count_ = static_cast<std::size_t>(outputs);
        return std::nullopt;
    }
    const chain::Bytes* transaction = global_.find(psbt_global::kUnsignedTransaction);
    if (transaction == nullptr) return fail(PsbtFault::missing_record);
    auto read = read_unsigned(*transaction);
    if (!read) return fail(read.error());
    transaction_ = *std::move(read);
    input_count_ = transaction_.inputs.size();
    output_count_ = transaction_.outputs.size();
    return std::nullopt;
}

std::optional<PsbtError> Psbt::check_maps() const {
    if (inputs_.size() != input_count_ || outputs_.size() != output_count_) {
        return error_at(PsbtFault::bad_value, PsbtMapKind::global);
    }
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
        if (auto error = check_map(inputs_[i], PsbtMapKind::input, i, version_)) return error;
    }
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
        if (auto error = check_map(outputs_[i], PsbtMapKind::output, i, version_)) return error;
    }
    return std::nullopt;
}

/// Builds the transaction of version 2 from the maps. Checks the amounts in both versions.
std::optional<PsbtError> Psbt::build_transaction() {
    if (version_ == 2) {
        const auto lock_time = lock_time_of(global_, inputs_);
        if (!lock_time) return PsbtError{lock_time.error()};
        transaction_.lock_time = *lock_time;
        transaction_.version =
            static_cast<std::int32_t>(u32_in(global_, psbt_global::kTransactionVersion, 0));
        for (const PsbtMap& map : inputs_) {
            const chain::Txid txid = chain::Txid::from_view(*map.find(psbt_input::kPreviousTxid));
            transaction_.inputs.push_back({{txid, u32_in(map, psbt_input::kOutputIndex, 0)},
                                           {},
                                           u32_in(map, psbt_input::kSequence, 0xffffffff),
                                           {}});
        }
        for (const PsbtMap& map : outputs_) {
            transaction_.outputs.push_back({ByteReader(*map.find(psbt_output::kAmount)).read_i64(),
                                            *map.find(psbt_output::kScript)});
        }
        // The same limit as for version 0, because each legacy signature hashes the whole
        // transaction.
        if (transaction_.stripped_size() > chain::kMaxStrippedBytes) {
            return PsbtError{PsbtFault::too_large};
        }
    }
    for (std::size_t i = 0; i < transaction_.outputs.size(); ++i) {
        if (is_amount(transaction_.outputs[i].value)) continue;
        return error_at(PsbtFault::amount_out_of_range, PsbtMapKind::output, i);
    }
    return std::nullopt;
}

std::optional<PsbtError> Psbt::read_utxos() {
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
        auto utxo = utxo_in(inputs_[i], transaction_.inputs[i].prevout);
        if (!utxo) return error_at(utxo.error(), PsbtMapKind::input, i);
        utxos_.push_back(*std::move(utxo));
    }
    return std::nullopt;
}

}  // namespace petal::wallet
