/// A decoded transaction of the wallet's, as `petal tx` shows it.
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
    std::optional<chain::BlockHeader> header;  ///< of its block, if known
    /// The proof that the block has it, checked against the header. Empty if none is stored.
    std::optional<chain::PartialMerkleTree> proof;
    const wallet::Wallet& wallet;
    const GlobalOptions& global;
};

/// The fields of transaction_json(), and the parts of the transaction.
Json decoded_json(const TransactionView& view);
/// with_proof   the block's hash and header, the transaction's place and its merkle proof, too
std::string decoded_text(const TransactionView& view, bool with_proof);

}  // namespace petal::cli
