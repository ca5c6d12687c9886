// Hashing, done by OpenSSL.
#include "chain/hash.h"

#include <openssl/evp.h>

#include <memory>
#include <stdexcept>

namespace petal::chain {

namespace {

void expect(bool succeeded) {
    if (!succeeded) throw std::runtime_error("OpenSSL failed to compute a hash");
}

// One algorithm and a context for it. Fetching the one and allocating the other takes three times
// as long as hashing a block header, so both are done once and kept.
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

Hash160 hash160(ByteView bytes) {
    Digest& digest = ripemd160_digest();
    Hash160 result;
    digest.start();
    digest.add(sha256(bytes));
    digest.finish(result);
    return result;
}

std::array<Byte, 32> tagged_hash(std::string_view tag, ByteView message) {
    const auto tag_hash = sha256(as_bytes(tag));
    return sha256({tag_hash, tag_hash, message});
}

}  // namespace petal::chain
