// The 80 bytes of a block header.
#include "chain/block_header.h"

#include <algorithm>

#include "chain/byte_writer.h"

namespace petal::chain {

std::array<Byte, kHeaderBytes> BlockHeader::serialize() const {
    std::array<Byte, kHeaderBytes> bytes;
    Byte* to = put_u32(bytes.data(), static_cast<std::uint32_t>(version));
    to = std::copy(previous.bytes.begin(), previous.bytes.end(), to);
    to = std::copy(merkle_root.bytes.begin(), merkle_root.bytes.end(), to);
    to = put_u32(to, time);
    to = put_u32(to, bits);
    put_u32(to, nonce);
    return bytes;
}

BlockHash BlockHeader::hash() const {
    return {sha256d(serialize()).bytes};
}

BlockHeader read_block_header(ByteReader& reader) {
    BlockHeader header;
    header.version = reader.read_i32();
    header.previous = {reader.read_array<32>()};
    header.merkle_root = {reader.read_array<32>()};
    header.time = reader.read_u32();
    header.bits = reader.read_u32();
    header.nonce = reader.read_u32();
    return header;
}

}  // namespace petal::chain
