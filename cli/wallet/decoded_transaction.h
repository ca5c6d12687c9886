/// Decodes a transaction of the wallet for `petal tx`.
#pragma once

#include <optional>
#include <string>

#include "chain/block_header.h"
#include "cli/options/options.h"
#include "cli/text/json.h"
#include "wallet/wallet.h"

namespace petal::cli {

struct TransactionView {
    const wallet::HistoryEntry& entry;
    const wallet::KnownTransaction& known;
    std::optional<chain::BlockHeader> header;  ///< of the transaction's block, if known
    /// The proof that the block has the transaction, checked against the header. Empty if no proof
    /// is stored.
    std::optional<chain::PartialMerkleTree> proof;
    const wallet::Wallet& wallet;
    const GlobalOptions& global;
};

/// The fields of transaction_json(), and the parts of the transaction.
Json decoded_json(const TransactionView& view);
/// with_proof   also shows the block's hash and header, the transaction's place in the block and
///              the merkle proof
std::string decoded_text(const TransactionView& view, bool with_proof);

}  // namespace petal::cli
