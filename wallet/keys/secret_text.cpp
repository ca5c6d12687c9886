#include "wallet/keys/secret_text.h"

#include <algorithm>
#include <cstddef>

#include "wallet/keys/base58.h"
#include "wallet/keys/mnemonic_words.h"

namespace petal::wallet {

namespace {

constexpr std::size_t kFewestWords = 12;
constexpr std::size_t kExtendedKeyBytes = 78;
constexpr std::size_t kPrivateKeyByte = 45;  // before the 32 bytes of an extended private key
constexpr std::size_t kUncompressedWif = 51;
constexpr std::size_t kCompressedWif = 52;

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
bool is_lower(char c) {
    return c >= 'a' && c <= 'z';
}
bool is_upper(char c) {
    return c >= 'A' && c <= 'Z';
}
bool is_word_character(char c) {
    return is_digit(c) || is_lower(c) || is_upper(c);
}

/// A run of letters and digits.
struct Word {
    std::size_t begin = 0;
    std::size_t end = 0;

    std::string_view in(std::string_view text) const { return text.substr(begin, end - begin); }
};

/// The first word at or after `from`. Empty at the end of the text.
Word next_word(std::string_view text, std::size_t from) {
    Word word{from, from};
    while (word.begin < text.size() && !is_word_character(text[word.begin])) ++word.begin;
    word.end = word.begin;
    while (word.end < text.size() && is_word_character(text[word.end])) ++word.end;
    return word;
}

/// Whether the word contains a prefix of BIP32 or SLIP132 (xprv, tprv, yprv etc.) and enough
/// characters of a key, which may be truncated.
bool has_extended_key_prefix(std::string_view word) {
    constexpr std::size_t kLeastShown = 12;
    constexpr std::string_view kNetworks = "xtyzuvYZUV";
    for (std::size_t at = word.find("prv"); at != word.npos; at = word.find("prv", at + 1)) {
        const bool is_marked = at > 0 && kNetworks.find(word[at - 1]) != kNetworks.npos;
        if (is_marked && word.size() - at >= kLeastShown + 3) return true;
    }
    return false;
}

bool has_wif_length(std::string_view word) {
    return word.size() == kUncompressedWif || word.size() == kCompressedWif;
}

/// Whether the word looks like a mistyped WIF: by length, first letter, and letters of both cases.
bool has_wif_form(std::string_view word) {
    if (!has_wif_length(word)) return false;
    const std::string_view first = word.size() == kUncompressedWif ? "59" : "KLc";
    return first.find(word.front()) != first.npos && std::ranges::any_of(word, is_lower) &&
           std::ranges::any_of(word, is_upper) && std::ranges::any_of(word, is_digit) &&
           word.find_first_of("0OIl") == word.npos;
}

/// Whether the word is a private key with a valid checksum, of any network.
bool is_private_key(std::string_view word) {
    constexpr std::size_t kExtendedKeyCharacters = 111;
    if (!has_wif_length(word) && word.size() < kExtendedKeyCharacters) return false;
    const auto payload = decode_base58check(word, kExtendedKeyBytes);
    if (!payload) return false;
    if (payload->size() == kExtendedKeyBytes) return (*payload)[kPrivateKeyByte] == 0;
    constexpr std::size_t kVersionAndKey = 33;
    return payload->size() == kVersionAndKey ||
           (payload->size() == kVersionAndKey + 1 && payload->back() == 1);
}

/// Whether a word and the text around it can be one base64 text.
bool is_within_base64(std::string_view text, const Word& word) {
    constexpr std::string_view kBase64Marks = "+/=";
    const bool is_after = word.begin > 0 && kBase64Marks.find(text[word.begin - 1]) != text.npos;
    const bool is_before = word.end < text.size() && kBase64Marks.find(text[word.end]) != text.npos;
    return is_after || is_before;
}

bool shows_private_key(std::string_view text, const Word& word) {
    const std::string_view key = word.in(text);
    return has_extended_key_prefix(key) || is_private_key(key) ||
           (has_wif_form(key) && !is_within_base64(text, word));
}

/// Whether the word, in any case of letters, is in BIP39's list or is the first four letters of a
/// word in the list.
bool is_mnemonic_word(std::string_view word) {
    constexpr std::size_t kUnique = 4;
    constexpr std::size_t kLongest = 8;
    if (word.size() > kLongest) return false;
    std::string lower(word);
    for (char& c : lower) {
        if (is_upper(c)) c = static_cast<char>(c - 'A' + 'a');
    }
    const auto* const found = std::ranges::lower_bound(kEnglishWords, std::string_view(lower));
    if (found == kEnglishWords.end()) return false;
    return *found == lower || (lower.size() == kUnique && found->starts_with(lower));
}

struct Secret {
    std::size_t begin = 0;
    std::size_t end = 0;
    SecretKind kind = SecretKind::private_key;
};

/// The first secret at or after `from`. Skips numbers between the words of a mnemonic.
std::optional<Secret> next_secret(std::string_view text, std::size_t from) {
    std::size_t words = 0;
    Secret mnemonic{from, from, SecretKind::mnemonic};
    for (Word word = next_word(text, from); word.begin < text.size();
         word = next_word(text, word.end)) {
        const std::string_view shown = word.in(text);
        if (is_mnemonic_word(shown)) {
            if (words == 0) mnemonic.begin = word.begin;
            mnemonic.end = word.end;
            ++words;
            continue;
        }
        if (words > 0 && std::ranges::all_of(shown, is_digit)) continue;
        if (words >= kFewestWords) return mnemonic;
        words = 0;
        if (shows_private_key(text, word)) {
            return Secret{word.begin, word.end, SecretKind::private_key};
        }
    }
    if (words >= kFewestWords) return mnemonic;
    return std::nullopt;
}

}  // namespace

std::optional<SecretKind> find_secret(std::string_view text) {
    const auto secret = next_secret(text, 0);
    if (!secret) return std::nullopt;
    return secret->kind;
}

std::string without_secrets(std::string_view text) {
    std::string result;
    std::size_t copied = 0;
    for (auto secret = next_secret(text, 0); secret; secret = next_secret(text, secret->end)) {
        result += text.substr(copied, secret->begin - copied);
        result += "(redacted)";  // no word of a mnemonic
        copied = secret->end;
    }
    result += text.substr(copied);
    return result;
}

}  // namespace petal::wallet
