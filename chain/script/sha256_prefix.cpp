#include "chain/script/sha256_prefix.h"

#include <openssl/evp.h>

#include <stdexcept>

namespace petal::chain {

namespace {

void require(bool succeeded) {
    if (!succeeded) throw std::runtime_error("OpenSSL failed to compute a hash");
}

void add(EVP_MD_CTX* context, ByteView bytes) {
    require(EVP_DigestUpdate(context, bytes.data(), bytes.size()) == 1);
}

}  // namespace

void Sha256Prefix::FreeContext::operator()(evp_md_ctx_st* context) const {
    EVP_MD_CTX_free(context);
}

Sha256Prefix::Sha256Prefix() : begun_(EVP_MD_CTX_new()), whole_(EVP_MD_CTX_new()) {
    require(begun_ != nullptr && whole_ != nullptr);
    require(EVP_DigestInit_ex(begun_.get(), EVP_sha256(), nullptr) == 1);
}

void Sha256Prefix::append(ByteView bytes) {
    add(begun_.get(), bytes);
    size_ += bytes.size();
}

std::array<Byte, 32> Sha256Prefix::sha256(std::initializer_list<ByteView> parts) const {
    std::array<Byte, 32> result;
    require(EVP_MD_CTX_copy_ex(whole_.get(), begun_.get()) == 1);
    for (const ByteView part : parts) add(whole_.get(), part);
    require(EVP_DigestFinal_ex(whole_.get(), result.data(), nullptr) == 1);
    return result;
}

}  // namespace petal::chain
