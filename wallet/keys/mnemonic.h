/// English mnemonics and seeds (BIP39).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "chain/bytes.h"
#include "chain/expected.h"
#include "wallet/keys/normal_form.h"
#include "wallet/keys/secret_bytes.h"

namespace petal::wallet {

/// The seed of a mnemonic and a passphrase, from which all keys are derived (BIP32).
using Seed = SecretArray<64>;

/// Why a text is not a mnemonic, and at which word.
struct MnemonicError {
    enum class Kind : std::uint8_t {
        wrong_count,     ///< not 12, 15, 18, 21 or 24 words
        unknown_word,    ///< a word is not in the list
        wrong_checksum,  ///< all words are known, but a word or the order is wrong
    };
    Kind kind = Kind::wrong_count;
    std::size_t word_count = 0;
    std::size_t position = 0;     ///< of the first unknown word, counted from 1, or 0
    SecretString word;            ///< the unknown word, cut to 24 printable characters
    std::string_view suggestion;  ///< the only word with the same first letters, if any
};

/// One line for the user with the position and the word. A caller that must not print the word
/// clears `word` first, because a mistyped word is almost a secret word.
SecretString describe(const MnemonicError& error);

/// The number of words of a new mnemonic.
enum class MnemonicSize : std::uint8_t {
    words_12 = 12,
    words_15 = 15,
    words_18 = 18,
    words_21 = 21,
    words_24 = 24
};

/// A valid mnemonic. Wiped by the destructor.
class Mnemonic {
public:
    /// Creates a new mnemonic. Throws std::runtime_error if the system has no randomness.
    static Mnemonic generate(MnemonicSize size);

    /// The mnemonic of `entropy`: 16, 20, 24, 28 or 32 bytes.
    static Mnemonic from_entropy(chain::ByteView entropy);

    /// Reads words in lower or upper case, in normal or full-width letters (NFKD), separated by any
    /// Unicode white space. Checks count, words and checksum.
    static chain::Expected<Mnemonic, MnemonicError> parse(std::string_view text);

    /// The words in lower case, separated by single spaces.
    std::string_view words() const { return words_; }

    /// The seed. `passphrase` is UTF-8, possibly empty, and is normalised (NFKD), so that all
    /// keyboards give the same seed. Takes about a millisecond.
    chain::Expected<Seed, PassphraseError> seed(std::string_view passphrase) const;

private:
    explicit Mnemonic(SecretString words) : words_(std::move(words)) {}

    SecretString words_;
};

}  // namespace petal::wallet
