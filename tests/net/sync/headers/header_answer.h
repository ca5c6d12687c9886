/// Headers as a node sends them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "net/wire/messages.h"
#include "regtest/chain/regtest_chain.h"

namespace petal::test {

/// The headers message of a node with this chain: at most `count` headers from this height on.
inline net::Headers answer(const regtest::RegtestChain& source, std::uint32_t first,
                           std::size_t count) {
    net::Headers message;
    for (std::uint32_t height = first; height <= source.height() && message.headers.size() < count;
         ++height) {
        message.headers.push_back(source.block_at(height).header);
    }
    return message;
}

}  // namespace petal::test
