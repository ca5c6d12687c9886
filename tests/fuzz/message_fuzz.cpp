/// Untrusted message signatures, for an address of each type: none is accepted for a message that
/// was not signed.
///
/// The first byte of the input chooses the address, and whether the rest is a signature as text or
/// in bytes, or changes a valid one, two bytes at a time.
#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "chain/bytes.h"
#include "chain/script/script.h"
#include "wallet/descriptors/address.h"
#include "wallet/spending/message.h"
#include "wallet/spending/signing.h"

namespace {

using namespace petal;
using wallet::MessageFormat;
using wallet::ScriptKind;

constexpr const char* kSigned = "signed";

/// An address and, if there is a key to it, the key's decoded signature of kSigned.
struct Signer {
    chain::Bytes script;
    MessageFormat format = MessageFormat::simple;
    chain::Bytes signature = {};
};

Signer sign(ScriptKind kind, MessageFormat format) {
    const auto key = wallet::PrivateKey::parse(chain::Bytes(32, 1)).value();
    Signer signer{wallet::script_for(kind, key.public_key()), format};
    std::string text;
    if (format == MessageFormat::legacy) {
        text = wallet::legacy_message_signature(kSigned, key);
    } else {
        auto message = wallet::message_to_sign(kSigned, signer.script);
        const wallet::InputCoin coin{message.transaction.inputs[0].prevout, message.spent, kind,
                                     wallet::KeyPath{}};
        const auto is_signed = wallet::sign_transaction(
            message.transaction, {&coin, 1}, [&](const wallet::InputCoin&) { return key; }, {});
        assert(is_signed);
        text = wallet::message_signature(message.transaction, format).substr(3);
    }
    signer.signature = chain::from_base64(text).value();
    return signer;
}

std::string text_of(MessageFormat format, chain::ByteView signature) {
    const char* const prefix = format == MessageFormat::simple ? "smp"
                               : format == MessageFormat::full ? "ful"
                                                               : "";
    return prefix + chain::to_base64(signature);
}

std::vector<Signer> make_signers() {
    std::vector<Signer> signers;
    for (const ScriptKind kind :
         {ScriptKind::pkh, ScriptKind::sh_wpkh, ScriptKind::wpkh, ScriptKind::tr}) {
        for (const MessageFormat format :
             {MessageFormat::legacy, MessageFormat::simple, MessageFormat::full}) {
            if (!wallet::has_format(kind, format)) continue;
            signers.push_back(sign(kind, format));
            const Signer& signer = signers.back();
            const std::string text = text_of(format, signer.signature);
            assert(wallet::verify_message(kSigned, signer.script, text));
        }
    }
    // The older forms of segwit addresses: without and with the address's type in the first byte.
    const chain::Bytes legacy = signers.front().signature;
    for (const auto& [kind, add] : {std::pair{ScriptKind::sh_wpkh, 0},
                                    {ScriptKind::sh_wpkh, 4},
                                    {ScriptKind::wpkh, 0},
                                    {ScriptKind::wpkh, 8}}) {
        Signer signer{sign(kind, MessageFormat::full).script, MessageFormat::legacy, legacy};
        signer.signature[0] = static_cast<chain::Byte>(signer.signature[0] + add);
        assert(wallet::verify_message(kSigned, signer.script,
                                      text_of(signer.format, signer.signature)));
        signers.push_back(std::move(signer));
    }
    signers.push_back({chain::p2sh_script({})});
    signers.push_back({chain::witness_program_script(0, std::array<chain::Byte, 32>{})});
    return signers;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const std::vector<Signer> signers = make_signers();
    if (size == 0) return 0;
    const Signer& signer = signers.at(data[0] / 4 % signers.size());
    const chain::ByteView rest{data + 1, size - 1};
    std::string text(rest.begin(), rest.end());
    const int what = data[0] % 4;
    if (what == 1) text = text_of(signer.format, rest);
    if (what > 1) {
        chain::Bytes changed = signer.signature;
        for (std::size_t i = 0; i + 1 < rest.size() && !changed.empty(); i += 2) {
            changed[rest[i] % changed.size()] ^= rest[i + 1];
        }
        text = text_of(signer.format, changed);
        if (changed == signer.signature) return 0;
        static_cast<void>(wallet::verify_message(kSigned, signer.script, text));
    }
    assert(!wallet::verify_message("another", signer.script, text));
    return 0;
}
