/// Mnemonic phrases in English, and their seeds (BIP39).
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

/// The seed of a mnemonic and its passphrase; the root of all keys (BIP32).
using Seed = SecretArray<64>;

/// Why a text is no mnemonic, and at which word.
struct MnemonicError {
    enum class Kind : std::uint8_t {
        wrong_count,     ///< not 12, 15, 18, 21 or 24 words
        unknown_word,    ///< a word that is not in the list
        wrong_checksum,  ///< all words are known, but one of them or their order is wrong
    };
    Kind kind = Kind::wrong_count;
    std::size_t word_count = 0;
    std::size_t position = 0;     ///< of the first unknown word, counted from 1; 0 for other kinds
    SecretString word;            ///< the unknown word, cut to 24 printable characters
    std::string_view suggestion;  ///< the only word with the same first letters; empty if none
};

/// One line for the user, with the word's position, and with the word unless it was cleared: a
/// mistyped word is almost a secret word.
SecretString describe(const MnemonicError& error);

/// How many words a new mnemonic has.
enum class MnemonicSize : std::uint8_t {
    words_12 = 12,
    words_15 = 15,
    words_18 = 18,
    words_21 = 21,
    words_24 = 24
};

/// A valid mnemonic. Wiped when it is destroyed.
class Mnemonic {
public:
    /// Makes a new mnemonic from the system's randomness. Throws std::runtime_error if there is
    /// none.
    static Mnemonic generate(MnemonicSize size);

    /// The mnemonic that encodes `entropy`, of 16, 20, 24, 28 or 32 bytes.
    static Mnemonic from_entropy(chain::ByteView entropy);

    /// Reads words in either case with any white space of Unicode around them, also in full-width
    /// letters (NFKD), and checks count, words and checksum.
    static chain::Expected<Mnemonic, MnemonicError> parse(std::string_view text);

    /// The words in lower case, with single spaces between them.
    std::string_view words() const { return words_; }

    /// The seed. `passphrase` is UTF-8, possibly empty, and is normalized (NFKD), so that it does
    /// not matter how a keyboard composes its accents. Takes about a millisecond.
    chain::Expected<Seed, PassphraseError> seed(std::string_view passphrase) const;

private:
    explicit Mnemonic(SecretString words) : words_(std::move(words)) {}

    SecretString words_;
};

}  // namespace petal::wallet
