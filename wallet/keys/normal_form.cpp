#include "wallet/keys/normal_form.h"

#include <utf8proc.h>

#include <cassert>
#include <stdexcept>
#include <vector>

#include "chain/enum_table.h"

namespace petal::wallet {

namespace {

using Characters = std::vector<utf8proc_int32_t, WipingAllocator<utf8proc_int32_t>>;

constexpr auto kNormalForm =
    static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT);
constexpr auto kAssignedOnly = static_cast<utf8proc_option_t>(kNormalForm | UTF8PROC_REJECTNA);
constexpr auto kWithoutAccents = static_cast<utf8proc_option_t>(kNormalForm | UTF8PROC_STRIPMARK);

chain::Expected<Characters, PassphraseError> decompose(std::string_view text,
                                                       utf8proc_option_t options) {
    const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
    const auto size = static_cast<utf8proc_ssize_t>(text.size());
    const auto needed = utf8proc_decompose(bytes, size, nullptr, 0, options);
    if (needed == UTF8PROC_ERROR_INVALIDUTF8) return chain::Unexpected{PassphraseError::not_utf8};
    if (needed == UTF8PROC_ERROR_NOTASSIGNED) {
        return chain::Unexpected{PassphraseError::unassigned_character};
    }
    if (needed < 0) throw std::runtime_error(utf8proc_errmsg(needed));
    Characters characters(static_cast<std::size_t>(needed));
    [[maybe_unused]] const auto count =
        utf8proc_decompose(bytes, size, characters.data(), needed, options);
    assert(count == needed);
    return characters;
}

SecretString encode(const Characters& characters) {
    SecretString text;
    text.reserve(4 * characters.size());
    for (const utf8proc_int32_t character : characters) {
        SecretArray<4> bytes;
        const auto size = utf8proc_encode_char(character, bytes.data());
        text.append(reinterpret_cast<const char*>(bytes.data()), static_cast<std::size_t>(size));
    }
    return text;
}

bool is_white_space(utf8proc_int32_t character) {
    constexpr utf8proc_int32_t kNextLine = 0x85;
    if ((character >= '\t' && character <= '\r') || character == kNextLine) return true;
    const auto category = utf8proc_category(character);
    return category == UTF8PROC_CATEGORY_ZS || category == UTF8PROC_CATEGORY_ZL ||
           category == UTF8PROC_CATEGORY_ZP;
}

SecretString with_spaces(std::string_view text, utf8proc_option_t options) {
    auto characters = decompose(text, options);
    if (!characters) return SecretString(text);
    for (utf8proc_int32_t& character : *characters) {
        if (is_white_space(character)) character = ' ';
    }
    return encode(*characters);
}

}  // namespace

std::string_view describe(PassphraseError error) {
    static constexpr auto kTexts = chain::enum_table<PassphraseError, std::string_view>({
        {PassphraseError::not_utf8, "the passphrase is not valid UTF-8"},
        {PassphraseError::unassigned_character,
         "the passphrase has a character that this version of Unicode does not know"},
    });
    return kTexts[error];
}

chain::Expected<SecretString, PassphraseError> normal_form(std::string_view text) {
    const auto characters = decompose(text, kAssignedOnly);
    if (!characters) return chain::Unexpected{characters.error()};
    return encode(*characters);
}

SecretString normal_password(std::string_view password) {
    auto normal = normal_form(password);
    return normal ? *std::move(normal) : SecretString(password);
}

SecretString normal_words(std::string_view text) {
    return with_spaces(text, kNormalForm);
}

SecretString plain_words(std::string_view text) {
    SecretString plain;
    const SecretString spaced = with_spaces(text, kWithoutAccents);
    plain.reserve(spaced.size());
    for (const char c : spaced) {
        if (c == ' ' && (plain.empty() || plain.ends_with(' '))) continue;
        plain += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
    if (plain.ends_with(' ')) plain.pop_back();
    return plain;
}

}  // namespace petal::wallet
