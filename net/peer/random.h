/// Pseudorandom numbers, reproducible from a seed.
#pragma once

#include <cstddef>
#include <cstdint>

#include "chain/byte_writer.h"
#include "chain/hash.h"

namespace petal::net {

/// SplitMix64: fast, but each number reveals all later and earlier numbers. Use it only for choices
/// that peers never see and could not exploit. Use SecretNumbers for numbers that a peer is sent or
/// must not predict.
class SplitMix64 {
public:
    explicit SplitMix64(std::uint64_t seed) : state_(seed) {}

    std::uint64_t next() {
        state_ += 0x9e3779b97f4a7c15U;
        std::uint64_t z = state_;
        z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
        z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
        return z ^ (z >> 31U);
    }

private:
    std::uint64_t state_;
};

/// Random numbers that reveal nothing about each other: SHA-256 of the seed and a counter (8 bytes
/// each, little-endian). The first eight bytes of the hash are the number (little-endian). Peers
/// may see some numbers. The rest stay secret as long as the seed does.
class SecretNumbers {
public:
    explicit SecretNumbers(std::uint64_t seed) : seed_(seed) {}

    std::uint64_t next() {
        chain::ByteWriter text;
        text.u64(seed_).u64(drawn_++);
        const auto digest = chain::sha256(text.view());
        std::uint64_t number = 0;
        for (std::size_t i = 8; i-- > 0;) number = number << 8U | digest[i];
        return number;
    }

private:
    std::uint64_t seed_;
    std::uint64_t drawn_ = 0;
};

}  // namespace petal::net
