#include "tests/net/counted_memory.h"

#include <malloc.h>

#include <algorithm>
#include <cstdlib>
#include <new>

namespace {

std::size_t live_bytes = 0;
std::size_t peak_bytes = 0;

// The allocator's overhead for each block.
constexpr std::size_t kBlockHeaderBytes = 8;

/// Null if there is no memory.
void* try_to_allocate(std::size_t size) noexcept {
    void* const block = std::malloc(std::max<std::size_t>(size, 1));
    if (block == nullptr) return nullptr;
    live_bytes += malloc_usable_size(block) + kBlockHeaderBytes;
    peak_bytes = std::max(peak_bytes, live_bytes);
    return block;
}

void* allocate(std::size_t size) {
    void* const block = try_to_allocate(size);
    if (block == nullptr) throw std::bad_alloc();
    return block;
}

void release(void* block) noexcept {
    if (block == nullptr) return;
    live_bytes -= malloc_usable_size(block) + kBlockHeaderBytes;
    std::free(block);
}

}  // namespace

void* operator new(std::size_t size) {
    return allocate(size);
}
void* operator new[](std::size_t size) {
    return allocate(size);
}
// AddressSanitizer has some of these of its own, which do not call those above.
void* operator new(std::size_t size, const std::nothrow_t& /*tag*/) noexcept {
    return try_to_allocate(size);
}
void* operator new[](std::size_t size, const std::nothrow_t& /*tag*/) noexcept {
    return try_to_allocate(size);
}
void operator delete(void* block) noexcept {
    release(block);
}
void operator delete[](void* block) noexcept {
    release(block);
}
void operator delete(void* block, const std::nothrow_t& /*tag*/) noexcept {
    release(block);
}
void operator delete[](void* block, const std::nothrow_t& /*tag*/) noexcept {
    release(block);
}
void operator delete(void* block, std::size_t) noexcept {
    release(block);
}
void operator delete[](void* block, std::size_t) noexcept {
    release(block);
}

namespace petal::test {

CountedMemory::CountedMemory() : before_(live_bytes) {
    peak_bytes = live_bytes;
}

std::size_t CountedMemory::live() const {
    return live_bytes - before_;
}

std::size_t CountedMemory::peak() const {
    return peak_bytes - before_;
}

}  // namespace petal::test
