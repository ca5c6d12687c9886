// Verifies a merkleblock (BIP37): which transactions does it prove to be in a block?
//
//     verify_merkleblock HEADER PROOF
//
// HEADER is the header of a block that you believe to be in the chain, 80 bytes in hexadecimal.
// PROOF is the payload of a `merkleblock` message, or the output of Bitcoin Core's `gettxoutproof`:
//
//     header=$(bitcoin-cli getblockheader HASH false)
//     verify_merkleblock $header $(bitcoin-cli gettxoutproof '["TXID"]' HASH)
//
// Prints the block's hash, and the position and txid of each proven transaction. A proof is only as
// good as the header: its own header proves nothing, as anyone can fabricate one.
#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>
#include <string_view>

#include <petal/chain/block_header.h>
#include <petal/chain/byte_reader.h>
#include <petal/chain/bytes.h>
#include <petal/chain/merkle_proof.h>

namespace {

using namespace petal;

chain::Bytes bytes_of(const std::string& what, std::string_view hex) {
    const auto bytes = chain::from_hex(hex);
    if (!bytes) throw std::runtime_error(what + ": not hexadecimal");
    return *bytes;
}

void expect_end(const std::string& what, chain::ByteReader& reader) {
    reader.expect_end();
    if (reader.ok()) return;
    throw std::runtime_error(what + ": " + std::string(describe(reader.error())));
}

chain::BlockHeader header_of(const std::string& hex) {
    const chain::Bytes bytes = bytes_of("header", hex);
    chain::ByteReader reader(bytes);
    const chain::BlockHeader header = chain::read_block_header(reader);
    expect_end("header", reader);
    return header;
}

void verify(const chain::BlockHeader& known, const std::string& proof) {
    const chain::Bytes bytes = bytes_of("proof", proof);
    chain::ByteReader reader(bytes);
    const chain::BlockHeader header = chain::read_block_header(reader);
    const chain::PartialMerkleTree tree = chain::read_partial_merkle_tree(reader);
    expect_end("proof", reader);
    if (header != known) {
        throw std::runtime_error("the proof is of another block, " + header.hash().to_hex());
    }
    const auto matches = chain::check_merkle_proof(tree, known.merkle_root);
    if (!matches) throw std::runtime_error(std::string(describe(matches.error())));

    std::cout << "block " << known.hash().to_hex() << " of " << tree.transaction_count
              << " transactions\n";
    for (const chain::MerkleMatch& match : *matches) {
        std::cout << match.position << ' ' << match.txid.to_hex() << '\n';
    }
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) {
        std::cerr << "usage: verify_merkleblock HEADER PROOF\n";
        return 2;
    }
    try {
        verify(header_of(argv[1]), argv[2]);
    } catch (const std::exception& error) {
        std::cerr << "refused: " << error.what() << '\n';
        return 1;
    }
}
