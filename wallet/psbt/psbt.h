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

/// The maximum size of a PSBT in bytes.
inline constexpr std::size_t kMaxPsbtBytes = 32'000'000;

/// A PSBT with well-formed records, and with UTXOs that match the transaction's prevouts. All
/// further content is untrusted.
class Psbt {
public:
    /// Parses and checks the binary form. Fails for trailing bytes.
    static chain::Expected<Psbt, PsbtError> parse(chain::ByteView bytes);
    /// Checks maps like parse(). In version 0, the numbers of maps must match the transaction.
    static chain::Expected<Psbt, PsbtError> assemble(PsbtMap global, std::vector<PsbtMap> inputs,
                                                     std::vector<PsbtMap> outputs);
    /// A PSBT of version 0 with only a transaction, whose amounts must be in range. Scripts and
    /// witnesses are removed.
    static Psbt of_transaction(chain::Transaction transaction);

    /// The binary form. Equal to the parsed bytes unless a map was changed.
    chain::Bytes serialize() const;

    /// Whether the PSBT is within the limits of parse(), which are not checked when records are
    /// added.
    bool fits() const;

    /// 0 or 2.
    std::uint32_t version() const { return version_; }
    /// The transaction to sign, without scripts and witnesses. For version 2, built from the maps,
    /// with the lock time of BIP370.
    const chain::Transaction& transaction() const { return transaction_; }
    /// The output that an input spends, if its map contains the output.
    const std::optional<chain::TxOutput>& utxo(std::size_t input) const { return utxos_[input]; }
    /// The outputs that the inputs spend, in order. Empty unless all are known.
    std::vector<chain::TxOutput> known_utxos() const;
    /// Whether an input's map contains the full previous transaction, which proves the UTXO.
    bool has_full_transaction(std::size_t input) const;

    const PsbtMap& global() const { return global_; }
    const std::vector<PsbtMap>& inputs() const { return inputs_; }
    const std::vector<PsbtMap>& outputs() const { return outputs_; }

    /// For adding records to an input. The spent output must be set by set_utxo().
    PsbtMap& input(std::size_t index) { return inputs_[index]; }
    PsbtMap& output(std::size_t index) { return outputs_[index]; }
    /// Sets the output that an input spends.
    /// full   the previous transaction, if given. Must contain the output
    void set_utxo(std::size_t input, const chain::TxOutput& spent, bool in_witness_utxo,
                  const std::optional<chain::Transaction>& full);

    /// In version 2, updates the flags for modifiable inputs and outputs after a signature of this
    /// hash type (BIP370).
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

/// Whether the bytes start with the magic of PSBTs.
bool is_psbt(chain::ByteView bytes);

}  // namespace petal::wallet
