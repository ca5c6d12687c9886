/// Unicode's compatibility decomposition (NFKD), so that a text has the same bytes on all
/// keyboards.
#pragma once

#include <cstdint>
#include <string_view>

#include "chain/expected.h"
#include "wallet/keys/secret_bytes.h"

namespace petal::wallet {

/// Why different wallets may derive different seeds from a passphrase.
enum class PassphraseError : std::uint8_t {
    not_utf8,
    unassigned_character,  ///< a character that this Unicode version does not define
};

std::string_view describe(PassphraseError error);

/// The text in NFKD, as UTF-8.
chain::Expected<SecretString, PassphraseError> normal_form(std::string_view text);

/// The form of a password that encrypts a wallet: NFKD, or unchanged if there is no normal form.
SecretString normal_password(std::string_view password);

/// The text of a mnemonic in NFKD, which replaces full-width letters, with a space for each Unicode
/// white space. Unchanged if the text is not UTF-8.
SecretString normal_words(std::string_view text);

/// normal_words() in lower case, without accents, separated by single spaces, as Electrum
/// normalises a seed.
SecretString plain_words(std::string_view text);

}  // namespace petal::wallet
