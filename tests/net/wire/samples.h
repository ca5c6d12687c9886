/// One or two messages of every type, with a value in every field.
#pragma once

#include <vector>

#include "net/wire/messages.h"

namespace petal::net {

inline chain::Hash256 sample_hash(chain::Byte first) {
    chain::Hash256 hash;
    for (std::size_t i = 0; i < hash.bytes.size(); ++i) {
        hash.bytes[i] = static_cast<chain::Byte>(first + i);
    }
    return hash;
}

inline chain::BlockHeader sample_header(chain::Byte first) {
    return {0x20000000, {sample_hash(first).bytes}, sample_hash(100), 1'700'000'000, 0x207fffff, 7};
}

inline chain::Transaction sample_transaction(bool with_witness) {
    chain::Transaction transaction;
    transaction.inputs.push_back({{{sample_hash(1).bytes}, 3}, {0x01, 0xaa}, 0xfffffffd, {}});
    if (with_witness) transaction.inputs[0].witness = {{0x30, 0x44}, {0x02}};
    transaction.outputs.push_back({5'000, {0x00, 0x14, 0x01}});
    transaction.outputs.push_back({0, {0x6a}});
    transaction.lock_time = 101;
    return transaction;
}

inline Version sample_version() {
    return {70'016, 0x0d, 1'700'000'000, 0x0123456789abcdef, "/sample:1.0/", 840'000, false};
}

inline GossipedAddress sample_address(AddressKind kind) {
    return {{kind, chain::Bytes(address_bytes(kind), 0x2a), 8'333}, 0x40d, 1'700'000'000};
}

inline std::vector<Message> sample_messages() {
    const Inventory tx{InventoryType::tx, sample_hash(1)};
    const Inventory block{InventoryType::filtered_block, sample_hash(2)};
    const Inventory unknown{static_cast<InventoryType>(0x40000003), sample_hash(3)};
    return {
        sample_version(),
        Verack{},
        SendHeaders{},
        SendAddrV2{},
        WtxidRelay{},
        Mempool{},
        FilterClear{},
        GetAddr{},
        Ping{0x1122334455667788},
        Pong{1},
        Inv{{tx, block}},
        Inv{},
        GetData{{block, unknown}},
        NotFound{{tx}},
        GetHeaders{{{sample_hash(4).bytes}, {sample_hash(5).bytes}}, {sample_hash(6).bytes}},
        GetHeaders{},
        GetBlocks{{{sample_hash(4).bytes}}, {sample_hash(6).bytes}},
        Reject{"tx", 0x10, "bad-txns", sample_hash(7)},
        Reject{"version", 0x11, "", {}},
        Headers{{sample_header(7), sample_header(8)}},
        Headers{},
        FilterLoad{{0x02, 0xab, 0xcd, 5, 0, 0, 0, 1, 2, 3, 4, 1}},
        FilterAdd{{1, 2, 3}},
        FilterAdd{},
        MerkleBlock{sample_header(9), {3, {sample_hash(1), sample_hash(2)}, {0x1d}}},
        FullBlock{chain::BlockView(
            {sample_header(10), {sample_transaction(true), sample_transaction(false)}})},
        Tx{sample_transaction(/*with_witness=*/true)},
        Tx{sample_transaction(/*with_witness=*/false)},
        SendCompact{true, 2},
        FeeFilter{1'000},
        Addr{{sample_address(AddressKind::ipv4), sample_address(AddressKind::ipv6)}},
        Addr{},
        AddrV2{{sample_address(AddressKind::ipv4), sample_address(AddressKind::ipv6),
                sample_address(AddressKind::onion)}},
        AddrV2{},
        GetCFilters{BlockFilterType::basic, 7, {sample_hash(1).bytes}},
        GetCFHeaders{static_cast<BlockFilterType>(1), 0x01020304, {sample_hash(2).bytes}},
        GetCFCheckpt{static_cast<BlockFilterType>(0xff), {sample_hash(3).bytes}},
        CFilter{BlockFilterType::basic, {sample_hash(4).bytes}, {0x01, 0x9d, 0xfc, 0xa8}},
        CFilter{static_cast<BlockFilterType>(1), {sample_hash(4).bytes}, {}},
        CFHeaders{BlockFilterType::basic,
                  {sample_hash(5).bytes},
                  {sample_hash(6).bytes},
                  {{sample_hash(7).bytes}, {sample_hash(8).bytes}}},
        CFHeaders{static_cast<BlockFilterType>(1), {sample_hash(5).bytes}, {}, {}},
        CFCheckpt{BlockFilterType::basic,
                  {sample_hash(9).bytes},
                  {{sample_hash(10).bytes}, {sample_hash(11).bytes}}},
        CFCheckpt{static_cast<BlockFilterType>(1), {sample_hash(9).bytes}, {}},
        Unknown{"sendtxrcncl"},
    };
}

}  // namespace petal::net
