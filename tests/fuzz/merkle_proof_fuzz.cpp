/// Partial merkle trees and branches: arbitrary ones prove nothing, and changed trees prove nothing
/// false. Whatever a tree proves, its branches prove as well.
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "chain/byte_reader.h"
#include "chain/merkle_proof.h"

namespace {

using namespace petal::chain;

// The root is the hash of the whole input, so no tree in the input can lead to it.
void check_arbitrary(ByteView input) {
    ByteReader reader{input};
    const PartialMerkleTree tree = read_partial_merkle_tree(reader);
    if (!reader.ok()) return;
    assert(!check_merkle_proof(tree, sha256d(input)));
}

// A branch as in a damaged wallet file. No branch in the input can lead to the root.
void check_arbitrary_branch(ByteView input) {
    ByteReader reader{input};
    const std::uint32_t count = reader.read_u32();
    const std::uint32_t position = reader.read_u32();
    const Txid txid{reader.read_array<32>()};
    MerkleBranch branch(reader.remaining() / 32);
    for (Hash256& hash : branch) hash = {reader.read_array<32>()};
    if (!reader.ok()) return;
    assert(!check_merkle_branch({position, txid}, count, branch, sha256d(input)));
}

std::vector<Txid> make_txids(std::size_t count) {
    std::vector<Txid> txids;
    for (std::size_t i = 0; i < count; ++i) {
        const Byte number = static_cast<Byte>(i);
        txids.push_back({sha256d(ByteView{&number, 1}).bytes});
    }
    return txids;
}

void mutate(PartialMerkleTree& tree, ByteReader& reader) {
    while (reader.remaining() >= 3) {
        const auto what = reader.read_u8();
        const std::size_t at = reader.read_u8();
        const Byte value = reader.read_u8();
        if (what % 4 == 0 && !tree.flags.empty()) tree.flags[at % tree.flags.size()] = value;
        if (what % 4 == 1) tree.hashes[at % tree.hashes.size()].bytes[value % 32] ^= 1U;
        if (what % 4 == 2) tree.transaction_count = static_cast<std::uint32_t>(at << 8U | value);
        if (what % 4 == 3) tree.hashes.push_back(tree.hashes[at % tree.hashes.size()]);
    }
}

// A valid proof, changed by the input.
void check_mutated(ByteReader& reader) {
    const auto txids = make_txids(1 + reader.read_u8() % 60);
    std::vector<bool> matches;
    for (std::size_t i = 0; i < txids.size(); ++i) matches.push_back(reader.read_u8() % 2 == 1);
    if (!reader.ok()) return;

    PartialMerkleTree tree = make_merkle_proof(txids, matches);
    mutate(tree, reader);
    const auto proved = check_merkle_proof(tree, merkle_root(txids));
    if (!proved) return;
    const auto branches = merkle_branches(tree);
    assert(branches.size() == proved->size());
    for (std::size_t i = 0; i < branches.size(); ++i) {
        assert(check_merkle_branch((*proved)[i], tree.transaction_count, branches[i],
                                   merkle_root(txids)));
    }
    // With another count, an inner node may pass for a leaf. Only a transaction of 64 bytes could
    // have its hash as a txid, and the caller refuses that.
    if (tree.transaction_count != txids.size()) return;
    for (const MerkleMatch& match : *proved) assert(txids.at(match.position) == match.txid);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const ByteView input{data, size};
    if (input[0] % 4 == 0) {
        check_arbitrary(input.subspan(1));
    } else if (input[0] % 4 == 2) {
        check_arbitrary_branch(input.subspan(1));
    } else {
        ByteReader reader{input.subspan(1)};
        check_mutated(reader);
    }
    return 0;
}
