/// SHA-256 of messages that begin alike.
#pragma once

#include <array>
#include <cstddef>
#include <initializer_list>
#include <memory>

#include "chain/bytes.h"

struct evp_md_ctx_st;  // OpenSSL's EVP_MD_CTX

namespace petal::chain {

/// Hashes once what messages have in common. Not thread-safe.
class Sha256Prefix {
public:
    Sha256Prefix();

    /// Appends to what the messages begin with.
    void append(ByteView bytes);
    /// How many bytes they have in common so far.
    std::size_t size() const { return size_; }
    /// SHA-256 of the message that goes on with the concatenation of `parts`.
    std::array<Byte, 32> sha256(std::initializer_list<ByteView> parts) const;

private:
    struct FreeContext {
        void operator()(evp_md_ctx_st* context) const;
    };
    using Context = std::unique_ptr<evp_md_ctx_st, FreeContext>;

    Context begun_;
    Context whole_;  // a copy of it, for one message after the other
    std::size_t size_ = 0;
};

}  // namespace petal::chain
