#include "wallet/keys/electrum_seed.h"

#include "chain/bytes.h"
#include "chain/enum_table.h"
#include "wallet/keys/hmac_sha512.h"
#include "wallet/keys/normal_form.h"

namespace petal::wallet {

std::string_view describe(ElectrumSeed kind) {
    using enum ElectrumSeed;
    static constexpr auto kTexts = chain::enum_table<ElectrumSeed, std::string_view>({
        {standard, "Standard"},
        {segwit, "Segwit"},
        {two_factor, "two-factor"},
        {two_factor_segwit, "two-factor, Segwit"},
    });
    return kTexts[kind];
}

std::optional<ElectrumSeed> electrum_seed(std::string_view text) {
    using enum ElectrumSeed;
    const SecretString words = plain_words(text);
    if (words.empty()) return std::nullopt;
    constexpr std::string_view kKey = "Seed version";
    const auto code = HmacSha512(chain::as_bytes(kKey)).digest({chain::as_bytes(words)});
    const chain::ByteView digest = code.view();
    const unsigned third_digit = digest[1] >> 4U;
    if (digest[0] == 0x01) return standard;
    if (digest[0] != 0x10) return std::nullopt;
    if (third_digit == 0) return segwit;
    if (third_digit == 1) return two_factor;
    if (third_digit == 2) return two_factor_segwit;
    return std::nullopt;
}

}  // namespace petal::wallet
