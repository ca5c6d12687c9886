/// Reads the descriptors that a user wants to watch or to spend from.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "chain/bytes.h"
#include "chain/expected.h"
#include "chain/network_params.h"
#include "wallet/descriptors/descriptor.h"
#include "wallet/keys/key_path.h"
#include "wallet/keys/secret_bytes.h"

namespace petal::wallet {

/// A public descriptor with a single path, and with one script per index that a filter can match.
struct NewDescriptor {
    Descriptor descriptor;
    std::string text;           ///< the descriptor with checksum
    SecretString private_text;  ///< the descriptor with private keys, if given
    KeyChain chain = KeyChain::receive;
    std::size_t given = 0;  ///< the index of the user's text
    /// The scripts at the first indexes. Two descriptors with equal first scripts are the same
    /// descriptor in different notations.
    std::vector<chain::Bytes> first_scripts;
};

/// The maximum number of descriptors that are read at once.
inline constexpr std::size_t kMaxNewDescriptors = 1'000;

struct NewDescriptors {
    std::vector<NewDescriptor> descriptors;  ///< without duplicates
    /// Sentences about parts of the descriptors that are not watched, and about extended keys that
    /// are not of an account.
    std::vector<std::string> notes;
};

/// The index of a refused text, and the reason as a sentence without a full stop.
struct RefusedText {
    std::size_t given = 0;
    std::string reason;
};

/// Reads descriptors, extended public keys, addresses and public keys (parse_watchable()). Change
/// descriptors are
/// - the second path of a multipath descriptor with two paths
/// - a descriptor with …/1/* if the same descriptor with …/0/* is given
///
/// Of a combo(), only wpkh() and pkh() are watched, which have the key hash as their only element.
/// pk() and sh(wpkh()) are not watched, because their elements can be computed from this element.
///
/// Refuses private keys, duplicates, scripts that a server cannot match, and descriptors that must
/// not share a filter (FilterSharing).
chain::Expected<NewDescriptors, RefusedText> parse_new_descriptors(
    std::span<const std::string> texts, const chain::NetworkParams& network);

/// Reads a file of descriptors with private keys, one per line, in the format of `petal info
/// --private` and of Bitcoin Core's importdescriptors.
/// - Accepts pkh(), wpkh(), sh(wpkh()), tr() and combo() of a compressed key.
/// - Derives hardened steps before the wildcard.
/// - Refuses public keys, all further functions, and hardened wildcards, whose addresses cannot be
///   derived without the private key.
/// - Skips blank lines and lines that start with #.
///
/// The numbers of texts (`given`) are line numbers, counted from 0. The reasons contain no part of
/// a private key.
chain::Expected<NewDescriptors, RefusedText> parse_private_descriptors(
    std::string_view file, const chain::NetworkParams& network);

/// The maximum number of characters of a wallet's private descriptors, each with a line end.
inline constexpr std::size_t kMaxPrivateCharacters = 65'000;

/// Why a descriptor can't be watched in the same wallet as `other` (FilterSharing).
std::string why_apart(std::string_view other);

/// The minimum size of a watched filter_element() in bytes. Shorter data occurs in foreign scripts
/// by chance.
inline constexpr std::size_t kShortestElement = 16;

}  // namespace petal::wallet
