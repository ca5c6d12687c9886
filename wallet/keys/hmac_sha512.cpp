/// HMAC-SHA512 with one key for many messages (RFC 2104, BIP32).
#include "wallet/keys/hmac_sha512.h"

#include <openssl/core_names.h>
#include <openssl/params.h>

#include <array>
#include <stdexcept>
#include <string>

namespace petal::wallet {

namespace {

void check_hmac(bool done) {
    if (!done) throw std::runtime_error("OpenSSL could not compute HMAC-SHA512");
}

EVP_MAC_CTX* new_context() {
    struct Free {
        void operator()(EVP_MAC* mac) const { EVP_MAC_free(mac); }
    };
    // Fetching an algorithm by its name takes longer than hashing with it.
    static const std::unique_ptr<EVP_MAC, Free> hmac{EVP_MAC_fetch(nullptr, "HMAC", nullptr)};
    check_hmac(hmac != nullptr);
    return EVP_MAC_CTX_new(hmac.get());
}

}  // namespace

HmacSha512::HmacSha512(chain::ByteView key) : context_(new_context()) {
    check_hmac(context_ != nullptr);
    std::string digest = "SHA512";
    const std::array parameters{
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest.data(), 0),
        OSSL_PARAM_construct_end()};
    check_hmac(EVP_MAC_init(context_.get(), key.data(), key.size(), parameters.data()) == 1);
}

SecretArray<64> HmacSha512::digest(std::initializer_list<chain::ByteView> parts) {
    // Without a key argument, EVP_MAC_init() restarts with the current key and does not hash it
    // again.
    check_hmac(EVP_MAC_init(context_.get(), nullptr, 0, nullptr) == 1);
    for (const chain::ByteView part : parts) {
        check_hmac(EVP_MAC_update(context_.get(), part.data(), part.size()) == 1);
    }
    SecretArray<64> result;
    std::size_t size = 0;
    check_hmac(EVP_MAC_final(context_.get(), result.data(), &size, result.size()) == 1);
    check_hmac(size == result.size());
    return result;
}

}  // namespace petal::wallet
