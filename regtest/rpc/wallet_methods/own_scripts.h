/// What a wallet knows of its scripts, as Bitcoin Core's RPC describes scripts.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "chain/bytes.h"
#include "regtest/rpc/rpc_json.h"
#include "wallet/descriptors/descriptor.h"
#include "wallet/descriptors/script_deriver.h"
#include "wallet/keys/key_path.h"
#include "wallet/wallet.h"

namespace petal::regtest::rpc {

/// Describes scripts by the descriptors of the wallet, which must outlive this object. Parses each
/// descriptor once. Descriptors that are imported later are not known.
class OwnScripts {
public:
    explicit OwnScripts(const wallet::Wallet& wallet);

    /// The keys and scripts of a path.
    struct Known {
        wallet::Derivation derivation;
        bool is_solvable = false;  ///< all but addr() and raw()
        std::string descriptor;    ///< of this script alone, with the origin of each key
        std::string parent;        ///< the wallet's descriptor, public, with a checksum
    };
    Known describe(wallet::KeyPath path);

    const std::string& parent_of(wallet::KeyPath path) const;

    /// The descriptors of receive addresses with a range, whose scripts have the type of this kind.
    /// The first is used for new addresses. Empty if there is none.
    std::optional<wallet::DescriptorNumber> receive_descriptor(wallet::ScriptKind kind) const;

private:
    struct Source {
        wallet::Descriptor descriptor;
        wallet::ScriptDeriver deriver;
    };
    Source& source_of(wallet::DescriptorNumber number);

    const wallet::Wallet& wallet_;
    std::map<wallet::DescriptorNumber, std::string> texts_;
    std::map<wallet::DescriptorNumber, Source> sources_;
};

}  // namespace petal::regtest::rpc
