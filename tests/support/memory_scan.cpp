#include "tests/support/memory_scan.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace petal::test {

namespace {

struct Region {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
};

// Sanitizers reserve regions that are too large to read, and use almost no page of such a region.
constexpr std::uintptr_t kMaxRegion = std::uintptr_t{1} << 30;

std::vector<Region> writable_regions() {
    std::vector<Region> regions;
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) {
        unsigned long begin = 0;
        unsigned long end = 0;
        std::array<char, 5> rights{};
        if (std::sscanf(line.c_str(), "%lx-%lx %4s", &begin, &end, rights.data()) != 3) continue;
        if (rights[0] == 'r' && rights[1] == 'w' && end - begin <= kMaxRegion) {
            regions.push_back({begin, end});
        }
    }
    return regions;
}

std::array<chain::Byte, 1 << 16> window;

/// The position of the byte in the window, from `from` to below `end`. `end` if the byte does not
/// occur.
std::size_t find(chain::Byte byte, std::size_t from, std::size_t end) {
    if (from >= end) return end;
    const void* const place = std::memchr(window.data() + from, byte, end - from);
    return place == nullptr
               ? end
               : static_cast<std::size_t>(static_cast<const chain::Byte*>(place) - window.data());
}

bool matches(const chain::Byte* at, const chain::Bytes& masked) {
    return std::equal(masked.begin(), masked.end(), at, [](chain::Byte wanted, chain::Byte found) {
        return wanted == (found ^ MaskedBytes::kMask);
    });
}

}  // namespace

MaskedBytes::MaskedBytes(chain::ByteView bytes) {
    masked_.reserve(bytes.size());
    for (const chain::Byte byte : bytes) masked_.push_back(byte ^ kMask);
}

std::size_t count_in_memory(const MaskedBytes& wanted) {
    const chain::Bytes& masked = wanted.masked();
    const chain::Byte first = masked.front() ^ MaskedBytes::kMask;
    const auto window_at = reinterpret_cast<std::uintptr_t>(window.data());
    const int memory = ::open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
    if (memory < 0) throw std::runtime_error("no /proc/self/mem");
    std::size_t count = 0;
    for (const Region& region : writable_regions()) {
        for (std::uintptr_t at = region.begin; at < region.end;) {
            const std::size_t size = std::min<std::size_t>(window.size(), region.end - at);
            const ssize_t got = ::pread(memory, window.data(), size, static_cast<off_t>(at));
            if (got < static_cast<ssize_t>(masked.size())) break;
            const std::size_t places = static_cast<std::size_t>(got) - masked.size() + 1;
            for (std::size_t i = find(first, 0, places); i < places;
                 i = find(first, i + 1, places)) {
                const bool in_window = at + i >= window_at && at + i < window_at + window.size();
                if (!in_window && matches(window.data() + i, masked)) ++count;
            }
            at += places;  // bytes across two windows are found in the second
        }
    }
    window.fill(0);
    ::close(memory);
    return count;
}

}  // namespace petal::test
