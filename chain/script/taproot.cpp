#include "chain/script/taproot.h"

#include <secp256k1_extrakeys.h>

#include <algorithm>
#include <cassert>

#include "chain/byte_writer.h"
#include "chain/hash.h"
#include "chain/script/signature_encoding.h"

namespace petal::chain {

namespace {

// BIP341: a byte with the leaf version and the parity of the output key, the internal key, and up
// to 128 hashes.
constexpr std::size_t kKeyBytes = 32;
constexpr std::size_t kHashBytes = 32;
constexpr std::size_t kBaseBytes = 1 + kKeyBytes;
constexpr std::size_t kMaxPathHashes = 128;
constexpr std::uint8_t kParityBit = 1;

std::array<Byte, 32> tapbranch_hash(ByteView first, ByteView second) {
    const bool in_order = std::ranges::lexicographical_compare(first, second);
    ByteWriter writer{2 * kHashBytes};
    writer.bytes(in_order ? first : second).bytes(in_order ? second : first);
    return tagged_hash("TapBranch", writer.view());
}

}  // namespace

bool has_annex(std::span<const ByteView> items) {
    constexpr std::uint8_t kAnnexTag = 0x50;
    return items.size() >= 2 && !items.back().empty() && items.back()[0] == kAnnexTag;
}

bool has_control_block_size(ByteView control_block) {
    if (control_block.size() < kBaseBytes) return false;
    const std::size_t path_bytes = control_block.size() - kBaseBytes;
    return path_bytes % kHashBytes == 0 && path_bytes / kHashBytes <= kMaxPathHashes;
}

std::uint8_t leaf_version(ByteView control_block) {
    return control_block[0] & static_cast<std::uint8_t>(~kParityBit);
}

std::array<Byte, 32> tapleaf_hash(std::uint8_t version, ByteView script) {
    ByteWriter writer{script.size() + 10};
    writer.u8(version).var_bytes(script);
    return tagged_hash("TapLeaf", writer.view());
}

bool commits_to_leaf(ByteView output_key, ByteView control_block,
                     const std::array<Byte, 32>& leaf_hash) {
    assert(output_key.size() == kKeyBytes && has_control_block_size(control_block));
    std::array<Byte, 32> root = leaf_hash;
    for (ByteView path = control_block.subspan(kBaseBytes); !path.empty();
         path = path.subspan(kHashBytes)) {
        root = tapbranch_hash(root, path.first(kHashBytes));
    }
    const ByteView internal_key = control_block.subspan(1, kKeyBytes);
    ByteWriter committed{kKeyBytes + kHashBytes};
    committed.bytes(internal_key).bytes(root);
    const auto tweak = tagged_hash("TapTweak", committed.view());
    const auto* const context = verification_context();
    secp256k1_xonly_pubkey key;
    return secp256k1_xonly_pubkey_parse(context, &key, internal_key.data()) == 1 &&
           secp256k1_xonly_pubkey_tweak_add_check(
               context, output_key.data(), control_block[0] & kParityBit, &key, tweak.data()) == 1;
}

}  // namespace petal::chain
