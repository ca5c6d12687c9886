/// Descriptors that a user gives to be watched or spent from: all are parsed before any is used.
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

/// A public descriptor of a single path that has one script at each index, with an element that can
/// be watched.
struct NewDescriptor {
    Descriptor descriptor;
    std::string text;           ///< the descriptor's, with checksum
    SecretString private_text;  ///< the same descriptor with its private keys, if they were given;
                                ///< else empty
    KeyChain chain = KeyChain::receive;
    std::size_t given = 0;  ///< which of the user's texts it is from
    /// The scripts at the first indexes. Two descriptors with the same first scripts have the same
    /// scripts at all indexes, however they are written.
    std::vector<chain::Bytes> first_scripts;
};

/// The maximum number of descriptors that are read at once.
inline constexpr std::size_t kMaxNewDescriptors = 1'000;

struct NewDescriptors {
    std::vector<NewDescriptor> descriptors;  ///< without repetition
    /// Sentences about parts of the given descriptors that are not watched, and about what is
    /// watched of an extended key that is no account.
    std::vector<std::string> notes;
};

/// The user's text that is refused, and why: a sentence without its full stop.
struct RefusedText {
    std::size_t given = 0;
    std::string reason;
};

/// Reads descriptors, extended public keys, addresses and public keys (parse_watchable()). The
/// second path of a multipath descriptor is change; so is the descriptor with .../1/* if the same
/// with .../0/* is given, too.
///
/// Only the wpkh() and pkh() forms of a combo() are watched: their scripts have the same key hash
/// as their only element. pk() and sh(wpkh()) are not, because the elements could be computed from
/// each other.
///
/// Refuses private keys, duplicates, scripts without data that a server could match, and two
/// descriptors whose elements could be computed from each other.
chain::Expected<NewDescriptors, RefusedText> parse_new_descriptors(
    std::span<const std::string> texts, const chain::NetworkParams& network);

/// Reads a file of descriptors with private keys, one a line, as `petal info --private` prints and
/// Bitcoin Core's importdescriptors reads them: pkh(), wpkh(), sh(wpkh()), tr() and combo() of a
/// compressed key. Hardened steps before the wildcard are derived here. Blank lines and lines that
/// begin with # are skipped; the numbers of texts (`given`) are line numbers, counted from 0.
/// Refuses public keys, other functions, and hardened wildcards, whose addresses could not be
/// derived without the private key. The reasons contain no part of a private key.
chain::Expected<NewDescriptors, RefusedText> parse_private_descriptors(
    std::string_view file, const chain::NetworkParams& network);

/// How many characters the private descriptors of a wallet have at most, with a line end each.
inline constexpr std::size_t kMaxPrivateCharacters = 65'000;

/// Why a descriptor can't be watched in one wallet with `other` (FilterSharing).
std::string why_apart(std::string_view other);

/// The shortest filter_element() of a script that is watched. Shorter data are in the scripts of
/// strangers by chance.
inline constexpr std::size_t kShortestElement = 16;

}  // namespace petal::wallet
