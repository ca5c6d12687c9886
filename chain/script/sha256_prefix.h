/// SHA-256 of messages with a common prefix.
#pragma once

#include <array>
#include <cstddef>
#include <initializer_list>
#include <memory>

#include "chain/bytes.h"

struct evp_md_ctx_st;  // OpenSSL's EVP_MD_CTX

namespace petal::chain {

/// Hashes the common prefix of several messages only once. Not thread-safe.
class Sha256Prefix {
public:
    Sha256Prefix();

    /// Appends to the common prefix.
    void append(ByteView bytes);
    /// The size of the common prefix in bytes.
    std::size_t size() const { return size_; }
    /// SHA-256 of the prefix followed by the concatenation of `parts`.
    std::array<Byte, 32> sha256(std::initializer_list<ByteView> parts) const;

private:
    struct FreeContext {
        void operator()(evp_md_ctx_st* context) const;
    };
    using Context = std::unique_ptr<evp_md_ctx_st, FreeContext>;

    Context begun_;
    Context whole_;  // a copy of begun_, reused for each message
    std::size_t size_ = 0;
};

}  // namespace petal::chain
