/// Scripts: the walker stays within the script, and each recognised element is pushed by it.
#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>

#include "chain/script/script.h"

using namespace petal::chain;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const ByteView script{data, size};
    const ByteView element = watch_element(script);
    bool element_is_pushed = element.empty();

    std::size_t walked = 0;
    ScriptWalker walker{script};
    while (const auto operation = walker.next()) {
        walked += 1 + operation->data.size();
        assert(walked <= size);
        if (std::ranges::equal(operation->data, element)) element_is_pushed = true;
    }
    assert(!walker.next());
    assert(element_is_pushed);
    const ScriptType type = classify(script);
    assert(!walker.malformed() || type == ScriptType::other);
    assert(!describe(type).empty());

    if (size > 0xffff) return 0;
    const Bytes push = push_data(script);
    ScriptWalker back{push};
    const auto operation = back.next();
    assert(operation && !back.next() && !back.malformed());
    assert(operation->data.empty() || std::ranges::equal(operation->data, script));
    return 0;
}
