#include "chain/keystream.h"

#include <openssl/evp.h>

#include <cassert>
#include <memory>
#include <stdexcept>

#include "chain/byte_reader.h"
#include "chain/byte_writer.h"

namespace petal::chain {

namespace {

/// OpenSSL's: the counter, little-endian, and the nonce.
std::array<Byte, 16> first_counter(std::uint32_t block) {
    std::array<Byte, 16> counter{};
    put_u32(counter.data(), block);
    return counter;
}

}  // namespace

void write_keystream(const std::array<Byte, 32>& key, std::uint32_t first_block,
                     std::span<std::uint32_t> words) {
    assert(words.size() % kKeystreamBlockWords == 0);
    const std::unique_ptr<EVP_CIPHER_CTX, decltype(&EVP_CIPHER_CTX_free)> context(
        EVP_CIPHER_CTX_new(), &EVP_CIPHER_CTX_free);
    const auto counter = first_counter(first_block);
    Bytes stream(4 * words.size());  // zeros, which encryption turns into the keystream
    int written = 0;
    if (context == nullptr ||
        EVP_EncryptInit_ex2(context.get(), EVP_chacha20(), key.data(), counter.data(), nullptr) !=
            1 ||
        EVP_EncryptUpdate(context.get(), stream.data(), &written, stream.data(),
                          static_cast<int>(stream.size())) != 1) {
        throw std::runtime_error("OpenSSL failed to compute a keystream");
    }
    for (std::size_t i = 0; i < words.size(); ++i) words[i] = get_u32(stream.data() + 4 * i);
}

}  // namespace petal::chain
