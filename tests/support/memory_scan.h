/// Looks for secrets in this process's memory, as a core dump would show them.
#pragma once

#include <cstddef>

#include "chain/bytes.h"

namespace petal::test {

/// Bytes in a masked form, so that a scan does not find this copy.
class MaskedBytes {
public:
    explicit MaskedBytes(chain::ByteView bytes);

    const chain::Bytes& masked() const { return masked_; }
    /// Each byte is XORed with this mask.
    static constexpr chain::Byte kMask = 0xa5;

private:
    chain::Bytes masked_;
};

/// How often the bytes occur in this process's writable memory: heap, stacks and all other pages,
/// also pages that were released to the allocator. Call this in a test that is alone in the
/// process, because other tests leave the same bytes.
std::size_t count_in_memory(const MaskedBytes& wanted);

}  // namespace petal::test
