/// The owners of keys in a scenario: the wallet under test, and the rest of the world.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "chain/transaction.h"
#include "tests/integration/full_node.h"
#include "tests/support/mnemonic.h"
#include "wallet/descriptors/key_ring.h"
#include "wallet/keys/extended_key.h"

namespace petal::test {

/// The keys of the wallet, derived from its mnemonic, so that a test can spend as the wallet would.
class Owner {
public:
    explicit Owner(wallet::ScriptKind kind = wallet::ScriptKind::wpkh);

    /// The script at this place of the account.
    const chain::Bytes& script(wallet::KeyPath path) const;
    const chain::Bytes& receive(std::uint32_t index) const {
        return script({wallet::KeyChain::receive, index});
    }
    /// The path of the script. Nothing for a foreign script. Only the first 600 scripts of each
    /// chain are known.
    std::optional<wallet::KeyPath> find(chain::ByteView script_pubkey) const;
    /// Signs every input that spends one of the owner's `coins`.
    void sign(chain::Transaction& transaction,
              const std::map<chain::Outpoint, chain::TxOutput>& coins) const;

private:
    wallet::ExtendedPrivateKey account_;
    wallet::KeyRing ring_;
};

/// The rest of the world mines, and pays from the mined coins.
class World {
public:
    explicit World(FullNode& node) : node_(node) {}

    /// Mines enough coins for the payments of a scenario, and then blocks until all coins are
    /// mature.
    void prepare();

    static const chain::Bytes& script();

    /// A signed payment with these outputs, from a coin that no other payment spends. The change
    /// goes to the world.
    chain::Transaction pay(std::vector<chain::TxOutput> outputs);
    /// A second payment from the same coin, with `fees` times the fee.
    chain::Transaction replace(const chain::Transaction& payment,
                               std::vector<chain::TxOutput> outputs, int fees = 1);

private:
    chain::Transaction pay_from(const chain::Outpoint& coin, std::vector<chain::TxOutput> outputs,
                                chain::Satoshis fee);

    FullNode& node_;
    std::deque<chain::Outpoint> coins_;
    std::map<chain::Outpoint, chain::TxOutput> values_;
};

}  // namespace petal::test
