/// The scripts of an account's two chains.
#pragma once

#include <utility>
#include <vector>

#include "wallet/descriptors/key_ring.h"

namespace petal::test {

inline wallet::KeyRing account_ring(wallet::ScriptKind kind,
                                    const wallet::ExtendedPublicKey& account,
                                    wallet::LookAhead look_ahead) {
    std::vector<wallet::ScriptSource> sources;
    for (const wallet::KeyChain chain : wallet::kKeyChains) {
        sources.push_back(account_chain(kind, account, chain, look_ahead));
    }
    return wallet::KeyRing{std::move(sources)};
}

}  // namespace petal::test
