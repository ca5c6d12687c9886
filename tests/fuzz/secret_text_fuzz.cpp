/// Texts in which secrets are searched. The first 32 bytes are a private key; the rest is the text.
/// A text without its secrets has none, and a private key or mnemonic within it is not kept.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "chain/bytes.h"
#include "wallet/keys/base58.h"
#include "wallet/keys/mnemonic.h"
#include "wallet/keys/secret_text.h"

namespace {

using namespace petal;

std::string redact_and_check(std::string_view text) {
    std::string shown = wallet::without_secrets(text);
    if (wallet::find_secret(shown)) std::abort();
    if (wallet::find_secret(text).has_value() != (shown != text)) std::abort();
    return shown;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    constexpr std::size_t kKeyBytes = 32;
    const std::size_t key_size = std::min(size, kKeyBytes);
    chain::Bytes key(data, data + key_size);
    const std::string_view text(reinterpret_cast<const char*>(data) + key_size, size - key_size);
    redact_and_check(text);

    key.resize(kKeyBytes);
    const std::string words(wallet::Mnemonic::from_entropy(key).words());
    chain::Bytes payload{0xef};
    payload.insert(payload.end(), key.begin(), key.end());
    payload.push_back(1);
    const std::string wif = wallet::encode_base58check(payload);
    for (const std::string& secret : {words, wif}) {
        for (const std::size_t at : {std::size_t{0}, text.size() / 2, text.size()}) {
            std::string with_secret(text.substr(0, at));
            with_secret += " " + secret + " ";
            with_secret += text.substr(at);
            const std::string shown = redact_and_check(with_secret);
            if (shown.find(secret) != shown.npos) std::abort();
        }
    }
    return 0;
}
