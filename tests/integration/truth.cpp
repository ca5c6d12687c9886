#include "tests/integration/truth.h"

#include <algorithm>
#include <set>

namespace petal::test {
namespace {

constexpr std::uint32_t kMaturity = 100;

std::string text_of(const std::optional<std::uint32_t>& height) {
    return height ? std::to_string(*height) : "unconfirmed";
}

std::string coin_line(const chain::Outpoint& outpoint, const chain::TxOutput& output,
                      const std::optional<std::uint32_t>& height, bool spendable) {
    return "coin " + outpoint.to_string() + " value " + std::to_string(output.value) + " script " +
           chain::to_hex(output.script_pubkey) + " at " + text_of(height) +
           (spendable ? " spendable" : "");
}

struct HistoryLine {
    chain::Txid txid;
    std::optional<std::uint32_t> height;
    std::string block;
    chain::Satoshis received = 0;
    chain::Satoshis sent = 0;
    std::optional<chain::Satoshis> fee;
    std::optional<chain::Txid> replaced_by;
};

std::string to_line(const HistoryLine& entry) {
    return "transaction " + entry.txid.to_hex() + " at " + text_of(entry.height) + " " +
           entry.block + " received " + std::to_string(entry.received) + " sent " +
           std::to_string(entry.sent) + " fee " + (entry.fee ? std::to_string(*entry.fee) : "?") +
           (entry.replaced_by ? " replaced by " + entry.replaced_by->to_hex() : "");
}

std::string balance_line(const wallet::Balance& balance) {
    return "balance confirmed " + std::to_string(balance.confirmed) + " pending " +
           std::to_string(balance.pending) + " immature " + std::to_string(balance.immature);
}

/// A transaction with its place: nothing of it, while it is unconfirmed.
struct Placed {
    const chain::Transaction* transaction = nullptr;
    std::optional<std::uint32_t> height;
    std::string block;
    std::optional<chain::Txid> replaced_by;
};

/// One pass over everything, the plain way.
class Scan {
public:
    Scan(const KeyBook& keys, std::uint32_t tip) : keys_(keys), tip_(tip) {}

    void add(const chain::Txid& txid, const Placed& placed) {
        all_.emplace(txid, placed);
        for (std::uint32_t i = 0; i < placed.transaction->outputs.size(); ++i) {
            const chain::TxOutput& output = placed.transaction->outputs[i];
            if (keys_.owns(output.script_pubkey)) own_.emplace(chain::Outpoint{txid, i}, &output);
        }
        if (placed.replaced_by) return;
        for (const chain::TxInput& input : placed.transaction->inputs) {
            spenders_.emplace(input.prevout, txid);
        }
    }

    /// Who spends an output, of all that counts so far.
    std::optional<chain::Txid> spender(const chain::Outpoint& outpoint) const {
        const auto found = spenders_.find(outpoint);
        if (found == spenders_.end()) return std::nullopt;
        return found->second;
    }
    const Placed* find(const chain::Txid& txid) const {
        const auto found = all_.find(txid);
        return found == all_.end() ? nullptr : &found->second;
    }
    bool concerns(const chain::Transaction& transaction) const {
        return std::ranges::any_of(transaction.outputs, [&](const chain::TxOutput& output) {
                   return keys_.owns(output.script_pubkey);
               }) ||
               std::ranges::any_of(transaction.inputs, [&](const chain::TxInput& input) {
                   return own_.contains(input.prevout);
               });
    }

    LedgerLines lines() const {
        LedgerLines lines;
        wallet::Balance balance;
        for (const auto& [txid, placed] : all_) {
            if (concerns(*placed.transaction)) lines.push_back(history_line(txid, placed));
        }
        for (const auto& [outpoint, output] : own_) {
            const Placed& placed = all_.at(outpoint.txid);
            if (placed.replaced_by || spender(outpoint)) continue;
            const bool mature = placed.height && (!placed.transaction->is_coinbase() ||
                                                  tip_ - *placed.height + 1 >= kMaturity);
            lines.push_back(coin_line(outpoint, *output, placed.height, mature));
            (mature ? balance.confirmed : placed.height ? balance.immature : balance.pending) +=
                output->value;
        }
        lines.push_back(balance_line(balance));
        std::ranges::sort(lines);
        return lines;
    }

private:
    std::string history_line(const chain::Txid& txid, const Placed& placed) const {
        HistoryLine line{txid, placed.height, placed.block, 0, 0, std::nullopt, placed.replaced_by};
        chain::Satoshis paid = 0;
        for (const chain::TxOutput& output : placed.transaction->outputs) {
            paid += output.value;
            if (keys_.owns(output.script_pubkey)) line.received += output.value;
        }
        bool all_own = true;
        for (const chain::TxInput& input : placed.transaction->inputs) {
            const auto own = own_.find(input.prevout);
            if (own == own_.end()) {
                all_own = false;
            } else {
                line.sent += own->second->value;
            }
        }
        if (all_own) line.fee = line.sent - paid;
        return to_line(line);
    }

    const KeyBook& keys_;
    std::uint32_t tip_;
    std::map<chain::Txid, Placed> all_;
    std::map<chain::Outpoint, const chain::TxOutput*> own_;
    std::map<chain::Outpoint, chain::Txid> spenders_;
};

/// What took an unconfirmed transaction's place; nothing while it may still confirm.
std::optional<chain::Txid> winner_over(const Scan& scan, const chain::Transaction& transaction) {
    for (const chain::TxInput& input : transaction.inputs) {
        if (const auto spender = scan.spender(input.prevout)) return spender;
        const Placed* const parent = scan.find(input.prevout.txid);
        if (parent != nullptr && parent->replaced_by) return parent->replaced_by;
    }
    return std::nullopt;
}

/// Parents before their children, as far as they are given.
std::vector<chain::Txid> in_order(const std::map<chain::Txid, chain::Transaction>& transactions) {
    std::vector<chain::Txid> order;
    std::set<chain::Txid> done;
    while (order.size() < transactions.size()) {
        for (const auto& [txid, transaction] : transactions) {
            const bool waits = std::ranges::any_of(transaction.inputs, [&](const auto& input) {
                return transactions.contains(input.prevout.txid) &&
                       !done.contains(input.prevout.txid);
            });
            if (waits || !done.insert(txid).second) continue;
            order.push_back(txid);
        }
    }
    return order;
}

}  // namespace

LedgerLines lines_of(const wallet::Balance& balance, const std::vector<wallet::Coin>& coins,
                     const std::vector<wallet::HistoryEntry>& history) {
    LedgerLines lines{balance_line(balance)};
    for (const wallet::Coin& coin : coins) {
        lines.push_back(coin_line(coin.outpoint, {coin.value, coin.script_pubkey}, coin.height,
                                  coin.spendable));
    }
    for (const wallet::HistoryEntry& entry : history) {
        lines.push_back(to_line({entry.txid, entry.height,
                                 entry.block_hash ? entry.block_hash->to_hex() : "",
                                 entry.received, entry.sent, entry.fee, entry.replaced_by}));
    }
    std::ranges::sort(lines);
    return lines;
}

LedgerLines Truth::read(const std::vector<net::Block>& blocks,
                        const std::vector<chain::Transaction>& mempool) {
    Scan scan(keys_, static_cast<std::uint32_t>(blocks.size() - 1));
    for (std::uint32_t height = 0; height < blocks.size(); ++height) {
        const std::string hash = blocks[height].header.hash().to_hex();
        for (const chain::Transaction& transaction : blocks[height].transactions) {
            scan.add(transaction.txid(), {&transaction, height, hash, std::nullopt});
        }
    }
    std::map<chain::Txid, chain::Transaction> waiting;
    std::set<chain::Txid> current;
    for (const chain::Transaction& transaction : mempool) {
        current.insert(transaction.txid());
        waiting.emplace(transaction.txid(), transaction);
    }
    for (const auto& [txid, transaction] : seen_) waiting.emplace(txid, transaction);
    std::erase_if(waiting, [&](const auto& entry) { return scan.find(entry.first) != nullptr; });

    // What the server holds now comes before what it has dropped for it.
    const std::vector<chain::Txid> order = in_order(waiting);
    for (const bool is_current : {true, false}) {
        for (const chain::Txid& txid : order) {
            if (current.contains(txid) != is_current) continue;
            const chain::Transaction& transaction = waiting.at(txid);
            scan.add(txid, {&transaction, std::nullopt, "", winner_over(scan, transaction)});
        }
    }

    for (const net::Block& block : blocks) {
        for (const chain::Transaction& transaction : block.transactions) {
            if (scan.concerns(transaction) && !transaction.is_coinbase()) {
                seen_.emplace(transaction.txid(), transaction);
            }
        }
    }
    for (const chain::Transaction& transaction : mempool) {
        if (scan.concerns(transaction)) seen_.emplace(transaction.txid(), transaction);
    }
    return scan.lines();
}

}  // namespace petal::test
