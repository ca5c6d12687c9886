// The bytes of a header's record.
#include "chain/headers/header_record.h"

#include <algorithm>
#include <array>

#include "chain/byte_reader.h"
#include "chain/byte_writer.h"

namespace petal::chain {

namespace {

constexpr std::size_t kWorkOffset = kHeaderBytes;
constexpr std::size_t kCheckOffset = 124;

}  // namespace

HeaderRecord::HeaderRecord(const BlockHeader& header, const HeaderPlace& place) {
    const auto header_bytes = header.serialize();
    const auto work_bytes = place.work.to_little_endian();
    Byte* to = std::copy(header_bytes.begin(), header_bytes.end(), bytes_.data());
    to = std::copy(work_bytes.begin(), work_bytes.end(), to);
    to = put_u32(to, place.parent);
    to = put_u32(to, place.height);
    put_u32(to, place.max_time);
}

BlockHeader HeaderRecord::header() const {
    BlockHeader header;
    header.version = static_cast<std::int32_t>(u32_at(0));
    header.previous = previous();
    header.merkle_root = Hash256::from_view(view().subspan(36));
    header.time = time();
    header.bits = bits();
    header.nonce = u32_at(76);
    return header;
}

Uint256 HeaderRecord::work() const {
    std::array<Byte, 32> bytes;
    std::copy_n(bytes_.begin() + kWorkOffset, bytes.size(), bytes.begin());
    return Uint256::from_little_endian(bytes);
}

HeaderRecord::Check HeaderRecord::make_check(const Check& before, const BlockHash& hash) const {
    std::array<Byte, 4 + 32 + kCheckOffset - kWorkOffset> input;
    auto to = std::copy(before.begin(), before.end(), input.begin());
    to = std::copy(hash.bytes.begin(), hash.bytes.end(), to);
    std::copy(bytes_.begin() + kWorkOffset, bytes_.begin() + kCheckOffset, to);
    const auto digest = sha256(input);
    return {digest[0], digest[1], digest[2], digest[3]};
}

void HeaderRecord::set_check(const Check& check) {
    std::copy(check.begin(), check.end(), bytes_.begin() + kCheckOffset);
}

std::uint32_t HeaderRecord::u32_at(std::size_t offset) const {
    return get_u32(bytes_.data() + offset);
}

}  // namespace petal::chain
