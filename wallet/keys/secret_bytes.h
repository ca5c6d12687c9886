/// Memory for secrets, which is overwritten before it is freed.
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

/// Overwrites data in memory that the standard library manages.
inline void wipe(std::span<char> text) {
    OPENSSL_cleanse(text.data(), text.size());
}

/// The standard allocator, but that memory is wiped before it is released, so also when a container
/// outgrows it.
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

/// A secret text. A standard string stores a short text within itself, where its allocator wipes
/// nothing: this string also wipes itself.
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
    /// Takes the result of a string's function, such as a concatenation.
    SecretString(Text&& text) noexcept : Text(std::move(text)) { wipe_all(text); }
    SecretString& operator=(Text&& text) noexcept {
        Text::operator=(std::move(text));
        wipe_all(text);
        return *this;
    }
    ~SecretString() { wipe_all(*this); }

private:
    /// Empties the text. If it was on the heap, the string then uses the memory within itself,
    /// which may hold parts of an earlier, shorter text.
    static void wipe_all(Text& text) noexcept {
        text.clear();
        text.shrink_to_fit();
        wipe({text.data(), text.capacity()});
    }
};

/// A secret of N bytes, stored within the object. Initialised to zero.
template <std::size_t N>
class SecretArray {
public:
    SecretArray() = default;
    /// Copies the first N bytes of `bytes`, which has at least N.
    explicit SecretArray(chain::ByteView bytes) {
        for (std::size_t i = 0; i < N; ++i) bytes_[i] = bytes[i];
    }
    SecretArray(const SecretArray&) = default;
    SecretArray& operator=(const SecretArray&) = default;
    ~SecretArray() { OPENSSL_cleanse(bytes_.data(), N); }

    static constexpr std::size_t size() { return N; }
    chain::Byte* data() { return bytes_.data(); }
    const chain::Byte* data() const { return bytes_.data(); }
    /// All bytes; the view lives as long as this does.
    chain::ByteView view() const { return bytes_; }
    std::span<chain::Byte> writable() { return bytes_; }

    friend bool operator==(const SecretArray& a, const SecretArray& b) {
        return CRYPTO_memcmp(a.data(), b.data(), N) == 0;
    }

private:
    std::array<chain::Byte, N> bytes_{};
};

}  // namespace petal::wallet
