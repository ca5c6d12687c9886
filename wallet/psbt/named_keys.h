/// The keys in the scripts of a PSBT, by the origins that it states for them (BIP174).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "chain/network_params.h"
#include "wallet/keys/extended_key.h"
#include "wallet/keys/secp256k1.h"
#include "wallet/psbt/fields.h"
#include "wallet/psbt/psbt.h"
#include "wallet/psbt/spent_script.h"

namespace petal::wallet {

/// The keys of the script that an input spends for which the PSBT states an origin, in the order of
/// the script. An origin is a claim until the key is derived. Empty if a script is missing, or is
/// not the one that the output commits to, or has a template that PsbtSigner does not sign.
std::vector<KeyDerivation> named_keys(const Psbt& psbt, std::size_t input);

/// Whether a PSBT names this key: compressed or, for taproot, its x coordinate.
bool is_named_as(const PublicKey& key, chain::ByteView named);

/// Finds the outputs that pay the descriptor of an input. Stated origins alone prove nothing:
/// whoever wrote the PSBT can put keys of another owner under the origins of all signers. So each
/// key must be derived, either from an extended key of the PSBT's global map, whose child is also
/// in the script that the input spends, or by the secret of the wallet.
class DescriptorProver {
public:
    /// The wallet's public key at an origin; empty if the wallet's secret has none there.
    using OwnKeys = std::function<std::optional<PublicKey>(const KeyOrigin& origin)>;

    /// `psbt` must outlive it. Extended keys of another network are ignored.
    DescriptorProver(const Psbt& psbt, const std::vector<std::size_t>& inputs,
                     const chain::NetworkParams& network, OwnKeys own);

    /// Whether an output provably pays the descriptor of one of the inputs: the same template and
    /// number of signers, the same keys in the same order or both sorted, on the receive or the
    /// change chain (0 or 1), with an index up to kMaxIndex. Beyond that, the owner's wallets would
    /// not find the coin.
    bool pays_descriptor_of_input(std::size_t output) const;

    static constexpr std::uint32_t kMaxIndex = 10'000;

private:
    struct Source {
        std::string name;  ///< the key's bytes
        ExtendedPublicKey key;
        KeyOrigin origin;
    };
    /// A script whose keys are all derived, each with its last two steps.
    struct ProvenScript {
        std::string form;                   ///< its template and the number of signers
        std::vector<std::string> accounts;  ///< of its keys in order: the source and the path below
        bool is_sorted = false;             ///< by the bytes of the keys
        std::uint32_t chain = 0;
        std::uint32_t index = 0;
    };

    std::optional<ProvenScript> prove(const SpentScript& script,
                                      const std::vector<KeyDerivation>& keys) const;
    std::optional<ProvenScript> prove_input(std::size_t input) const;
    std::optional<ProvenScript> prove_output(std::size_t output) const;
    std::optional<std::string> account_of(const KeyDerivation& key) const;

    const Psbt& psbt_;
    OwnKeys own_;
    std::vector<Source> sources_;
    std::vector<ProvenScript> spent_;
};

}  // namespace petal::wallet
