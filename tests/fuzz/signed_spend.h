/// Valid spends of every template that can be verified, signed with the hashes of
/// plain_signature_hash.h.
#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "chain/byte_reader.h"
#include "chain/script/input_verification.h"
#include "chain/script/script.h"
#include "tests/fuzz/plain_signature_hash.h"
#include "tests/support/signing.h"

namespace petal::fuzz {

/// Only policy forbids hybrid keys, and uncompressed keys in segwit.
enum class KeyForm : std::uint8_t { compressed, uncompressed, hybrid };

/// Flaws that only the standard rules forbid, apart from forms of keys and hash types.
enum class Quirk : std::uint8_t { none, high_s, longer_push, extra_item, annex };

/// The public key of a number from 1 to 20.
inline const chain::Bytes& numbered_key(std::uint32_t number, KeyForm form) {
    static const auto keys = [] {
        std::array<std::array<chain::Bytes, 3>, 20> made;
        for (std::uint32_t i = 0; i < made.size(); ++i) {
            const chain::Bytes secret = test::private_key(i + 1);
            made[i] = {test::public_key_of(secret), test::public_key_of(secret, false),
                       test::public_key_of(secret, false)};
            chain::Bytes& hybrid = made[i][2];
            hybrid[0] = static_cast<chain::Byte>(6U | (hybrid.back() & 1U));
        }
        return made;
    }();
    return keys.at(number - 1).at(static_cast<std::size_t>(form));
}

/// The script of the taproot output without a script path, of a key from 1 to 20.
inline const chain::Bytes& numbered_taproot_script(std::uint32_t number) {
    static const auto scripts = [] {
        std::array<chain::Bytes, 20> made;
        for (std::uint32_t i = 0; i < made.size(); ++i) {
            made[i] = test::script_of(chain::ScriptType::p2tr, test::private_key(i + 1));
        }
        return made;
    }();
    return scripts.at(number - 1);
}

/// How an input spends an output: a template, keys and hash types.
struct SignedSpend {
    SighashScheme scheme = SighashScheme::bip143;
    Quirk quirk = Quirk::none;
    chain::Bytes output_script;
    chain::Bytes script_code;    ///< the script that signatures before taproot cover
    chain::Bytes redeem_script;  ///< P2SH around segwit
    bool is_multisig = false;
    std::vector<std::uint32_t> signers;     ///< numbers of the keys, in the order of signatures
    std::vector<HashType> hash_types;       ///< one for each signer
    std::vector<chain::Bytes> shown;        ///< the items after the signatures: key, script
    std::size_t long_push_at = 0;           ///< with Quirk::longer_push
    std::optional<chain::Bytes> annex;      ///< with Quirk::annex
    std::vector<chain::ScriptError> flaws;  ///< flaws that only the standard rules forbid

    std::size_t signed_at = 0;        ///< the input index at signing
    std::vector<chain::Bytes> items;  ///< of the scriptSig or the witness, set by sign()

    std::size_t first_signature() const { return is_multisig ? 1 : 0; }

    /// Whether the hash types exist for this input, so that signatures can be valid.
    bool can_be_signed(const chain::Transaction& transaction, std::size_t input_index) const {
        return scheme != SighashScheme::bip341 ||
               has_plain_taproot_hash(transaction, input_index, hash_types[0]);
    }

    void sign(chain::Transaction& transaction, const std::vector<chain::TxOutput>& spent,
              std::size_t input_index);

    /// Writes the items to the scriptSig and the witness.
    void put_items(chain::TxInput& input) const;

private:
    chain::Bytes signature(const chain::Transaction& transaction,
                           const std::vector<chain::TxOutput>& spent, std::size_t input_index,
                           std::size_t signer) const;
};

inline chain::Bytes SignedSpend::signature(const chain::Transaction& transaction,
                                           const std::vector<chain::TxOutput>& spent,
                                           std::size_t input_index, std::size_t signer) const {
    const chain::Bytes secret = test::private_key(signers[signer]);
    const HashType type = hash_types[signer];
    if (scheme == SighashScheme::bip341) {
        std::array<chain::Byte, 32> hash{};
        if (can_be_signed(transaction, input_index)) {
            hash = plain_taproot_hash(transaction, spent, input_index, type, annex);
        }
        chain::Bytes made = test::sign_taproot_hash(hash, secret);
        if (type.byte != 0) made.push_back(type.byte);
        return made;
    }
    const auto hash = scheme == SighashScheme::legacy
                          ? plain_legacy_hash(transaction, input_index, script_code, type)
                          : plain_segwit_hash(transaction, input_index, script_code,
                                              spent[input_index].value, type);
    chain::Bytes made = test::sign_hash(hash, secret);
    made.push_back(type.byte);
    return quirk == Quirk::high_s && signer == 0 ? test::with_high_s(made) : made;
}

inline void SignedSpend::sign(chain::Transaction& transaction,
                              const std::vector<chain::TxOutput>& spent, std::size_t input_index) {
    signed_at = input_index;
    items.clear();
    if (is_multisig) items.emplace_back();
    for (std::size_t i = 0; i < signers.size(); ++i) {
        items.push_back(signature(transaction, spent, input_index, i));
    }
    items.insert(items.end(), shown.begin(), shown.end());
    if (annex) items.push_back(*annex);
    put_items(transaction.inputs[input_index]);
}

/// A push with one or two length bytes more than needed.
inline chain::Bytes longer_push(const chain::Bytes& item) {
    chain::ByteWriter writer;
    if (item.size() < chain::kOpPushData1) {
        writer.u8(chain::kOpPushData1).u8(static_cast<std::uint8_t>(item.size()));
    } else if (item.size() <= 0xff) {
        writer.u8(chain::kOpPushData2).u16(static_cast<std::uint16_t>(item.size()));
    } else {
        writer.u8(chain::kOpPushData4).u32(static_cast<std::uint32_t>(item.size()));
    }
    return writer.bytes(item).take();
}

inline void SignedSpend::put_items(chain::TxInput& input) const {
    input.script_sig.clear();
    input.witness.clear();
    if (scheme != SighashScheme::legacy) {
        for (const chain::Bytes& item : items) input.witness.push_back(item);
        if (!redeem_script.empty()) input.script_sig = chain::push_data(redeem_script);
        return;
    }
    chain::ByteWriter writer;
    if (quirk == Quirk::extra_item) writer.u8(chain::kOp16);
    for (std::size_t i = 0; i < items.size(); ++i) {
        const bool is_long = quirk == Quirk::longer_push && i == long_push_at % items.size();
        writer.bytes(is_long ? longer_push(items[i]) : chain::push_data(items[i]));
    }
    input.script_sig = writer.take();
}

/// Reads a SignedSpend from the input of a fuzz target.
class SpendReader {
public:
    explicit SpendReader(chain::ByteReader& reader) : reader_(reader) {}

    /// Nothing if the input asks for an input that is not signed.
    std::optional<SignedSpend> read() {
        // P2WPKH, P2SH-P2WPKH, P2TR, then each script in each place.
        const unsigned kind = reader_.read_u8() % 16;
        if (kind == 15) return std::nullopt;
        first_key_ = reader_.read_u8();
        forms_ = reader_.read_u32();
        const std::uint8_t quirk = reader_.read_u8();
        if (kind == 2) {
            read_taproot(quirk);
            return spend_;
        }
        if (kind < 2) {
            read_key_hash(/*is_in_p2sh=*/kind == 1);
        } else {
            read_script(static_cast<Script>((kind - 3) / 4),
                        test::kScriptPlaces.at((kind - 3) % 4));
        }
        while (spend_.hash_types.size() < spend_.signers.size()) {
            spend_.hash_types.push_back(read_hash_type());
        }
        add_flaws_of_types();
        apply_quirk(quirk);
        return spend_;
    }

private:
    enum class Script : std::uint8_t { p2pk, p2pkh, multisig };

    std::uint32_t key_number(std::size_t index) const {
        return static_cast<std::uint32_t>((first_key_ + index) % 20 + 1);
    }

    KeyForm key_form(std::size_t index) const {
        const unsigned bits = (forms_ >> (index % 16 * 2)) & 3U;
        return bits < 2 ? KeyForm::compressed : static_cast<KeyForm>(bits - 1);
    }

    const chain::Bytes& key(std::size_t index) const {
        return numbered_key(key_number(index), key_form(index));
    }

    // Mostly a type with a name. BIP341 gives names to seven types. Type 0 is not standard before
    // taproot.
    HashType read_hash_type() {
        constexpr std::array<std::uint8_t, 7> kNamed{1, 2, 3, 0x81, 0x82, 0x83, 0};
        const std::uint8_t byte = reader_.read_u8();
        return byte < 0xf0 ? HashType{kNamed.at(byte % 7)} : HashType{reader_.read_u8()};
    }

    void add_key_flaw(std::size_t index) {
        const KeyForm form = key_form(index);
        if (form == KeyForm::hybrid) spend_.flaws.push_back(chain::ScriptError::key_type);
        if (form == KeyForm::uncompressed && spend_.scheme == SighashScheme::bip143) {
            spend_.flaws.push_back(chain::ScriptError::witness_key_type);
        }
    }

    void add_flaws_of_types() {
        for (const HashType type : spend_.hash_types) {
            const unsigned outputs = type.byte & 0x7fU;
            if (outputs < 1 || outputs > 3) {
                spend_.flaws.push_back(chain::ScriptError::signature_hash_type);
            }
        }
    }

    void apply_quirk(std::uint8_t byte) {
        const bool is_legacy = spend_.scheme == SighashScheme::legacy;
        if (byte % 8 == 1) {
            spend_.quirk = Quirk::high_s;
            spend_.flaws.push_back(chain::ScriptError::high_s);
        } else if (byte % 8 == 2 && is_legacy) {
            spend_.quirk = Quirk::longer_push;
            spend_.long_push_at = byte / 8;
            spend_.flaws.push_back(chain::ScriptError::minimal_data);
        } else if (byte % 8 == 3 && is_legacy) {
            spend_.quirk = Quirk::extra_item;
            spend_.flaws.push_back(chain::ScriptError::clean_stack);
        }
    }

    void read_taproot(std::uint8_t quirk) {
        spend_.scheme = SighashScheme::bip341;
        spend_.output_script = numbered_taproot_script(key_number(0));
        spend_.signers = {key_number(0)};
        spend_.hash_types = {read_hash_type()};
        if (quirk % 4 != 1) return;
        spend_.quirk = Quirk::annex;
        spend_.annex = chain::Bytes(std::size_t{1} + quirk, 0x50);
    }

    void read_key_hash(bool is_in_p2sh) {
        const chain::Hash160 hash = chain::hash160(key(0));
        const chain::Bytes program = chain::p2wpkh_script(hash);
        spend_.script_code = chain::p2pkh_script(hash);
        spend_.output_script = is_in_p2sh ? chain::p2sh_script(chain::hash160(program)) : program;
        if (is_in_p2sh) spend_.redeem_script = program;
        spend_.signers = {key_number(0)};
        spend_.shown = {key(0)};
        add_key_flaw(0);
    }

    void read_script(Script script, test::ScriptPlace place) {
        spend_.scheme = test::is_segwit(place) ? SighashScheme::bip143 : SighashScheme::legacy;
        if (script == Script::multisig) {
            read_multisig(place);
        } else {
            spend_.script_code = script == Script::p2pk
                                     ? chain::p2pk_script(key(0))
                                     : chain::p2pkh_script(chain::hash160(key(0)));
            spend_.signers = {key_number(0)};
            if (script == Script::p2pkh) spend_.shown = {key(0)};
            add_key_flaw(0);
        }
        spend_.output_script = test::output_script_of(place, spend_.script_code);
        if (place != test::ScriptPlace::bare) spend_.shown.push_back(spend_.script_code);
        if (place == test::ScriptPlace::p2sh_p2wsh) {
            spend_.redeem_script =
                test::output_script_of(test::ScriptPlace::p2wsh, spend_.script_code);
        }
    }

    // Mostly one to four keys, at most 20.
    void read_multisig(test::ScriptPlace place) {
        const std::uint8_t keys_byte = reader_.read_u8();
        const std::uint8_t required_byte = reader_.read_u8();
        const std::uint32_t choice = reader_.read_u32();
        std::size_t count = keys_byte < 0xf0 ? 1 + keys_byte % 4U : 5 + keys_byte % 16U;
        chain::Bytes keys = pushed_keys(count);
        constexpr std::size_t kOtherBytes = 4;
        while (place == test::ScriptPlace::p2sh &&
               keys.size() + kOtherBytes > chain::kMaxPushBytes) {
            keys = pushed_keys(--count);
        }
        const std::size_t required = 1 + required_byte % count;
        chain::ByteWriter writer;
        writer.bytes(chain::push_number(static_cast<std::int64_t>(required))).bytes(keys);
        writer.bytes(chain::push_number(static_cast<std::int64_t>(count)));
        spend_.script_code = writer.u8(chain::kOpCheckMultisig).take();
        spend_.is_multisig = true;
        choose_signers(count, required, choice);
    }

    chain::Bytes pushed_keys(std::size_t count) const {
        chain::ByteWriter writer;
        for (std::size_t i = 0; i < count; ++i) writer.bytes(chain::push_data(key(i)));
        return writer.take();
    }

    // Keys are tried from the last key on, so keys before the first signer's key are never parsed.
    void choose_signers(std::size_t count, std::size_t required, std::uint32_t choice) {
        std::size_t left = required;
        for (std::size_t i = 0; i < count; ++i) {
            const bool is_needed = left == count - i;
            if (left > 0 && (is_needed || ((choice >> i) & 1U) != 0)) {
                spend_.signers.push_back(key_number(i));
                --left;
            }
            if (!spend_.signers.empty()) add_key_flaw(i);
        }
    }

    chain::ByteReader& reader_;
    std::size_t first_key_ = 0;
    std::uint32_t forms_ = 0;
    SignedSpend spend_;
};

}  // namespace petal::fuzz
