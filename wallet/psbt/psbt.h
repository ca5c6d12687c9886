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

/// A PSBT in which each record has the format of its type, and in which the UTXOs are those that
/// the transaction spends. The content of the records is not trusted: they are read from files of
/// other programs.
class Psbt {
public:
    /// Reads the binary form, with all checks. Fails for trailing bytes.
    static chain::Expected<Psbt, PsbtError> parse(chain::ByteView bytes);
    /// Checks maps as parse() does. A version 0 has as many inputs and outputs as its transaction.
    static chain::Expected<Psbt, PsbtError> assemble(PsbtMap global, std::vector<PsbtMap> inputs,
                                                     std::vector<PsbtMap> outputs);
    /// A PSBT of version 0 with only its transaction, whose scripts and witnesses are left out, and
    /// whose amounts are in range.
    static Psbt of_transaction(chain::Transaction transaction);

    /// The parsed bytes exactly, unless a map was changed.
    chain::Bytes serialize() const;

    /// Whether parse() accepts the result of serialize(): records are added without a limit.
    bool fits() const;

    /// 0 or 2.
    std::uint32_t version() const { return version_; }
    /// The transaction that is signed, without scripts and witnesses; for version 2, built from the
    /// maps and BIP370's rule for the lock time.
    const chain::Transaction& transaction() const { return transaction_; }
    /// The output that an input spends, if its map has it.
    const std::optional<chain::TxOutput>& utxo(std::size_t input) const { return utxos_[input]; }
    /// The outputs that all inputs spend, in their order; empty unless each is known.
    std::vector<chain::TxOutput> known_utxos() const;
    /// Whether an input's map has the full transaction, which proves the UTXO.
    bool has_full_transaction(std::size_t input) const;

    const PsbtMap& global() const { return global_; }
    const std::vector<PsbtMap>& inputs() const { return inputs_; }
    const std::vector<PsbtMap>& outputs() const { return outputs_; }

    /// For adding records to an input; use set_utxo() for the output that it spends.
    PsbtMap& input(std::size_t index) { return inputs_[index]; }
    PsbtMap& output(std::size_t index) { return outputs_[index]; }
    /// Sets the output that an input spends. `full`, if given, has the output.
    void set_utxo(std::size_t input, const chain::TxOutput& spent, bool in_witness_utxo,
                  const std::optional<chain::Transaction>& full);

    /// In version 2, revokes the permissions for changes that a signature of this hash type does
    /// not allow (BIP370, "modifiable").
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
