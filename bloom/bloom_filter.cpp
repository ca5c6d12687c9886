#include "bloom/bloom_filter.h"

#include <bit>
#include <cassert>
#include <cmath>
#include <utility>

#include "bloom/visit_bits.h"
#include "chain/byte_reader.h"
#include "chain/byte_writer.h"
#include "chain/enum_table.h"

namespace petal::bloom {
namespace {

std::size_t count_bits(chain::ByteView bytes) {
    std::size_t count = 0;
    for (const chain::Byte byte : bytes) count += static_cast<std::size_t>(std::popcount(byte));
    return count;
}

/// Returns how many of them were not set yet.
std::size_t set_bits(chain::Byte* bytes, const ElementBits& bits, std::size_t count) {
    std::size_t newly_set = 0;
    // A branch for each would be a fifth of the work.
#pragma GCC unroll 8
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t index = bits.bytes[i];
        const chain::Byte before = bytes[index];
        const auto after = static_cast<chain::Byte>(before | bits.masks[i]);
        bytes[index] = after;
        newly_set += before < after ? 1U : 0U;
    }
    return newly_set;
}

FilterError to_filter_error(chain::DecodeError error) {
    return error == chain::DecodeError::too_large ? FilterError::too_large : FilterError::malformed;
}

}  // namespace

std::string_view describe(UpdateMode mode) {
    using enum UpdateMode;
    static constexpr auto kTexts = chain::enum_table<UpdateMode, std::string_view>({
        {none, "none"},
        {all, "all"},
        {pubkey_only, "p2pubkey-only"},
    });
    return kTexts[mode];
}

UpdateMode update_mode_of(std::uint8_t flags) {
    switch (flags & 3) {
        case 1:
            return UpdateMode::all;
        case 2:
            return UpdateMode::pubkey_only;
        default:
            return UpdateMode::none;
    }
}

std::string_view describe(FilterError error) {
    using enum FilterError;
    static constexpr auto kTexts = chain::enum_table<FilterError, std::string_view>({
        {no_bytes,
         "the filter has no bytes, so it matches everything (Bitcoin Core since "
         "CVE-2013-5700)"},
        {no_hash_functions,
         "the filter has no hash functions, so it matches everything (Bitcoin Core: "
         "CBloomFilter::contains)"},
        {all_ones, "every bit of the filter is set, so it matches everything"},
        {too_large,
         "the filter has more than 36,000 bytes, the limit of BIP37 (Bitcoin Core: "
         "MAX_BLOOM_FILTER_SIZE)"},
        {too_many_functions,
         "the filter has more than 50 hash functions, the limit of BIP37 (Bitcoin Core: "
         "MAX_HASH_FUNCS)"},
        {malformed,
         "these bytes are not the payload of a filterload message: size and bytes of the "
         "filter, 4 bytes of functions, 4 of tweak, 1 of flags (BIP37)"},
    });
    return kTexts[error];
}

BloomFilter::BloomFilter(const FilterSize& size, std::uint32_t tweak, UpdateMode mode)
    : BloomFilter(chain::Bytes(size.bytes), size.hash_functions, tweak,
                  static_cast<std::uint8_t>(mode)) {}

BloomFilter::BloomFilter(chain::Bytes bytes, std::uint32_t hash_functions, std::uint32_t tweak,
                         std::uint8_t flags)
    : bytes_(std::move(bytes)),
      layout_{FastRemainder(static_cast<std::uint32_t>(bytes_.size())), hash_functions, tweak},
      bits_set_(count_bits(bytes_)),
      flags_(flags) {
    assert(!bytes_.empty() && bytes_.size() <= kMaxFilterBytes);
    assert(hash_functions > 0 && hash_functions <= kMaxHashFunctions);
}

chain::Expected<BloomFilter, FilterError> BloomFilter::decode(chain::ByteView filterload_payload) {
    chain::ByteReader reader(filterload_payload);
    chain::Bytes bytes = reader.read_var_bytes(kMaxFilterBytes);
    const std::uint32_t hash_functions = reader.read_u32();
    const std::uint32_t tweak = reader.read_u32();
    const std::uint8_t flags = reader.read_u8();
    reader.expect_end();

    if (!reader.ok()) return chain::Unexpected(to_filter_error(reader.error()));
    if (bytes.empty()) return chain::Unexpected(FilterError::no_bytes);
    if (hash_functions == 0) return chain::Unexpected(FilterError::no_hash_functions);
    if (hash_functions > kMaxHashFunctions)
        return chain::Unexpected(FilterError::too_many_functions);

    BloomFilter filter(std::move(bytes), hash_functions, tweak, flags);
    if (filter.bits_set() == filter.bit_count()) return chain::Unexpected(FilterError::all_ones);
    return filter;
}

chain::Bytes BloomFilter::encode() const {
    constexpr std::size_t kMostBytesAround = 3 + 4 + 4 + 1;
    chain::ByteWriter writer(bytes_.size() + kMostBytesAround);
    writer.var_bytes(bytes_).u32(hash_functions()).u32(tweak()).u8(flags_);
    return writer.take();
}

void BloomFilter::insert(chain::ByteView element) {
    const ElementBits bits = all_bits(layout_, element);
    bits_set_ += set_bits(bytes_.data(), bits, layout_.hash_functions);
}

// Two elements at a time: the bits of one are set while those of the other are computed.
void BloomFilter::insert_all(std::span<const chain::Bytes> elements) {
    const std::size_t functions = layout_.hash_functions;
    std::size_t i = 0;
    for (; i + 2 <= elements.size(); i += 2) {
        const ElementBits first = all_bits(layout_, elements[i]);
        const ElementBits second = all_bits(layout_, elements[i + 1]);
        bits_set_ += set_bits(bytes_.data(), first, functions);
        bits_set_ += set_bits(bytes_.data(), second, functions);
    }
    if (i < elements.size()) insert(elements[i]);
}

std::size_t BloomFilter::fill(std::span<const std::uint32_t> hashes, std::size_t bits) {
    std::size_t used = 0;
    for (; used < hashes.size() && bits_set_ < bits; ++used) {
        chain::Byte& byte = bytes_[layout_.byte(hashes[used])];
        const auto after = static_cast<chain::Byte>(byte | BitLayout::mask(hashes[used]));
        bits_set_ += byte < after ? 1U : 0U;
        byte = after;
    }
    return used;
}

bool BloomFilter::contains(chain::ByteView element) const {
    const chain::Byte* const bytes = bytes_.data();
    return visit_bits(layout_, element, [bytes](const auto& group) {
        std::uint32_t missing = 0;
        for (std::size_t i = 0; i < group.bytes.size(); ++i) {
            missing |= group.masks[i] & ~std::uint32_t{bytes[group.bytes[i]]};
        }
        return missing == 0;
    });
}

double BloomFilter::false_positive_rate() const {
    const double fill = static_cast<double>(bits_set_) / static_cast<double>(bit_count());
    return std::pow(fill, hash_functions());
}

}  // namespace petal::bloom
