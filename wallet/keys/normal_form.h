/// Unicode's compatibility decomposition (NFKD): the same bytes however a text was typed.
#pragma once

#include <cstdint>
#include <string_view>

#include "chain/expected.h"
#include "wallet/keys/secret_bytes.h"

namespace petal::wallet {

/// Why a passphrase can't be converted to a seed in the same way by every wallet.
enum class PassphraseError : std::uint8_t {
    not_utf8,
    unassigned_character,  ///< a character without a normal form in the Unicode version at hand
};

std::string_view describe(PassphraseError error);

/// The text in NFKD, as UTF-8.
chain::Expected<SecretString, PassphraseError> normal_form(std::string_view text);

/// A password as it seals a wallet: in NFKD or, if it has no normal form, unchanged.
SecretString normal_password(std::string_view password);

/// The text of a mnemonic in NFKD, where full-width letters are letters, with a space for each
/// white space of Unicode. Unchanged if it is not UTF-8.
SecretString normal_words(std::string_view text);

/// normal_words() in lower case without accents, single spaces between its words, as Electrum
/// normalises a seed.
SecretString plain_words(std::string_view text);

}  // namespace petal::wallet
