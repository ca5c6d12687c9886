// Hashing, done by OpenSSL.
#include "chain/hash.h"

#include <openssl/evp.h>

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <utility>

#include "chain/sha256_lanes.h"

namespace petal::chain {

namespace {

void expect(bool succeeded) {
    if (!succeeded) throw std::runtime_error("OpenSSL failed to compute a hash");
}

// One algorithm and a context. Both are kept, because fetching the algorithm and allocating the
// context takes three times as long as hashing a block header.
class Digest {
public:
    explicit Digest(const char* algorithm)
        : algorithm_(EVP_MD_fetch(nullptr, algorithm, nullptr), &EVP_MD_free),
          context_(EVP_MD_CTX_new(), &EVP_MD_CTX_free) {
        expect(algorithm_ != nullptr && context_ != nullptr);
    }

    void start() { expect(EVP_DigestInit_ex2(context_.get(), algorithm_.get(), nullptr) == 1); }
    void add(ByteView bytes) {
        expect(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) == 1);
    }
    template <std::size_t N>
    void finish(std::array<Byte, N>& digest) {
        expect(EVP_DigestFinal_ex(context_.get(), digest.data(), nullptr) == 1);
    }

private:
    std::unique_ptr<EVP_MD, decltype(&EVP_MD_free)> algorithm_;
    std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_;
};

Digest& sha256_digest() {
    thread_local Digest digest("SHA256");
    return digest;
}

Digest& ripemd160_digest() {
    thread_local Digest digest("RIPEMD160");
    return digest;
}

Hash160 hash_160_bits(Digest& digest, ByteView bytes) {
    Hash160 result;
    digest.start();
    digest.add(bytes);
    digest.finish(result);
    return result;
}

void put_big_endian(Byte* to, std::uint64_t value, std::size_t bytes) {
    while (bytes-- > 0) *to++ = static_cast<Byte>(value >> (8 * bytes));
}

void write_digest(const Sha256State& state, Byte* to) {
    for (const std::uint32_t word : state) {
        put_big_endian(to, word, 4);
        to += 4;
    }
}

// Pads a message of `size` bytes at `message` to whole blocks (FIPS 180-4). Returns their number.
std::size_t pad_message(Byte* message, std::size_t size) {
    const std::size_t blocks = (size + 8) / kSha256BlockBytes + 1;
    const std::size_t end = blocks * kSha256BlockBytes - 8;
    message[size] = 0x80;
    std::memset(message + size + 1, 0, end - size - 1);
    put_big_endian(message + end, std::uint64_t{size} * 8, 8);
    return blocks;
}

// Computes the double SHA-256 of one message after the other. Of each message, the blocks are added
// to the state from outside, so that two of these can be hashed at a time.
class Sha256dLane {
public:
    // Longer messages are hashed at once, by OpenSSL.
    static constexpr std::size_t kMaxMessageBytes = 4'000;

    // Takes the next job of the list. Returns false if the list is empty.
    bool take_job(std::span<const HashJob>& jobs) {
        while (!jobs.empty()) {
            const HashJob& job = jobs.front();
            jobs = jobs.subspan(1);
            const auto& [first, second, third] = job.parts;
            const std::size_t size = first.size() + second.size() + third.size();
            if (size > kMaxMessageBytes) {
                *job.hash = sha256d({first, second, third}).bytes;
                continue;
            }
            Byte* to = message_.data();
            for (const ByteView part : job.parts) to = std::ranges::copy(part, to).out;
            start_message(pad_message(message_.data(), size));
            hash_ = job.hash;
            is_second_ = false;
            return true;
        }
        return false;
    }

    Sha256State& state() { return state_; }
    const Byte* blocks() const { return blocks_; }
    std::size_t blocks_left() const { return blocks_left_; }

    // This number of blocks was added to the state. Returns false once the hash is written.
    bool advance(std::size_t added) {
        blocks_ += added * kSha256BlockBytes;
        blocks_left_ -= added;
        if (blocks_left_ > 0) return true;
        if (is_second_) {
            write_digest(state_, hash_->data());
            return false;
        }
        write_digest(state_, message_.data());
        start_message(pad_message(message_.data(), hash_->size()));
        is_second_ = true;
        return true;
    }

private:
    void start_message(std::size_t blocks) {
        state_ = kSha256Start;
        blocks_ = message_.data();
        blocks_left_ = blocks;
    }

    std::array<Byte, kMaxMessageBytes + 2 * kSha256BlockBytes> message_;
    Sha256State state_{};
    const Byte* blocks_ = nullptr;
    std::size_t blocks_left_ = 0;
    std::array<Byte, 32>* hash_ = nullptr;
    bool is_second_ = false;
};

void hash_by_lanes(std::span<const HashJob> jobs) {
    std::array<Sha256dLane, 2> lanes;
    auto& [left, right] = lanes;
    bool left_works = left.take_job(jobs);
    bool right_works = right.take_job(jobs);
    while (left_works && right_works) {
        const std::size_t blocks = std::min(left.blocks_left(), right.blocks_left());
        add_sha256_blocks(left.state(), left.blocks(), right.state(), right.blocks(), blocks);
        left_works = left.advance(blocks) || left.take_job(jobs);
        right_works = right.advance(blocks) || right.take_job(jobs);
    }
    Sha256dLane& last = left_works ? left : right;
    for (bool works = left_works || right_works; works;) {
        const std::size_t blocks = last.blocks_left();
        add_sha256_blocks(last.state(), last.blocks(), blocks);
        works = last.advance(blocks) || last.take_job(jobs);
    }
}

// The state of SipHash-2-4 (Aumasson and Bernstein, 2012).
class SipHash {
public:
    explicit SipHash(const SipHashKey& key)
        : v0_(key[0] ^ 0x736f6d6570736575U),
          v1_(key[1] ^ 0x646f72616e646f6dU),
          v2_(key[0] ^ 0x6c7967656e657261U),
          v3_(key[1] ^ 0x7465646279746573U) {}

    void add(std::uint64_t word) {
        v3_ ^= word;
        mix();
        mix();
        v0_ ^= word;
    }
    std::uint64_t finish() {
        v2_ ^= 0xff;
        for (int i = 0; i < 4; ++i) mix();
        return v0_ ^ v1_ ^ v2_ ^ v3_;
    }

private:
    void mix() {
        v0_ += v1_;
        v2_ += v3_;
        v1_ = std::rotl(v1_, 13) ^ v0_;
        v3_ = std::rotl(v3_, 16) ^ v2_;
        v0_ = std::rotl(v0_, 32);
        v2_ += v1_;
        v0_ += v3_;
        v1_ = std::rotl(v1_, 17) ^ v2_;
        v3_ = std::rotl(v3_, 21) ^ v0_;
        v2_ = std::rotl(v2_, 32);
    }

    std::uint64_t v0_;
    std::uint64_t v1_;
    std::uint64_t v2_;
    std::uint64_t v3_;
};

// Up to eight bytes, the first the lowest.
std::uint64_t read_word(const Byte* bytes, std::size_t size = 8) {
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < size; ++i) word |= std::uint64_t{bytes[i]} << (8 * i);
    return word;
}

SipHashKey table_key{};

SipHash sip_hash_of(const std::array<Byte, 32>& hash) {
    SipHash sip(table_key);
    for (std::size_t i = 0; i < 32; i += 8) sip.add(read_word(&hash[i]));
    return sip;
}

}  // namespace

std::array<Byte, 32> sha256(std::initializer_list<ByteView> parts) {
    Digest& digest = sha256_digest();
    std::array<Byte, 32> result;
    digest.start();
    for (const ByteView part : parts) digest.add(part);
    digest.finish(result);
    return result;
}

std::array<Byte, 32> sha256(ByteView bytes) {
    return sha256({bytes});
}

Hash256 sha256d(std::initializer_list<ByteView> parts) {
    return {sha256(sha256(parts))};
}

Hash256 sha256d(ByteView bytes) {
    return sha256d({bytes});
}

void sha256d_all(std::span<const HashJob> jobs) {
    if (has_sha256_instructions()) return hash_by_lanes(jobs);
    for (const auto& [parts, hash] : jobs) *hash = sha256d({parts[0], parts[1], parts[2]}).bytes;
}

void sha256d_pairs(std::vector<Hash256>& hashes) {
    assert(hashes.size() % 2 == 0);
    constexpr std::size_t kJobsAtOnce = 64;
    std::array<HashJob, kJobsAtOnce> jobs;
    const std::size_t pairs = hashes.size() / 2;
    // In place: the hash of pair i replaces hash i, which is of pair i / 2 and was read before.
    for (std::size_t done = 0; done < pairs;) {
        const std::size_t count = std::min(kJobsAtOnce, pairs - done);
        for (std::size_t i = 0; i < count; ++i, ++done) {
            jobs[i] = {{hashes[2 * done].view(), hashes[2 * done + 1].view(), {}},
                       &hashes[done].bytes};
        }
        sha256d_all(std::span(jobs).first(count));
    }
    hashes.resize(pairs);
}

Hash160 hash160(ByteView bytes) {
    return hash_160_bits(ripemd160_digest(), sha256(bytes));
}

Hash160 ripemd160(ByteView bytes) {
    return hash_160_bits(ripemd160_digest(), bytes);
}

Hash160 sha1(ByteView bytes) {
    thread_local Digest digest("SHA1");
    return hash_160_bits(digest, bytes);
}

std::array<Byte, 32> tagged_hash(std::string_view tag, ByteView message) {
    const auto tag_hash = sha256(as_bytes(tag));
    return sha256({tag_hash, tag_hash, message});
}

SipHashKey sip_hash_key(const std::array<Byte, 16>& bytes) {
    return {read_word(&bytes[0]), read_word(&bytes[8])};
}

std::uint64_t sip_hash(const SipHashKey& key, ByteView bytes) noexcept {
    SipHash sip(key);
    const std::size_t whole = bytes.size() / 8 * 8;
    for (std::size_t i = 0; i < whole; i += 8) sip.add(read_word(bytes.data() + i));
    const std::uint64_t rest = read_word(bytes.data() + whole, bytes.size() - whole);
    sip.add(std::uint64_t{bytes.size()} << 56U | rest);
    return sip.finish();
}

std::uint64_t table_hash(const std::array<Byte, 32>& hash) noexcept {
    SipHash sip = sip_hash_of(hash);
    sip.add(std::uint64_t{32} << 56U);
    return sip.finish();
}

std::uint64_t table_hash(const std::array<Byte, 32>& hash, std::uint32_t extra) noexcept {
    SipHash sip = sip_hash_of(hash);
    sip.add(std::uint64_t{36} << 56U | extra);
    return sip.finish();
}

void salt_tables(const std::array<Byte, 16>& key) {
    table_key = sip_hash_key(key);
}

}  // namespace petal::chain
