/// A transaction with signed inputs, and changes of the transaction.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "chain/byte_reader.h"
#include "chain/transaction.h"
#include "tests/fuzz/signed_spend.h"

namespace petal::fuzz {

/// A transaction with the outputs that the inputs spend. An input without a spend is not signed.
struct SignedCase {
    chain::Transaction transaction;
    std::vector<chain::TxOutput> spent;
    std::vector<std::optional<SignedSpend>> spends;

    std::size_t input_count() const { return spends.size(); }

    void sign() {
        for (std::size_t i = 0; i < input_count(); ++i) {
            if (!spends[i]) continue;
            spent[i].script_pubkey = spends[i]->output_script;
        }
        for (std::size_t i = 0; i < input_count(); ++i) {
            if (spends[i]) spends[i]->sign(transaction, spent, i);
        }
    }

    std::optional<chain::TxOutput> output_at(std::size_t index) const {
        if (index >= transaction.outputs.size()) return std::nullopt;
        return transaction.outputs[index];
    }
};

enum class ChangeKind : std::uint8_t {
    version,
    lock_time,
    prevout_txid,
    prevout_index,
    sequence,
    amount,
    spent_script,
    output_value,
    output_script,
    insert_output,
    remove_output,
    swap_outputs,
    insert_input,
    remove_input,
    swap_inputs,
    flip_in_item,
    lengthen_item,
    shorten_item,
    drop_item,
    add_witness_item,
};
inline constexpr std::uint8_t kChangeKinds = 20;

struct Change {
    ChangeKind kind = ChangeKind::version;
    chain::ScriptFlags rules = chain::kStandardFlags;  ///< of the verdicts before and after
    std::uint16_t first = 0;                           ///< selects an input or output
    std::uint16_t second = 0;  ///< selects a second input or output, or an item
    std::uint16_t third = 0;   ///< selects a byte
    std::uint8_t mask = 1;     ///< not zero
};

inline chain::Bytes read_short_bytes(chain::ByteReader& reader) {
    constexpr std::size_t kMostBytes = 40;
    const std::size_t wanted = reader.read_u8() % (kMostBytes + 1);
    return reader.read_bytes(std::min(wanted, reader.remaining()));
}

/// Mostly below four, sometimes a number with a CompactSize of one byte or three.
inline std::size_t read_few(chain::ByteReader& reader) {
    const std::uint8_t byte = reader.read_u8();
    return byte < 0xf8 ? byte % 4U : 250 + byte % 8U;
}

inline Change read_change(chain::ByteReader& reader) {
    Change change;
    const std::uint8_t kind = reader.read_u8();
    change.kind = static_cast<ChangeKind>(kind % kChangeKinds);
    if (kind / kChangeKinds % 2 == 1) change.rules = chain::kConsensusFlags;
    change.first = reader.read_u16();
    change.second = reader.read_u16();
    change.third = reader.read_u16();
    change.mask = std::max<std::uint8_t>(1, reader.read_u8());
    return change;
}

/// A prevout that differs from the prevouts of all other inputs.
inline chain::Outpoint read_prevout(chain::ByteReader& reader, std::size_t number) {
    chain::Outpoint prevout;
    prevout.txid.bytes[0] = static_cast<chain::Byte>(number);
    prevout.txid.bytes[1] = static_cast<chain::Byte>(number >> 8U);
    prevout.txid.bytes[31] = reader.read_u8();
    prevout.index = reader.read_u32();
    return prevout;
}

inline void add_input(SignedCase& made, chain::ByteReader& reader, bool may_be_signed) {
    chain::TxInput input;
    chain::TxOutput spent;
    input.prevout = read_prevout(reader, made.input_count());
    input.sequence = reader.read_u32();
    spent.value = reader.read_i64();
    std::optional<SignedSpend> spend;
    if (may_be_signed) spend = SpendReader{reader}.read();
    if (!spend) {
        input.script_sig = read_short_bytes(reader);
        spent.script_pubkey = read_short_bytes(reader);
    }
    made.transaction.inputs.push_back(std::move(input));
    made.spent.push_back(std::move(spent));
    made.spends.push_back(std::move(spend));
}

inline SignedCase read_case(chain::ByteReader& reader, Change& change) {
    constexpr std::size_t kMostSigned = 2;
    SignedCase made;
    made.transaction.version = reader.read_i32();
    made.transaction.lock_time = reader.read_u32();
    const std::size_t inputs = std::max<std::size_t>(1, read_few(reader));
    const std::size_t outputs = read_few(reader);
    change = read_change(reader);
    while (made.input_count() < inputs) {
        add_input(made, reader, /*may_be_signed=*/inputs - made.input_count() <= kMostSigned);
    }
    while (made.transaction.outputs.size() < outputs) {
        const std::int64_t value = reader.read_i64();
        made.transaction.outputs.push_back({value, read_short_bytes(reader)});
    }
    return made;
}

template <typename List>
auto position(List& list, std::size_t index) {
    return list.begin() + static_cast<std::ptrdiff_t>(index);
}

template <typename Number>
void flip(Number& number, const Change& change) {
    const auto bits = std::uint64_t{change.mask} << change.third % sizeof(Number) * 8;
    number = static_cast<Number>(static_cast<std::uint64_t>(number) ^ bits);
}

inline void flip_byte(chain::Bytes& bytes, const Change& change) {
    if (bytes.empty()) return bytes.push_back(change.mask);
    chain::Byte& byte = bytes[change.third % bytes.size()];
    byte = static_cast<chain::Byte>(byte ^ change.mask);
}

/// Changes an item of the input's scriptSig or witness, or the redeem script that is pushed before
/// the witness of a P2SH output. Returns whether the change was in a signature's hash type.
inline bool change_item(SignedSpend& spend, const Change& change) {
    const std::size_t choices = spend.items.size() + (spend.redeem_script.empty() ? 0 : 1);
    const std::size_t at = change.second % choices;
    chain::Bytes& item = at < spend.items.size() ? spend.items[at] : spend.redeem_script;
    if (change.kind == ChangeKind::drop_item) {
        spend.items.erase(position(spend.items, change.second % spend.items.size()));
        return false;
    }
    if (change.kind == ChangeKind::shorten_item && !item.empty()) {
        item.pop_back();
        return false;
    }
    if (change.kind != ChangeKind::flip_in_item) {
        item.push_back(static_cast<chain::Byte>(change.third));
        return false;
    }
    const bool is_type = spend.scheme != SighashScheme::bip341 && !item.empty() &&
                         at >= spend.first_signature() &&
                         at - spend.first_signature() < spend.signers.size() &&
                         change.third % item.size() == item.size() - 1;
    flip_byte(item, change);
    if (is_type) spend.hash_types[at - spend.first_signature()] = HashType{item.back()};
    return is_type;
}

inline void change_outputs(std::vector<chain::TxOutput>& outputs, const Change& change) {
    if (change.kind == ChangeKind::insert_output) {
        const chain::TxOutput added{change.third, chain::Bytes(change.mask % 32U, change.mask)};
        outputs.insert(position(outputs, change.first % (outputs.size() + 1)), added);
    }
    if (outputs.empty() || change.kind == ChangeKind::insert_output) return;
    const std::size_t at = change.first % outputs.size();
    if (change.kind == ChangeKind::output_value) flip(outputs[at].value, change);
    if (change.kind == ChangeKind::output_script) flip_byte(outputs[at].script_pubkey, change);
    if (change.kind == ChangeKind::remove_output) outputs.erase(position(outputs, at));
    if (change.kind == ChangeKind::swap_outputs) {
        std::swap(outputs[at], outputs[change.second % outputs.size()]);
    }
}

/// Returns false if nothing was changed.
inline bool change_input_list(SignedCase& changed, const Change& change) {
    auto& inputs = changed.transaction.inputs;
    if (change.kind == ChangeKind::insert_input) {
        const std::size_t at = change.first % (inputs.size() + 1);
        chain::TxInput added;
        added.prevout.txid.bytes[1] = 0xff;
        added.sequence = change.third;
        inputs.insert(position(inputs, at), added);
        changed.spent.insert(position(changed.spent, at), {change.second, {}});
        changed.spends.insert(position(changed.spends, at), std::nullopt);
        return true;
    }
    const std::size_t first = change.first % inputs.size();
    const std::size_t second = change.second % inputs.size();
    if (change.kind == ChangeKind::remove_input) {
        if (inputs.size() == 1) return false;
        inputs.erase(position(inputs, first));
        changed.spent.erase(position(changed.spent, first));
        changed.spends.erase(position(changed.spends, first));
        return true;
    }
    std::swap(inputs[first], inputs[second]);
    std::swap(changed.spent[first], changed.spent[second]);
    std::swap(changed.spends[first], changed.spends[second]);
    return first != second;
}

/// What a change did, apart from the new transaction.
struct Applied {
    SignedCase changed;
    std::optional<std::size_t> own;  ///< the changed input
    bool is_item = false;            ///< of the scriptSig or witness
    bool is_hash_type = false;       ///< of a signature before taproot
};

/// Applies a change. Nothing if the result is the same.
inline std::optional<Applied> apply_change(const SignedCase& before, const Change& change) {
    Applied applied{before, std::nullopt, false, false};
    SignedCase& changed = applied.changed;
    chain::Transaction& transaction = changed.transaction;
    if (change.kind == ChangeKind::version) flip(transaction.version, change);
    if (change.kind == ChangeKind::lock_time) flip(transaction.lock_time, change);
    if (change.kind <= ChangeKind::lock_time) return applied;
    if (change.kind >= ChangeKind::output_value && change.kind <= ChangeKind::swap_outputs) {
        change_outputs(transaction.outputs, change);
        return applied;
    }
    if (change.kind >= ChangeKind::insert_input && change.kind <= ChangeKind::swap_inputs) {
        if (!change_input_list(changed, change)) return std::nullopt;
        return applied;
    }
    // The signed inputs are the last ones.
    const std::size_t own = changed.input_count() - 1 - change.first % changed.input_count();
    chain::TxInput& input = transaction.inputs[own];
    applied.own = own;
    switch (change.kind) {
        case ChangeKind::prevout_txid:
            input.prevout.txid.bytes[change.third % 32U] ^= change.mask;
            return applied;
        case ChangeKind::prevout_index:
            flip(input.prevout.index, change);
            return applied;
        case ChangeKind::sequence:
            flip(input.sequence, change);
            return applied;
        case ChangeKind::amount:
            flip(changed.spent[own].value, change);
            return applied;
        case ChangeKind::spent_script:
            flip_byte(changed.spent[own].script_pubkey, change);
            return applied;
        default:
            break;
    }
    if (!changed.spends[own]) return std::nullopt;
    applied.is_item = true;
    if (change.kind == ChangeKind::add_witness_item) {
        input.witness.push_back(chain::Bytes(change.third % 4U, change.mask));
        return applied;
    }
    applied.is_hash_type = change_item(*changed.spends[own], change);
    changed.spends[own]->put_items(input);
    return applied;
}

}  // namespace petal::fuzz
