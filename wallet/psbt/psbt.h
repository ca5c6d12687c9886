/// Partially signed transactions: version 0 (BIP174) and version 2 (BIP370).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "chain/bytes.h"
#include "chain/expected.h"
#include "chain/transaction.h"
#include "wallet/psbt/psbt_error.h"
#include "wallet/psbt/psbt_map.h"

namespace petal::wallet {

/// The largest PSBT that is read, in bytes.
inline constexpr std::size_t kMaxPsbtBytes = 32'000'000;

/// A PSBT, each record of which is of the form that its type demands, and whose UTXOs are those
/// that its transaction spends. What the records are worth is another matter: they are read from
/// files that others have made.
class Psbt {
public:
    /// Reads the binary form, with all checks, and nothing behind it.
    static chain::Expected<Psbt, PsbtError> parse(chain::ByteView bytes);
    /// Checks maps as parse() does. A version 0 has as many inputs and outputs as its transaction.
    static chain::Expected<Psbt, PsbtError> assemble(PsbtMap global, std::vector<PsbtMap> inputs,
                                                     std::vector<PsbtMap> outputs);
    /// A PSBT of version 0 that says nothing but its transaction, whose scripts and witnesses are
    /// left out, and whose amounts are in range.
    static Psbt of_transaction(chain::Transaction transaction);

    /// Byte for byte what was parsed, as long as no map was changed.
    chain::Bytes serialize() const;

    /// Whether parse() would read what serialize() gives: records are added without a limit.
    bool fits() const;

    /// 0 or 2.
    std::uint32_t version() const { return version_; }
    /// The transaction that is signed, without scripts and witnesses; of version 2, what the maps
    /// and BIP370's rule for the lock time say.
    const chain::Transaction& transaction() const { return transaction_; }
    /// The output that an input spends, as far as its map says.
    const std::optional<chain::TxOutput>& utxo(std::size_t input) const { return utxos_[input]; }
    /// The outputs that all inputs spend, in their order; empty unless each is known.
    std::vector<chain::TxOutput> known_utxos() const;
    /// Whether an input's map has the full transaction, which proves the UTXO.
    bool has_full_transaction(std::size_t input) const;

    const PsbtMap& global() const { return global_; }
    const std::vector<PsbtMap>& inputs() const { return inputs_; }
    const std::vector<PsbtMap>& outputs() const { return outputs_; }

    /// To add records about an input; not those of what it spends, which are set_utxo()'s.
    PsbtMap& input(std::size_t index) { return inputs_[index]; }
    PsbtMap& output(std::size_t index) { return outputs_[index]; }
    /// Says what an input spends. `full`, if it is there, has the output.
    void set_utxo(std::size_t input, const chain::TxOutput& spent, bool in_witness_utxo,
                  const std::optional<chain::Transaction>& full);

    /// Of version 2, takes back what a signature of this hash type does not let others change
    /// (BIP370, "modifiable").
    void restrict_changes(std::uint32_t hash_type);

private:
    Psbt() = default;

    std::optional<PsbtError> read_global();
    std::optional<PsbtError> check_maps() const;
    std::optional<PsbtError> build_transaction();
    std::optional<PsbtError> read_utxos();

    std::uint32_t version_ = 0;
    std::size_t input_count_ = 0;
    std::size_t output_count_ = 0;
    PsbtMap global_;
    std::vector<PsbtMap> inputs_;
    std::vector<PsbtMap> outputs_;
    chain::Transaction transaction_;
    std::vector<std::optional<chain::TxOutput>> utxos_;  ///< one for each input
};

/// Whether the bytes begin as every PSBT does.
bool is_psbt(chain::ByteView bytes);

}  // namespace petal::wallet
