/// The keys with stated origins in the scripts of a PSBT (BIP174).
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

/// The keys with a stated origin in the script that an input spends, in the order of the script. A
/// stated origin is unproven until the key is derived. Empty if a script
/// - is missing,
/// - does not match the output's hash, or
/// - has a template that PsbtSigner does not sign.
std::vector<KeyDerivation> named_keys(const Psbt& psbt, std::size_t input);

/// Whether `named` is this key: the compressed key or, for taproot, the x coordinate.
bool is_named_as(const PublicKey& key, chain::ByteView named);

/// Finds the outputs that pay the descriptor of an input. Stated origins alone prove nothing,
/// because the author of the PSBT can state the signers' origins for keys of another owner. Each
/// key must be derived, either from the secret of the wallet, or from an extended key in the PSBT's
/// global map from which a key of the spent script is derived, too.
class DescriptorProver {
public:
    /// Returns the wallet's public key at an origin. Empty if the wallet's secret has no key there.
    using OwnKeys = std::function<std::optional<PublicKey>(const KeyOrigin& origin)>;

    /// `psbt` must outlive the prover. Extended keys of another network are ignored.
    DescriptorProver(const Psbt& psbt, const std::vector<std::size_t>& inputs,
                     const chain::NetworkParams& network, OwnKeys own);

    /// Whether an output provably pays the descriptor of one of the inputs. Both scripts must have
    /// - the same template and number of signers,
    /// - the same extended keys, in the same order or sorted, and
    /// - keys on the receive or the change chain (0 or 1), at an index up to kMaxIndex. The owner's
    ///   wallets would not find a coin at a higher index.
    bool pays_descriptor_of_input(std::size_t output) const;

    static constexpr std::uint32_t kMaxIndex = 10'000;

private:
    struct Source {
        std::string name;  ///< the key's bytes
        ExtendedPublicKey key;
        KeyOrigin origin;
    };
    /// A script in which all keys are derived, with a common chain and index.
    struct ProvenScript {
        std::string form;                   ///< the template and the number of signers
        std::vector<std::string> accounts;  ///< of the keys in order: the source and the path below
        bool is_sorted = false;             ///< the keys are in the order of their bytes
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
