/// Untrusted mnemonics and passphrases. An accepted mnemonic has the words of the input in NFKD,
/// and normalising changes neither them nor a normal form. Input that begins with P is a
/// passphrase, which gives a seed or is refused.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "wallet/keys/electrum_seed.h"
#include "wallet/keys/mnemonic.h"
#include "wallet/keys/normal_form.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using petal::wallet::Mnemonic;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    if (text.starts_with('P')) {
        const auto password = petal::wallet::normal_password(text);
        if (petal::wallet::normal_password(password) != password) std::abort();
        (void)Mnemonic::from_entropy(petal::chain::Bytes(16)).seed(text.substr(1));
        return 0;
    }
    const auto normal = petal::wallet::normal_words(text);
    if (petal::wallet::normal_words(normal) != normal) std::abort();
    (void)petal::wallet::electrum_seed(text);
    const auto mnemonic = Mnemonic::parse(text);
    if (!mnemonic) {
        if (describe(mnemonic.error()).size() > 200) std::abort();
        return 0;
    }
    std::string words;
    for (const char c : petal::wallet::normal_words(text)) {
        const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        if (is_letter) {
            words += static_cast<char>(c | 0x20);
        } else if (!words.empty() && words.back() != ' ') {
            words += ' ';
        }
    }
    if (words.ends_with(' ')) words.pop_back();
    if (words != mnemonic->words()) std::abort();
    return 0;
}
