/// Puts an element into a filter and finds it there.
#include <petal/bloom/bloom_filter.h>

#include <cstdio>

int main() {
    using namespace petal;
    bloom::BloomFilter filter({.bytes = 36, .hash_functions = 5}, 0, bloom::UpdateMode::none);
    const chain::Bytes element{1, 2, 3};
    const bool before = filter.contains(element);
    filter.insert(element);
    std::printf("%d %d\n", before, filter.contains(element));
}
