/// The measures' assumptions about Bitcoin: numbers of addresses, transactions and bytes.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace petal::bloom {

/// Every value can be set. The defaults are mainnet's. Values marked "assumed" have no published
/// source.
struct World {
    /// Addresses that ever appeared on the chain: 692,773,144 to 2020-07-18
    /// (Qalander/bitcoin-all-addresses), in proportion to transactions 1.66e9 at 2026-02. Rounded
    /// down because addresses are reused more. An order of magnitude.
    double addresses = 1.5e9;
    /// Transactions on the chain, and per second (Bitcoin Core: chainparams, chainTxData of
    /// 2026-02-25).
    double transactions = 1'315'805'869;
    double transactions_per_second = 5.40111006496122;
    /// 1,483,853,800 outputs to 2020-07-18, by the transactions interpolated for that day.
    double outputs_per_transaction = 2.700351955098465;
    /// New addresses per transaction, by the same source.
    double addresses_per_transaction = 1.2607248192780924;
    /// Outputs that are unspent (mempool.space research, 2025-05).
    double unspent_outputs = 173e6;
    double data_pushes_per_input = 0.5;   ///< in scriptSigs, which servers test (assumed)
    double transaction_bytes = 240;       ///< without witness, as sent by BIP37 (assumed)
    double full_transaction_bytes = 530;  ///< with witness (assumed)
    double exposed_keys = 1.2e9;          ///< public keys seen on the chain (assumed)
    double funded_addresses = 55e6;       ///< that hold coins today (assumed)
    double script_type_share = 0.4;       ///< of one kind of address among new addresses (assumed)
    double rival_clusters = 1e8;          ///< wallets that a cluster could belong to (assumed)
    double blocks_per_day = 144;
    /// Mean size of a BIP158 filter: 10.289 GB for 460,000 blocks from 480,000 on.
    double bip158_filter_bytes = 10.289143823e9 / 460'000;

    double transactions_per_day() const { return transactions_per_second * 86'400; }
    double transactions_per_block() const { return transactions_per_day() / blocks_per_day; }
    double outputs() const { return transactions * outputs_per_transaction; }
    double outputs_per_day() const { return transactions_per_day() * outputs_per_transaction; }
    double inputs_per_transaction() const { return (outputs() - unspent_outputs) / transactions; }
    /// Elements of a transaction that a server tests: the txid, the outputs, and the inputs'
    /// outpoints and pushes (Bitcoin Core: CBloomFilter::IsRelevantAndUpdate).
    double elements_per_transaction() const {
        return 1 + outputs_per_transaction + inputs_per_transaction() * (1 + data_pushes_per_input);
    }
    /// The mean number of a transaction's outputs that are spent in turn.
    double branching() const { return outputs_per_transaction * (1 - unspent_outputs / outputs()); }
    double block_bytes() const { return full_transaction_bytes * transactions_per_block(); }
};

/// A set of addresses to which a peer can restrict its search by additional knowledge.
enum class AddressSet : std::uint8_t {
    all,        ///< ever used
    year,       ///< first seen within one year (a known birthday)
    year_type,  ///< the same, of one kind of address
    funded,     ///< that hold coins
    day,        ///< active on one day
    block,      ///< in one block (a known payment)
};

std::string_view key_of(AddressSet set);  ///< one stable word

struct Universe {
    AddressSet set{};
    double addresses = 0;
};

/// One universe for each AddressSet, sorted from large to small, i.e. by how much the peer must
/// know.
std::vector<Universe> effective_universes(const World& world);

}  // namespace petal::bloom
