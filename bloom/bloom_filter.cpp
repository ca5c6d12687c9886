#include "bloom/bloom_filter.h"

#include <bit>
#include <cassert>
#include <cmath>
#include <utility>

#include "bloom/murmur3.h"
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
      hash_functions_(hash_functions),
      tweak_(tweak),
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
    writer.var_bytes(bytes_).u32(hash_functions_).u32(tweak_).u8(flags_);
    return writer.take();
}

std::size_t BloomFilter::bit_of(std::uint32_t function, chain::ByteView element) const {
    // A division of 32 bits is faster than one of 64 on many processors.
    return murmur3(seed(function), element) % static_cast<std::uint32_t>(bit_count());
}

bool BloomFilter::is_set(std::size_t bit) const {
    return (bytes_[bit / 8] >> bit % 8 & 1) != 0;
}

void BloomFilter::set(std::size_t bit) {
    const unsigned before = bytes_[bit / 8];
    bytes_[bit / 8] = static_cast<chain::Byte>(before | 1U << bit % 8);
    bits_set_ += ~before >> bit % 8 & 1;
}

void BloomFilter::insert(chain::ByteView element) {
    for (std::uint32_t i = 0; i < hash_functions_; ++i) set(bit_of(i, element));
}

void BloomFilter::insert_all(std::span<const chain::Bytes> elements) {
    for (const chain::Bytes& element : elements) insert(element);
}

std::size_t BloomFilter::fill(std::span<const std::uint32_t> hashes, std::size_t bits) {
    std::size_t used = 0;
    for (; used < hashes.size() && bits_set_ < bits; ++used) set(hashes[used] % bit_count());
    return used;
}

void BloomFilter::unite(const BloomFilter& other) {
    assert(other.bytes_.size() == bytes_.size() && other.tweak_ == tweak_ &&
           other.hash_functions_ == hash_functions_);
    for (std::size_t i = 0; i < bytes_.size(); ++i) {
        bytes_[i] = static_cast<chain::Byte>(bytes_[i] | other.bytes_[i]);
    }
    bits_set_ = count_bits(bytes_);
}

bool BloomFilter::contains(chain::ByteView element) const {
    for (std::uint32_t i = 0; i < hash_functions_; ++i) {
        if (!is_set(bit_of(i, element))) return false;
    }
    return true;
}

double BloomFilter::false_positive_rate() const {
    const double fill = static_cast<double>(bits_set_) / static_cast<double>(bit_count());
    return std::pow(fill, hash_functions_);
}

}  // namespace petal::bloom
