/// Memory for secrets that is overwritten before it is freed.
#pragma once

#include <openssl/crypto.h>

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "chain/bytes.h"

namespace petal::wallet {

/// Overwrites memory that the standard library manages.
inline void wipe(std::span<char> text) {
    OPENSSL_cleanse(text.data(), text.size());
}

/// The standard allocator, which also wipes memory before releasing it, e.g. when a container
/// grows.
template <typename T>
struct WipingAllocator {
    using value_type = T;

    WipingAllocator() = default;
    template <typename U>
    WipingAllocator(const WipingAllocator<U>&) noexcept {}

    T* allocate(std::size_t count) { return std::allocator<T>{}.allocate(count); }
    void deallocate(T* memory, std::size_t count) noexcept {
        OPENSSL_cleanse(memory, count * sizeof(T));
        std::allocator<T>{}.deallocate(memory, count);
    }

    template <typename U>
    friend bool operator==(const WipingAllocator&, const WipingAllocator<U>&) noexcept {
        return true;
    }
};

/// A secret of any length.
using SecretBytes = std::vector<chain::Byte, WipingAllocator<chain::Byte>>;

/// A secret text. A standard string stores a short text within the string object, which the
/// allocator does not wipe. This class wipes the object, too.
class SecretString : public std::basic_string<char, std::char_traits<char>, WipingAllocator<char>> {
public:
    using Text = std::basic_string<char, std::char_traits<char>, WipingAllocator<char>>;
    using Text::Text;
    using Text::operator=;

    SecretString() = default;
    SecretString(const SecretString&) = default;
    SecretString& operator=(const SecretString&) = default;
    SecretString(SecretString&& other) noexcept : Text(std::move(other)) { wipe_all(other); }
    SecretString& operator=(SecretString&& other) noexcept {
        if (this == &other) return *this;
        Text::operator=(std::move(other));
        wipe_all(other);
        return *this;
    }
    /// Takes the result of a string's function, e.g. a concatenation.
    SecretString(Text&& text) noexcept : Text(std::move(text)) { wipe_all(text); }
    SecretString& operator=(Text&& text) noexcept {
        Text::operator=(std::move(text));
        wipe_all(text);
        return *this;
    }
    ~SecretString() { wipe_all(*this); }

private:
    /// Empties the text and wipes the memory within the object. That memory may contain an earlier,
    /// shorter text even if the text was on the heap.
    static void wipe_all(Text& text) noexcept {
        text.clear();
        text.shrink_to_fit();
        wipe({text.data(), text.capacity()});
    }
};

/// A secret of N bytes within the object, initially zero.
template <std::size_t N>
class SecretArray {
public:
    SecretArray() = default;
    /// Copies the first N bytes of `bytes`, which must have at least N bytes.
    explicit SecretArray(chain::ByteView bytes) {
        for (std::size_t i = 0; i < N; ++i) bytes_[i] = bytes[i];
    }
    SecretArray(const SecretArray&) = default;
    SecretArray& operator=(const SecretArray&) = default;
    ~SecretArray() { OPENSSL_cleanse(bytes_.data(), N); }

    static constexpr std::size_t size() { return N; }
    chain::Byte* data() { return bytes_.data(); }
    const chain::Byte* data() const { return bytes_.data(); }
    /// All bytes. The view is valid as long as this object.
    chain::ByteView view() const { return bytes_; }
    std::span<chain::Byte> writable() { return bytes_; }

    friend bool operator==(const SecretArray& a, const SecretArray& b) {
        return CRYPTO_memcmp(a.data(), b.data(), N) == 0;
    }

private:
    std::array<chain::Byte, N> bytes_{};
};

}  // namespace petal::wallet
