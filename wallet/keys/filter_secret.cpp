#include "wallet/keys/filter_secret.h"

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/params.h>

#include <memory>
#include <stdexcept>
#include <string>

namespace petal::wallet {

namespace {

void check_hkdf(bool done) {
    if (!done) throw std::runtime_error("OpenSSL could not compute HKDF-SHA256");
}

struct FreeKdf {
    void operator()(EVP_KDF* kdf) const { EVP_KDF_free(kdf); }
    void operator()(EVP_KDF_CTX* context) const { EVP_KDF_CTX_free(context); }
};

}  // namespace

std::array<chain::Byte, 32> filter_secret(const ExtendedPublicKey& account) {
    const std::unique_ptr<EVP_KDF, FreeKdf> hkdf{EVP_KDF_fetch(nullptr, "HKDF", nullptr)};
    check_hkdf(hkdf != nullptr);
    const std::unique_ptr<EVP_KDF_CTX, FreeKdf> context{EVP_KDF_CTX_new(hkdf.get())};
    check_hkdf(context != nullptr);

    const auto& chain_code = account.position().chain_code;
    const auto& public_key = account.key().compressed();
    chain::Bytes key(chain_code.begin(), chain_code.end());
    key.insert(key.end(), public_key.begin(), public_key.end());
    std::string digest = "SHA256";
    std::string label = "petal filter 1";
    std::array parameters{
        OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, digest.data(), 0),
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_KEY, key.data(), key.size()),
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_INFO, label.data(), label.size()),
        OSSL_PARAM_construct_end()};
    std::array<chain::Byte, 32> secret{};
    check_hkdf(EVP_KDF_derive(context.get(), secret.data(), secret.size(), parameters.data()) == 1);
    return secret;
}

}  // namespace petal::wallet
