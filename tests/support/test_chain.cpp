/// Mines regtest headers.
#include "tests/support/test_chain.h"

#include "chain/headers/proof_of_work.h"

namespace petal::test {

using chain::BlockHeader;

const chain::NetworkParams& regtest_params() {
    return *chain::find_network("regtest");
}

void find_nonce(BlockHeader& header) {
    const chain::Uint256 no_limit = ~chain::Uint256(0);
    const chain::Uint256 target = chain::decode_target(header.bits, no_limit).value();
    while (!chain::meets_target(header.hash(), target)) ++header.nonce;
}

BlockHeader mine_header(const BlockHeader& parent, std::uint32_t time,
                        const chain::Hash256& merkle_root, std::uint32_t bits) {
    BlockHeader header{0x20000000, parent.hash(), merkle_root, time, bits, 0};
    find_nonce(header);
    return header;
}

std::vector<BlockHeader> mine_headers(const BlockHeader& parent, std::size_t count,
                                      std::uint8_t salt) {
    chain::Hash256 merkle_root;
    merkle_root.bytes.front() = salt;
    std::vector<BlockHeader> headers{parent};
    while (headers.size() <= count) {
        const BlockHeader& last = headers.back();
        headers.push_back(mine_header(last, last.time + 600, merkle_root));
    }
    headers.erase(headers.begin());
    return headers;
}

LetterTree::LetterTree() {
    headers_.emplace('0', regtest_params().genesis);
}

std::vector<BlockHeader> LetterTree::grow(std::string_view letters, char parent) {
    for (const char letter : letters) {
        chain::Hash256 merkle_root;
        merkle_root.bytes.front() = static_cast<chain::Byte>(letter);
        const BlockHeader& before = headers_.at(parent);
        headers_.insert_or_assign(letter, mine_header(before, before.time + 600, merkle_root));
        parent = letter;
    }
    return headers(letters);
}

std::vector<BlockHeader> LetterTree::headers(std::string_view letters) const {
    std::vector<BlockHeader> result;
    for (const char letter : letters) result.push_back(headers_.at(letter));
    return result;
}

}  // namespace petal::test
