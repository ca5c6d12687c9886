/// English mnemonics and seeds (BIP39).
#include "wallet/keys/mnemonic.h"

#include <openssl/evp.h>

#include <algorithm>
#include <cassert>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "chain/hash.h"
#include "wallet/keys/mnemonic_words.h"
#include "wallet/keys/normal_form.h"
#include "wallet/keys/randomness.h"

namespace petal::wallet {

namespace {

constexpr std::size_t kMaxWords = 24;
constexpr std::size_t kBitsPerWord = 11;
constexpr std::size_t kShownCharacters = 24;
constexpr std::size_t kTellingLetters = 4;  // the first letters that identify a word of the list
constexpr std::string_view kWhiteSpace = " \t\n\v\f\r";

bool is_word_count(std::size_t count) {
    return count >= 12 && count <= kMaxWords && count % 3 == 0;
}

bool is_entropy_size(std::size_t bytes) {
    return bytes >= 16 && bytes <= 32 && bytes % 4 == 0;
}

/// The index of a word in the list. Empty for an unknown word.
std::optional<std::size_t> index_of(std::string_view word) {
    const auto found = std::lower_bound(kEnglishWords.begin(), kEnglishWords.end(), word);
    if (found == kEnglishWords.end() || *found != word) return std::nullopt;
    return static_cast<std::size_t>(found - kEnglishWords.begin());
}

/// The only word of the list that starts with the same letters as `word`. Empty if there are none
/// or several.
std::string_view suggestion_for(std::string_view word) {
    const std::string_view start = word.substr(0, kTellingLetters);
    const auto found = std::lower_bound(kEnglishWords.begin(), kEnglishWords.end(), start);
    if (found == kEnglishWords.end() || !found->starts_with(start)) return {};
    const auto next = found + 1;
    if (next != kEnglishWords.end() && next->starts_with(start)) return {};
    return *found;
}

/// The printable start of an unknown word, which may be any pasted text.
SecretString printable(std::string_view word) {
    SecretString shown{word.substr(0, kShownCharacters)};
    std::replace_if(
        shown.begin(), shown.end(), [](char c) { return c < '!' || c > '~'; }, '?');
    return shown;
}

SecretString lower_case(std::string_view text) {
    SecretString lower{text};
    for (char& c : lower) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    return lower;
}

/// The words of a text, as views. Words after the maximum length of a mnemonic are only counted.
struct SplitText {
    std::vector<std::string_view> words;
    std::size_t count = 0;
};

SplitText split(std::string_view text) {
    SplitText result;
    std::size_t start = text.find_first_not_of(kWhiteSpace);
    while (start != std::string_view::npos) {
        const std::size_t end = std::min(text.find_first_of(kWhiteSpace, start), text.size());
        if (++result.count <= kMaxWords) result.words.push_back(text.substr(start, end - start));
        start = text.find_first_not_of(kWhiteSpace, end);
    }
    return result;
}

/// A bit string, most significant bit first.
class Bits {
public:
    explicit Bits(std::size_t bytes) : bytes_(bytes) {}
    explicit Bits(SecretBytes bytes) : bytes_(std::move(bytes)) {}

    bool get(std::size_t position) const {
        return ((bytes_[position / 8] >> (7 - position % 8)) & 1) != 0;
    }
    void set(std::size_t position) {
        bytes_[position / 8] =
            static_cast<chain::Byte>(bytes_[position / 8] | 0x80 >> position % 8);
    }
    std::size_t word_at(std::size_t word) const {
        std::size_t index = 0;
        for (std::size_t i = 0; i < kBitsPerWord; ++i) {
            index = index << 1 | std::size_t{get(word * kBitsPerWord + i)};
        }
        return index;
    }
    void set_word(std::size_t word, std::size_t index) {
        for (std::size_t i = 0; i < kBitsPerWord; ++i) {
            const bool bit = ((index >> (kBitsPerWord - 1 - i)) & 1) != 0;
            if (bit) set(word * kBitsPerWord + i);
        }
    }
    const SecretBytes& bytes() const { return bytes_; }

private:
    SecretBytes bytes_;
};

}  // namespace

SecretString describe(const MnemonicError& error) {
    switch (error.kind) {
        case MnemonicError::Kind::wrong_count:
            return SecretString(std::to_string(error.word_count) +
                                (error.word_count == 1 ? " word" : " words") +
                                "; a mnemonic has 12, 15, 18, 21 or 24");
        case MnemonicError::Kind::unknown_word: {
            SecretString text = SecretString("word " + std::to_string(error.position) + " of " +
                                             std::to_string(error.word_count));
            if (!error.word.empty()) text.append(", '").append(error.word).append("',");
            text += " is not in the English word list";
            if (!error.suggestion.empty()) {
                text.append("; is it '").append(error.suggestion).append("'?");
            }
            return text;
        }
        case MnemonicError::Kind::wrong_checksum:
            return SecretString(
                "wrong checksum: all " + std::to_string(error.word_count) +
                " words are in the list, but one is wrong or they are out of order");
    }
    assert(false);
    return {};
}

Mnemonic Mnemonic::generate(MnemonicSize size) {
    SecretBytes entropy(static_cast<std::size_t>(size) / 3 * 4);
    fill_random(entropy);
    return from_entropy(entropy);
}

Mnemonic Mnemonic::from_entropy(chain::ByteView entropy) {
    assert(is_entropy_size(entropy.size()));
    SecretBytes with_checksum;
    with_checksum.reserve(entropy.size() + 1);
    with_checksum.assign(entropy.begin(), entropy.end());
    with_checksum.push_back(chain::sha256(entropy).front());
    const Bits bits{std::move(with_checksum)};

    const std::size_t word_count = entropy.size() / 4 * 3;
    SecretString words;
    words.reserve(word_count * 9);
    for (std::size_t i = 0; i < word_count; ++i) {
        if (i > 0) words += ' ';
        words += kEnglishWords[bits.word_at(i)];
    }
    return Mnemonic{std::move(words)};
}

chain::Expected<Mnemonic, MnemonicError> Mnemonic::parse(std::string_view text) {
    const SecretString lower = lower_case(normal_words(text));
    const SplitText split_text = split(lower);
    const auto fail = [&](MnemonicError::Kind kind) {
        return chain::Unexpected{MnemonicError{kind, split_text.count, 0, {}, {}}};
    };
    if (!is_word_count(split_text.count)) return fail(MnemonicError::Kind::wrong_count);

    Bits bits{(split_text.count * kBitsPerWord + 7) / 8};
    for (std::size_t i = 0; i < split_text.count; ++i) {
        const std::string_view word = split_text.words[i];
        const auto index = index_of(word);
        if (!index) {
            return chain::Unexpected{MnemonicError{MnemonicError::Kind::unknown_word,
                                                   split_text.count, i + 1, printable(word),
                                                   suggestion_for(word)}};
        }
        bits.set_word(i, *index);
    }
    const std::size_t entropy_bytes = split_text.count / 3 * 4;
    Mnemonic mnemonic = from_entropy(chain::ByteView{bits.bytes()}.first(entropy_bytes));
    // Only the last word contains checksum bits, so only the last word can differ.
    const std::string_view words = mnemonic.words();
    if (words.substr(words.rfind(' ') + 1) != split_text.words.back()) {
        return fail(MnemonicError::Kind::wrong_checksum);
    }
    return mnemonic;
}

chain::Expected<Seed, PassphraseError> Mnemonic::seed(std::string_view passphrase) const {
    const auto normalized = normal_form(passphrase);
    if (!normalized) return chain::Unexpected{normalized.error()};
    constexpr std::string_view kSaltStart = "mnemonic";
    constexpr int kRounds = 2048;
    SecretBytes salt;
    salt.reserve(kSaltStart.size() + normalized->size());
    salt.assign(kSaltStart.begin(), kSaltStart.end());
    salt.insert(salt.end(), normalized->begin(), normalized->end());

    Seed seed;
    const int done = PKCS5_PBKDF2_HMAC(words_.data(), static_cast<int>(words_.size()), salt.data(),
                                       static_cast<int>(salt.size()), kRounds, EVP_sha512(),
                                       static_cast<int>(Seed::size()), seed.data());
    if (done != 1) throw std::runtime_error("OpenSSL could not compute PBKDF2");
    return seed;
}

}  // namespace petal::wallet
