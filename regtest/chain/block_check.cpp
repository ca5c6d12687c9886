#include "regtest/chain/block_check.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>
#include <utility>

#include "chain/byte_writer.h"
#include "chain/enum_table.h"
#include "chain/headers/header_rules.h"
#include "chain/script/script.h"
#include "chain/transaction_rules.h"
#include "regtest/mempool/script_checks.h"
#include "regtest/mempool/standard_policy.h"

namespace petal::regtest {
namespace {

/// Bitcoin Core: consensus.h, MAX_BLOCK_WEIGHT and MAX_BLOCK_SIGOPS_COST.
constexpr std::size_t kMaxBlockWeight = 4'000'000;
constexpr std::size_t kMaxBlockSigopCost = 80'000;
/// For chains on which BIP34, BIP65 and BIP66 are active.
constexpr std::int32_t kLeastBlockVersion = 4;

std::string_view core_reason(chain::BlockError error) {
    using enum chain::BlockError;
    static constexpr auto kReasons = chain::enum_table<chain::BlockError, std::string_view>({
        {no_coinbase, "bad-cb-missing"},
        {repeated_transactions, "bad-txns-duplicate"},
        {wrong_merkle_root, "bad-txnmrklroot"},
        {unexpected_witness, "unexpected-witness"},
        {malformed_reserved_value, "bad-witness-nonce-size"},
        {wrong_witness_commitment, "bad-witness-merkle-match"},
    });
    return kReasons[error];
}

/// Bitcoin Core: GetBlockWeight.
std::size_t weight_of(std::span<const chain::Transaction> transactions) {
    std::size_t weight = 4 * (chain::kHeaderBytes + chain::compact_size_bytes(transactions.size()));
    for (const auto& transaction : transactions) weight += transaction.weight();
    return weight;
}

/// The signature operations that are counted without the spent outputs.
std::size_t legacy_sigop_cost(std::span<const chain::Transaction> transactions) {
    std::size_t cost = 0;
    for (const auto& transaction : transactions) cost += sigop_cost(transaction, {});
    return cost;
}

bool has_coinbase(std::span<const chain::Transaction> transactions) {
    return std::ranges::any_of(transactions, &chain::Transaction::is_coinbase);
}

std::optional<std::string> find_unsound(std::span<const chain::Transaction> transactions) {
    for (const auto& transaction : transactions) {
        if (const auto sound = chain::check_transaction(transaction); !sound) {
            return std::string(describe(reason_of(sound.error(), transaction)));
        }
    }
    return std::nullopt;
}

chain::Unexpected<std::string> refused(std::string_view reason) {
    return chain::Unexpected(std::string(reason));
}

}  // namespace

std::optional<std::string> find_transaction_fault(
    std::span<const chain::Transaction> transactions) {
    if (has_coinbase(transactions)) return "bad-cb-multiple";
    return find_unsound(transactions);
}

std::string block_reason(const Rejection& rejection) {
    if (rejection.reason == RejectReason::non_final ||
        rejection.reason == RejectReason::sequence_lock) {
        return "bad-txns-nonfinal";
    }
    if (rejection.reason != RejectReason::wrong_script) return describe(rejection);
    return "block-script-verify-flag-failed (" + std::string(rejection.detail) + ")";
}

chain::Expected<RegtestBlock, std::string> check_block(chain::Block block) {
    const auto& transactions = block.transactions;
    if (!has_claimed_work(block.header)) return refused("high-hash");
    if (transactions.empty()) {
        const bool is_root = block.header.merkle_root == chain::Hash256{};
        return refused(is_root ? "bad-blk-length" : "bad-txnmrklroot");
    }
    auto txids = chain::check_transactions(block);
    const bool is_sound = txids || txids.error() == chain::BlockError::no_coinbase;
    if (is_sound && 4 * chain::stripped_block_size(transactions) > kMaxBlockWeight) {
        return refused("bad-blk-length");
    }
    if (!txids) return refused(core_reason(txids.error()));
    if (has_coinbase(std::span(transactions).subspan(1))) return refused("bad-cb-multiple");
    if (const auto fault = find_unsound(transactions)) return refused(*fault);
    if (legacy_sigop_cost(transactions) > kMaxBlockSigopCost) return refused("bad-blk-sigops");
    return RegtestBlock{block.header, std::move(block.transactions), *std::move(txids)};
}

std::optional<std::string> find_header_fault(const chain::BlockHeader& header,
                                             const BlockPlace& place) {
    if (!has_regtest_bits(header)) return "bad-diffbits";
    if (std::int64_t{header.time} <= place.median_time_past) return "time-too-old";
    if (place.now && header.time > *place.now + chain::kMaxFutureTime) {
        return std::string(kTimeTooNew);
    }
    if (header.version < kLeastBlockVersion) {
        std::array<char, 32> text{};
        std::snprintf(text.data(), text.size(), "bad-version(0x%08x)",
                      static_cast<unsigned>(header.version));
        return text.data();
    }
    return std::nullopt;
}

std::optional<std::string> find_place_fault(const RegtestBlock& block, const BlockPlace& place) {
    if (auto fault = find_header_fault(block.header, place)) return fault;
    const auto is_too_early = [&place](const chain::Transaction& transaction) {
        return !is_final(transaction, place.height, place.median_time_past);
    };
    if (std::ranges::any_of(block.transactions, is_too_early)) return "bad-txns-nonfinal";
    const auto height = chain::push_number(place.height);
    const auto& script = block.transactions[0].inputs[0].script_sig;
    const bool has_height =
        script.size() >= height.size() && std::equal(height.begin(), height.end(), script.begin());
    if (!has_height) return "bad-cb-height";
    if (const auto covered = chain::check_witnesses(block.transactions, block.txids); !covered) {
        return std::string(core_reason(covered.error()));
    }
    return find_weight_fault(block.transactions);
}

std::optional<std::string> find_weight_fault(std::span<const chain::Transaction> transactions) {
    if (weight_of(transactions) > kMaxBlockWeight) return "bad-blk-weight";
    return std::nullopt;
}

std::optional<std::string> find_sigop_fault(const RegtestBlock& block, TransactionLayer layer) {
    std::size_t sigops = sigop_cost(block.transactions[0], {});
    for (std::size_t i = 1; i < block.transactions.size(); ++i) {
        const auto& transaction = block.transactions[i];
        sigops += sigop_cost(transaction, layer.spent_outputs(transaction));
        layer.add(transaction, block.txids[i]);
    }
    if (sigops > kMaxBlockSigopCost) return "bad-blk-sigops";
    return std::nullopt;
}

std::optional<std::string> find_contents_fault(const RegtestBlock& block, std::uint32_t height,
                                               TransactionLayer layer) {
    chain::Satoshis reward = block_subsidy(height);
    std::size_t sigops = sigop_cost(block.transactions[0], {});
    for (std::size_t i = 1; i < block.transactions.size(); ++i) {
        const auto& transaction = block.transactions[i];
        const auto fee = layer.check(transaction);
        if (!fee) return block_reason({fee.error()});
        const auto spent = layer.spent_outputs(transaction);
        sigops += sigop_cost(transaction, spent);
        if (sigops > kMaxBlockSigopCost) return "bad-blk-sigops";
        const auto wrong = find_wrong_script(transaction, spent, chain::kConsensusFlags);
        if (wrong) return block_reason(*wrong);
        layer.add(transaction, block.txids[i]);
        reward += *fee;
    }
    chain::Satoshis claimed = 0;
    for (const auto& output : block.transactions[0].outputs) claimed += output.value;
    if (claimed > reward) return "bad-cb-amount";
    return std::nullopt;
}

}  // namespace petal::regtest
