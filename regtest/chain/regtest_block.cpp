#include "regtest/chain/regtest_block.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "chain/block.h"
#include "chain/byte_writer.h"
#include "chain/bytes.h"
#include "chain/headers/proof_of_work.h"
#include "chain/merkle_proof.h"
#include "chain/network_params.h"
#include "chain/script/script.h"

namespace petal::regtest {
namespace {

/// BIP9's marker bits, without a deployment bit.
constexpr std::int32_t kBlockVersion = 0x20000000;
constexpr chain::Satoshis kFirstSubsidy = 50 * chain::kSatoshisPerBitcoin;
constexpr std::uint32_t kHalvingInterval = 150;

/// The transaction of the genesis blocks of mainnet, testnet3, signet and regtest.
constexpr std::string_view kGenesisCoinbase =
    "01000000010000000000000000000000000000000000000000000000000000000000000000ffffffff4d04ffff001d"
    "0104455468652054696d65732030332f4a616e2f32303039204368616e63656c6c6f72206f6e206272696e6b206f66"
    "207365636f6e64206261696c6f757420666f722062616e6b73ffffffff0100f2052a01000000434104678afdb0fe55"
    "48271967f1a67130b7105cd6a828e03909a67962e0ea1f61deb649f6bc3f4cef38c4f35504e51ec112de5c384df7ba"
    "0b8d578a4c702b6bf11d5fac00000000";

const chain::NetworkParams& regtest() {
    static const chain::NetworkParams& network = *chain::find_network("regtest");
    return network;
}

const chain::Uint256& regtest_target() {
    static const chain::Uint256 target =
        *chain::decode_target(regtest().genesis.bits, regtest().pow_limit);
    return target;
}

}  // namespace

RegtestBlock make_genesis_block() {
    const auto bytes = chain::from_hex(kGenesisCoinbase);
    auto coinbase = chain::decode_transaction(*bytes);
    const chain::Txid txid = coinbase->txid();
    return {regtest().genesis, {*std::move(coinbase)}, {txid}};
}

chain::Satoshis block_subsidy(std::uint32_t height) {
    const std::uint32_t halvings = height / kHalvingInterval;
    return halvings < 64 ? kFirstSubsidy >> halvings : 0;
}

chain::Transaction make_coinbase(std::uint32_t height, std::uint32_t extra_nonce,
                                 chain::TxOutput output) {
    const chain::Bytes nonce = chain::ByteWriter().u32(extra_nonce).take();
    chain::ByteWriter script;
    script.bytes(chain::push_number(height)).bytes(chain::push_data(nonce));

    chain::Transaction coinbase;
    coinbase.inputs.push_back({{chain::Txid{}, 0xffffffff}, script.take(), 0xffffffff, {}});
    coinbase.outputs.push_back(std::move(output));
    return coinbase;
}

void commit_to_witnesses(std::vector<chain::Transaction>& transactions,
                         std::span<const chain::Txid> txids) {
    const bool any = std::ranges::any_of(transactions, &chain::Transaction::has_witness);
    if (!any) return;
    constexpr std::array<chain::Byte, 32> kReservedValue{};
    std::vector<chain::Txid> all{chain::Txid{}};  // BIP141: the coinbase counts as zero
    all.insert(all.end(), txids.begin(), txids.end());
    const auto commitment = chain::witness_commitment(transactions, all, kReservedValue);
    auto& coinbase = transactions.front();
    coinbase.outputs.push_back({0, chain::witness_commitment_script(commitment)});
    coinbase.inputs.front().witness = {{kReservedValue.begin(), kReservedValue.end()}};
}

bool has_regtest_bits(const chain::BlockHeader& header) {
    return header.bits == regtest().genesis.bits;
}

bool has_claimed_work(const chain::BlockHeader& header) {
    const auto target = chain::decode_target(header.bits, regtest_target());
    return target && chain::meets_target(header.hash(), *target);
}

bool has_regtest_work(const chain::BlockHeader& header) {
    return has_regtest_bits(header) && has_claimed_work(header);
}

RegtestBlock mine_block_on(const chain::BlockHash& previous, std::uint32_t time,
                           std::vector<chain::Transaction> transactions,
                           std::vector<chain::Txid> txids) {
    const chain::Uint256& target = regtest_target();
    const chain::Hash256 root = chain::merkle_root(txids);
    chain::BlockHeader header{kBlockVersion, previous, root, time, regtest().genesis.bits, 0};
    while (!chain::meets_target(header.hash(), target)) ++header.nonce;
    return {header, std::move(transactions), std::move(txids)};
}

}  // namespace petal::regtest
